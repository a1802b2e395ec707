import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { classify } from '../src/taxonomy/classify.ts';
import type { Region } from '../src/taxonomy/dictionary/schema.ts';
import { DEFAULT_SETTINGS } from '../src/taxonomy/request-schema.ts';
import type { Engine } from '../workers/inference/pool.ts';
import { likeliestLabel, startBenchEngine } from './garment-class.ts';
import { mean } from './statistics.ts';

/**
 * The contributors of the published test photos of clothing-dataset. No weights of ours were trained with any of their
 * photos (models/garment-class.json). The first one took two of three.
 */
const CONTRIBUTORS = ['204', '310', '46', '309', '227'];
const MAIN_CONTRIBUTOR = '204';

/** For each label of the source the region that it says, and the labels that are right. Others say nothing. */
const TRUTHS: Readonly<Record<string, { region: Region; labels: readonly string[] }>> = {
  blazer: { region: 'outerwear', labels: ['blazer'] },
  blouse: { region: 'top', labels: ['blouse'] },
  body: { region: 'top', labels: ['body'] },
  dress: { region: 'dress', labels: ['dress'] },
  hat: { region: 'accessory', labels: ['hat'] },
  hoodie: { region: 'top', labels: ['hoodie'] },
  longsleeve: { region: 'top', labels: ['longsleeve'] },
  outwear: { region: 'outerwear', labels: ['outwear'] },
  pants: { region: 'bottom', labels: ['pants'] },
  polo: { region: 'top', labels: ['polo'] },
  shirt: { region: 'top', labels: ['shirt'] },
  shoes: { region: 'shoes', labels: ['shoes'] },
  shorts: { region: 'bottom', labels: ['shorts'] },
  skirt: { region: 'bottom', labels: ['skirt'] },
  't-shirt': { region: 'top', labels: ['t-shirt'] },
  top: { region: 'top', labels: ['t-shirt', 'undershirt', 'blouse', 'longsleeve'] },
  undershirt: { region: 'top', labels: ['undershirt'] },
};

interface Photo {
  file: string;
  label: string;
  contributor: string;
}

/** Reads the photos of the contributors that have a label. @param folder with `clothes.csv` and `clothes-320` */
function readPhotos(folder: string): Photo[] {
  const table = join(folder, 'clothes.csv');
  if (!existsSync(table)) return [];
  const [header = '', ...lines] = readFileSync(table, 'utf8').trim().split(/\r?\n/);
  const columns = header.split(',');
  const [image, label, contributor] = ['image', 'label', 'sender_id'].map((name) =>
    columns.indexOf(name),
  ) as [number, number, number];
  return lines
    .map((line) => line.split(','))
    .map((cells) => ({
      file: join(folder, 'clothes-320', `${cells[image]}.jpg`),
      label: (cells[label] ?? '').toLowerCase(),
      contributor: cells[contributor] ?? '',
    }))
    .filter((photo) => CONTRIBUTORS.includes(photo.contributor) && photo.label in TRUTHS);
}

async function scorePhoto(engine: Engine, { file, label, contributor }: Photo) {
  const view = await engine.viewGarment(await readFile(file));
  const { category } = classify({ image: view, options: DEFAULT_SETTINGS, fallbackId: 'photo' });
  const truth = TRUTHS[label];
  return {
    contributor,
    isWorn: view.worn.length > 0,
    isAnswered: Boolean(category?.id),
    isRegionRight: category?.region === truth?.region,
    isLabelRight: truth?.labels.includes(likeliestLabel(view.probabilities).predicted) ?? false,
  };
}
type Score = Awaited<ReturnType<typeof scorePhoto>>;

const shareOf = (scores: readonly Score[], holds: (score: Score) => boolean): number =>
  mean(scores.map((score) => Number(holds(score))));

function summarise(set: string, scores: readonly Score[]) {
  const answered = scores.filter(({ isAnswered }) => isAnswered);
  return {
    set,
    photos: scores.length,
    takenForPeople: scores.filter(({ isWorn }) => isWorn).length,
    answered: shareOf(scores, ({ isAnswered }) => isAnswered),
    region: shareOf(answered, ({ isRegionRight }) => isRegionRight),
    label: shareOf(scores, ({ isLabelRight }) => isLabelRight),
  };
}

/**
 * Measures naming by photo on laid-out garments of contributors that no weights have seen.
 * @param shared the folder with `training/clothes.csv`
 * @returns undefined if there is none
 */
export async function measureUnseenContributors(shared: string) {
  const photos = readPhotos(join(shared, 'training'));
  if (photos.length === 0) return undefined;
  const engine = await startBenchEngine();
  const scores: Score[] = [];
  try {
    for (const photo of photos) scores.push(await scorePhoto(engine, photo));
  } finally {
    await engine.close();
  }
  const isMain = ({ contributor }: Score) => contributor === MAIN_CONTRIBUTOR;
  return [
    summarise('all', scores),
    summarise(`contributor ${MAIN_CONTRIBUTOR}`, scores.filter(isMain)),
    summarise(
      'the other four',
      scores.filter((score) => !isMain(score)),
    ),
  ];
}
