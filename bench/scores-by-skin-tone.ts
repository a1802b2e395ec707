import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import sharp from 'sharp';
import { categories } from '../src/taxonomy/dictionary/schema.ts';
import { describeOutfit } from '../src/taxonomy/outfit/describe-outfit.ts';
import { categoriesOf, ParseGroup } from '../src/taxonomy/outfit/parse-groups.ts';
import { DEFAULT_SETTINGS } from '../src/taxonomy/request-schema.ts';
import { splitCutOuts, toOutfitView } from '../workers/images/run-engine.ts';
import { decode } from '../workers/inference/codec.ts';
import { GROUPS } from '../workers/inference/garments/groups.ts';
import type { Engine } from '../workers/inference/pool.ts';
import { readPhotos, readReference } from './eval-photos.ts';
import { startBenchEngine } from './garment-class.ts';
import { createLabelReader, type LabelledPhoto, readLabelledPhotos } from './garment-labels.ts';
import { scoresOf } from './matte-scores.ts';
import { MAX_PIXELS } from './separate-photo.ts';
import { MAX_DARKER_TONE, skinTone } from './skin-tone.ts';
import { mean } from './statistics.ts';

type Labels = Awaited<ReturnType<ReturnType<typeof createLabelReader>>>;

/** A garment that was found, against the label that most of its pixels have. */
interface NamedGarment {
  isAnswered: boolean;
  isRegionRight: boolean;
  isGroupRight: boolean;
}

interface TonedPhoto {
  tone: number | undefined;
  iou: number;
  edge: number;
  garments: NamedGarment[];
}

const HALF = 127;
/** A garment less of which has one label cannot be judged. */
const MIN_LABELLED_SHARE = 0.5;
const SKIN = GROUPS.findIndex(({ id }) => id === 'skin');

async function readAlpha(file: Uint8Array) {
  const { data, info } = await sharp(file)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

/** Returns the group that most pixels of a cut-out are labelled as, if it is worn and that are enough. */
async function labelOf(
  file: Uint8Array,
  { left, top }: { left: number; top: number },
  labels: Labels,
): Promise<(typeof GROUPS)[number] | undefined> {
  const { data, width } = await readAlpha(file);
  const counts = GROUPS.map(() => 0);
  let all = 0;
  data.forEach((alpha, at) => {
    if (alpha <= HALF) return;
    const [x, y] = [left + (at % width), top + Math.floor(at / width)];
    counts[labels.data[y * labels.width + x]!]!++;
    all++;
  });
  const most = Math.max(...counts);
  const group = GROUPS[counts.indexOf(most)];
  return group?.region && most >= MIN_LABELLED_SHARE * all ? group : undefined;
}

const dictionaryGroup = (id: string): string => categories.get(id)?.parentId ?? '';

/** Names the garments of a photo as a request does. */
async function nameGarments(
  engine: Engine,
  image: Buffer,
  labels: Labels,
): Promise<NamedGarment[]> {
  const outfit = await engine.separateOutfit(image, {}, { cutouts: true });
  const files = [...splitCutOuts(outfit)];
  const described = describeOutfit(toOutfitView(outfit), {
    settings: DEFAULT_SETTINGS,
    id: 'photo',
  });
  const garments: NamedGarment[] = [];
  for (const { index, box, classification } of described.garments) {
    const label = await labelOf(files[index]!, box, labels);
    if (!label) continue;
    const expected = categoriesOf(ParseGroup.parse(label.id));
    const { category } = classification;
    garments.push({
      isAnswered: Boolean(category?.id),
      isRegionRight: category?.region === label.region,
      isGroupRight: expected.map(dictionaryGroup).includes(category?.groupId ?? ''),
    });
  }
  return garments;
}

async function scorePhoto(
  engine: Engine,
  { image: path }: LabelledPhoto,
  labels: Labels,
  reference: Awaited<ReturnType<typeof readReference>>,
): Promise<TonedPhoto> {
  const image = await readFile(path);
  const { pixels } = await decode(image, MAX_PIXELS);
  const { file } = await engine.removeBackground(image);
  const { iou, edge } = scoresOf(await readAlpha(file), reference);
  const isSkin = Array.from(labels.data, (group) => group === SKIN);
  return {
    tone: skinTone(pixels, isSkin),
    iou,
    edge,
    garments: await nameGarments(engine, image, labels),
  };
}

function summarise(set: string, photos: readonly TonedPhoto[]) {
  const garments = photos.flatMap((photo) => photo.garments);
  const answered = garments.filter(({ isAnswered }) => isAnswered);
  const shareOf = (some: readonly NamedGarment[], name: keyof NamedGarment) =>
    mean(some.map((garment) => Number(garment[name])));
  return {
    set,
    photos: photos.length,
    mIoU: mean(photos.map(({ iou }) => iou)),
    'worst IoU': Math.min(...photos.map(({ iou }) => iou)),
    edge: mean(photos.map(({ edge }) => edge)),
    garments: garments.length,
    answered: shareOf(garments, 'isAnswered'),
    'region right': shareOf(garments, 'isRegionRight'),
    'group right': shareOf(garments, 'isGroupRight'),
    'group right of answered': shareOf(answered, 'isGroupRight'),
  };
}

/**
 * Measures cut-outs and the names of garments on labelled street photos, apart by how dark the photo shows the skin.
 * @param folder of photos to evaluate on
 * @returns undefined if it has no such photos
 */
export async function measureBySkinTone(folder: string, limit?: number) {
  const labelled = readLabelledPhotos(folder, limit);
  if (labelled.length === 0) return undefined;
  const readLabels = createLabelReader(folder);
  const references = new Map(
    (await readPhotos(folder)).map((photo) => [basename(photo.image), photo]),
  );
  const engine = await startBenchEngine();
  const photos: TonedPhoto[] = [];
  try {
    for (const photo of labelled) {
      const reference = references.get(basename(photo.image));
      if (!reference) continue;
      photos.push(
        await scorePhoto(engine, photo, await readLabels(photo), await readReference(reference)),
      );
    }
  } finally {
    await engine.close();
  }
  const isDarker = ({ tone }: TonedPhoto) => tone !== undefined && tone < MAX_DARKER_TONE;
  const isLighter = ({ tone }: TonedPhoto) => tone !== undefined && tone >= MAX_DARKER_TONE;
  return [
    summarise('darker skin', photos.filter(isDarker)),
    summarise('lighter skin', photos.filter(isLighter)),
    summarise('all', photos),
  ];
}

/** Prints what `measureBySkinTone` returns. */
export function printBySkinTone(sets: Awaited<ReturnType<typeof measureBySkinTone>>): void {
  for (const { set, ...figures } of sets ?? []) {
    const said = Object.entries(figures).map(
      ([name, value]) => `${name} ${Number.isInteger(value) ? value : value.toFixed(4)}`,
    );
    console.log(`${set.padEnd(14)} ${said.join('  ')}`);
  }
}
