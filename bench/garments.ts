import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import sharp from 'sharp';
import { type CatalogModel, findModel, PARSER_ID, readCatalog } from '../models/catalog.ts';
import { decode } from '../workers/inference/codec.ts';
import { GROUPS, IS_WORN, PART_OF, PARTS, SKIN } from '../workers/inference/garments/groups.ts';
import { openSession, type Session } from '../workers/inference/session.ts';
import { EVAL_FOLDER, readPhotos, readReference } from './eval-photos.ts';
import { createLabelReader, readLabelledPhotos } from './garment-labels.ts';
import type { Row } from './gate-verdict.ts';
import { scoresOf } from './matte-scores.ts';
import { measureRotated, printRotated } from './rotated-garments.ts';
import { measureBySkinTone, printBySkinTone } from './scores-by-skin-tone.ts';
import { MAX_PIXELS, separate } from './separate-photo.ts';
import { MAX_DARKER_TONE, skinTone } from './skin-tone.ts';
import { median } from './statistics.ts';

interface Options {
  weights?: string;
  inputSize?: number;
  eval: string;
  limit?: number;
  photos: boolean;
  rotated: boolean;
  skinTones: boolean;
  json: boolean;
}

/** As trained. */
const DEFAULT_INPUT_SIZE = 320;
/** The kind of photo of laid-out garments. */
const LAID_OUT_KIND = 'garment-real';

/**
 * What the best rule without a parse network reaches: the upper 13 % of the figure and what a fixed rule calls skin
 * are cut off (docs/adr/0020-garment-only.md); and what a parse network may cost, and must leave of laid-out garments.
 */
export const WITHOUT_PARSER: readonly Row[] = [
  { kind: 'garments', photos: 23, figures: { mIoU: 0.849, worst: 0.604, 'CPU ratio': 1.3 } },
  { kind: 'laid out', photos: 33, figures: { mIoU: 0.975 } },
];

/** Describes weights that are not in the catalogue as its entry would. */
export function describeWeights(file: string, size = DEFAULT_INPUT_SIZE): CatalogModel {
  const bytes = readFileSync(file);
  return {
    id: PARSER_ID,
    version: 'candidate',
    task: 'parsing',
    folder: dirname(resolve(file)),
    file: basename(file),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    licence: 'Apache-2.0',
    nonCommercial: false,
    origin: 'own training',
    input: { name: 'input', size, scale: 'divide-255', mean: [0, 0, 0], std: [1, 1, 1] },
    output: { name: 'groups', post: 'none' },
  };
}

export async function openOne(model: CatalogModel): Promise<Session> {
  const { runAll, ...loaded } = await openSession(model, 'cpu', 1);
  return { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
}

/** Counts of pixels by what they are and what they are taken for. */
class Confusion {
  readonly size: number;
  readonly counts: Float64Array;
  /** For each class, how many photos show it. */
  readonly photos: number[];

  constructor(size: number) {
    this.size = size;
    this.counts = new Float64Array(size * size);
    this.photos = Array.from({ length: size }, () => 0);
  }

  add(wanted: ArrayLike<number>, found: ArrayLike<number>): void {
    const isShown = new Set<number>();
    for (let i = 0; i < wanted.length; i++) {
      this.counts[wanted[i]! * this.size + found[i]!]!++;
      isShown.add(wanted[i]!);
    }
    for (const one of isShown) this.photos[one]!++;
  }

  /** Intersection over union of a class over all photos. */
  iou(one: number): number {
    let union = -this.counts[one * this.size + one]!;
    for (let i = 0; i < this.size; i++)
      union += this.counts[one * this.size + i]! + this.counts[i * this.size + one]!;
    return this.counts[one * this.size + one]! / union;
  }
}

export interface GarmentScores {
  rows: Row[];
  photos: PhotoScore[];
}

/** One labelled photo. */
interface PhotoScore {
  id: string;
  /** Of all garments together. */
  iou: number;
  /** See `skinTone`. */
  tone: number | undefined;
  person: boolean;
  garments: string[];
}

const isWornGroup = (group: number): boolean => IS_WORN[PART_OF[group]!]!;
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

/** Scores the garments of labelled street photos. */
async function scoreStreet(remover: Session, parser: Session, folder: string, limit?: number) {
  const byPart = new Confusion(PARTS.length);
  const byGroup = new Confusion(GROUPS.length);
  const photos: PhotoScore[] = [];
  const [cutOutMillis, separationMillis]: [number[], number[]] = [[], []];
  const labelled = readLabelledPhotos(folder, limit);
  const readLabels = labelled.length > 0 ? createLabelReader(folder) : undefined;
  for (const photo of labelled) {
    const wanted = (await readLabels!(photo)).data;
    const image = await readFile(photo.image);
    const { pixels } = await decode(image, MAX_PIXELS);
    const found = await separate(remover, parser, image);
    const worn = wanted.map((group) => (isWornGroup(group) ? PART_OF[group]! : 0));
    byPart.add(worn, found.parts);
    byGroup.add(
      wanted.map((group) => (isWornGroup(group) ? group : 0)),
      found.groups,
    );
    let [intersection, union] = [0, 0];
    worn.forEach((part, i) => {
      if (part > 0 && found.parts[i]! > 0) intersection++;
      if (part > 0 || found.parts[i]! > 0) union++;
    });
    cutOutMillis.push(found.cutOutMillis);
    separationMillis.push(found.separationMillis);
    photos.push({
      id: photo.id,
      iou: intersection / union,
      tone: skinTone(
        pixels,
        Array.from(wanted, (group) => PART_OF[group] === SKIN),
      ),
      person: found.outfit?.person ?? false,
      garments: found.outfit?.garments.map(({ group }) => group) ?? [],
    });
  }
  if (photos.length === 0) return { rows: [], photos };
  const ious = photos.map(({ iou }) => iou);
  const cut = median(cutOutMillis);
  const cpuRatio = (cut + median(separationMillis)) / cut;
  const rows: Row[] = [
    {
      kind: 'garments',
      photos: photos.length,
      figures: { mIoU: mean(ious), worst: Math.min(...ious), 'CPU ratio': cpuRatio },
    },
    ...rowsByTone(photos),
    ...rowsOf(byPart, PARTS, (part) => IS_WORN[part]!, ''),
    ...rowsOf(
      byGroup,
      GROUPS.map(({ id }) => id),
      isWornGroup,
      'group ',
    ),
  ];
  return { rows, photos };
}

/** Returns figures of photos of darker and of lighter skin. */
function rowsByTone(photos: readonly PhotoScore[]): Row[] {
  const isDarker = ({ tone }: PhotoScore) => tone !== undefined && tone < MAX_DARKER_TONE;
  const isLighter = ({ tone }: PhotoScore) => tone !== undefined && tone >= MAX_DARKER_TONE;
  return [
    { kind: 'darker skin', ious: photos.filter(isDarker).map(({ iou }) => iou) },
    { kind: 'lighter skin', ious: photos.filter(isLighter).map(({ iou }) => iou) },
  ].flatMap(({ kind, ious }) =>
    ious.length > 0
      ? [{ kind, photos: ious.length, figures: { mIoU: mean(ious), worst: Math.min(...ious) } }]
      : [],
  );
}

const rowsOf = (
  confusion: Confusion,
  names: readonly string[],
  isShown: (i: number) => boolean,
  prefix: string,
): Row[] =>
  names.flatMap((name, i) =>
    isShown(i) && confusion.photos[i]! > 0
      ? [{ kind: prefix + name, photos: confusion.photos[i]!, figures: { IoU: confusion.iou(i) } }]
      : [],
  );

/** Scores laid-out garments: all of them are garment, as in their cut-outs. */
async function scoreLaidOut(
  remover: Session,
  parser: Session,
  folder: string,
  limit?: number,
): Promise<Row[]> {
  if (!existsSync(join(folder, 'manifest.json'))) return [];
  const photos = (await readPhotos(folder, limit)).filter(({ kind }) => kind === LAID_OUT_KIND);
  const [ious, cutOuts, people]: [number[], number[], boolean[]] = [[], [], []];
  for (const photo of photos) {
    const { parts, matte, outfit } = await separate(remover, parser, await readFile(photo.image));
    const reference = await readReference(photo);
    const data = parts.map((part) => (part > 0 ? 255 : 0));
    ious.push(scoresOf({ ...matte, data }, reference).iou);
    cutOuts.push(scoresOf(matte, reference).iou);
    people.push(outfit?.person ?? false);
  }
  if (photos.length === 0) return [];
  const figures = {
    mIoU: mean(ious),
    worst: Math.min(...ious),
    'cut-out mIoU': mean(cutOuts),
    'taken for people': people.filter(Boolean).length,
  };
  return [{ kind: 'laid out', photos: photos.length, figures }];
}

/**
 * Scores a parse network on labelled street photos and on laid-out garments.
 * @param folder of photos to evaluate on
 */
export async function measureGarments(
  parserModel: CatalogModel,
  folder: string,
  modelsHome: string,
  limit?: number,
): Promise<GarmentScores> {
  sharp.concurrency(1);
  const remover = await openOne(findModel(readCatalog(modelsHome), 'garment-cutout'));
  const parser = await openOne(parserModel);
  const street = await scoreStreet(remover, parser, folder, limit);
  const laidOut = await scoreLaidOut(remover, parser, folder, limit);
  return { rows: [...street.rows, ...laidOut], photos: street.photos };
}

function print({ rows, photos }: GarmentScores, lists: boolean): void {
  for (const { kind, photos: count, figures } of rows) {
    const said = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
    console.log(`${kind.padEnd(24)} ${String(count).padStart(3)}  ${said.join('  ')}`);
  }
  if (!lists) return;
  for (const { id, iou, person, garments } of photos.toSorted((a, b) => a.iou - b.iou))
    console.log(`${id} ${iou.toFixed(4)} ${person ? '' : 'no person '}${garments.join(' ')}`);
}

const LEGEND = `
garments: IoU of all that is worn, mean over photos, and the worst; the same for darker and lighter skin, as the photo
shows it. Then parts and groups: IoU over all pixels of all
photos that show them. CPU ratio: CPU of a cut-out and its separation beside that of the cut-out alone. laid out:
garments that nobody wears, all of whose pixels must stay.

Without a parse network the best rule reaches mIoU .849, worst .604, laid out .780 (docs/adr/0020-garment-only.md).`;

/** Prints how well the garments of labelled photos are told apart. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench garments')
    .description('Garments told apart, against labels of street photos (SELVAGE_EVAL/ccp-59).')
    .option('--weights <file>', 'ONNX file to judge; by default the weights in the catalogue')
    .option('--input-size <pixels>', 'of those weights', Number)
    .option('--eval <folder>', 'photos and their labels', EVAL_FOLDER)
    .option('--limit <n>', 'maximum photos of a kind', Number)
    .option('--photos', 'list every photo, the worst first', false)
    .option('--rotated', 'only: the same photos on their sides, beside how they are upright', false)
    .option('--skin-tones', 'only: cut-outs and names of garments, by tone of the skin', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', LEGEND)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  if (options.skinTones) {
    const sets = await measureBySkinTone(options.eval, options.limit);
    if (options.json) console.log(JSON.stringify(sets ?? null));
    else printBySkinTone(sets);
    return;
  }
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const model = options.weights
    ? describeWeights(options.weights, options.inputSize)
    : findModel(readCatalog(modelsHome), PARSER_ID);
  if (options.rotated) {
    sharp.concurrency(1);
    const remover = await openOne(findModel(readCatalog(modelsHome), 'garment-cutout'));
    printRotated(await measureRotated(remover, await openOne(model), options.eval, options.limit));
    return;
  }
  const scores = await measureGarments(model, options.eval, modelsHome, options.limit);
  if (options.json) console.log(JSON.stringify(scores));
  else if (scores.rows.length > 0) print(scores, options.photos);
  else console.log(`Nothing is measured: ${options.eval} has no labelled photos.`);
}
