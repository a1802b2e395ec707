import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import sharp, { type Sharp } from 'sharp';
import { findModel, ModelError, readCatalog, readWeights } from '../models/catalog.ts';
import type { Matte } from '../src/imaging/picture.ts';
import { DEFAULT_QUALITY, QUALITIES, type Quality } from '../src/output/option-table.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { CORRUPTIONS, calibrationByKind, countFailures, type Prediction } from './confidence.ts';
import { EVAL_FOLDER, hasPhotos, type Photo, readPhotos, readReference } from './eval-photos.ts';
import { faultsByReference } from './ground-faults.ts';
import { colourError, type Scores, scoresOf } from './matte-scores.ts';
import { writePackshots } from './packshots.ts';
import { measureUnlabelled, type UnlabelledRow } from './unlabelled.ts';

interface Options {
  model: string;
  quality: Quality;
  limit?: number;
  drawn: number;
  harmed: boolean;
  json: boolean;
}

/** One model on one kind of photo: means over the photos. */
interface Row extends Scores {
  model: string;
  kind: string;
  photos: number;
  /** Photos whose IoU is below 0.85. */
  failures: number;
  /** Photos with a hole in the subject, and with kept ground, per 100. */
  wrongHolesPer100: number;
  keptGroundPer100: number;
  /** Error of the subject's colours under soft edges, 0..1; NaN if they are unknown. */
  colour: number;
  confidence: number;
  inferenceMillis: number;
  matteMillis: number;
  encodeMillis: number;
}

const FAILURE_IOU = 0.85;
const MAX_PIXELS = 100_000_000;
/** The drawn packshots are the same in every run. */
const DRAWN_SEED = 1;

async function readMatte(image: Sharp): Promise<Matte> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Makes the cut-out of one photo as a request would, and compares it with the reference. */
async function score(engine: Engine, photo: Photo, quality: Quality) {
  const cutOut = await engine.removeBackground(
    await readFile(photo.image),
    {},
    { options: { quality } },
  );
  const reference = await readReference(photo);
  const matte = await readMatte(sharp(cutOut.file).extractChannel('alpha'));
  const scores = { ...scoresOf(matte, reference), ...faultsByReference(matte, reference) };
  const colours = (file: string | Uint8Array) => sharp(file).ensureAlpha().raw().toBuffer();
  const colour = photo.cutout
    ? colourError(await colours(cutOut.file), await colours(photo.cutout), reference)
    : Number.NaN;
  const { confidence, timings } = cutOut;
  const { inferenceMillis, matteMillis, encodeMillis } = timings;
  return { ...scores, colour, confidence, inferenceMillis, matteMillis, encodeMillis };
}

/** Makes the cut-out of a corrupted photo. */
async function predictCorrupted(
  engine: Engine,
  { kind, image, mask }: Photo,
  corruption: (typeof CORRUPTIONS)[number],
): Promise<Prediction> {
  const cutOut = await engine.removeBackground(
    await corruption.photo(sharp(image)).png().toBuffer(),
  );
  const { iou } = scoresOf(
    await readMatte(sharp(cutOut.file).extractChannel('alpha')),
    await readMatte(corruption.mask(sharp(mask).toColourspace('b-w'))),
  );
  return { kind, confidence: cutOut.confidence, isRight: iou >= FAILURE_IOU };
}

type Score = Awaited<ReturnType<typeof score>>;

function toRow(model: string, kind: string, scores: readonly Score[]): Row {
  const mean = (read: (score: Score) => number) =>
    scores.reduce((sum, one) => sum + read(one), 0) / scores.length;
  return {
    model,
    kind,
    photos: scores.length,
    iou: mean(({ iou }) => iou),
    mae: mean(({ mae }) => mae),
    edge: mean(({ edge }) => edge),
    failures: scores.filter(({ iou }) => iou < FAILURE_IOU).length,
    wrongHolesPer100: mean(({ hole }) => (hole > 0 ? 100 : 0)),
    keptGroundPer100: mean(({ kept }) => (kept > 0 ? 100 : 0)),
    solid: mean(({ solid }) => solid),
    clear: mean(({ clear }) => clear),
    colour: mean(({ colour }) => colour),
    confidence: mean(({ confidence }) => confidence),
    inferenceMillis: mean(({ inferenceMillis }) => inferenceMillis),
    matteMillis: mean(({ matteMillis }) => matteMillis),
    encodeMillis: mean(({ encodeMillis }) => encodeMillis),
  };
}

/** Returns the error of the first model that cannot be used, before any is measured. */
async function findModelError(
  ids: readonly string[],
  modelsHome: string,
): Promise<string | undefined> {
  const catalog = readCatalog(modelsHome).filter(({ task }) => task === 'cut-out');
  try {
    for (const id of ids) await readWeights(findModel(catalog, id));
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
  return undefined;
}

interface Measured {
  rows: Row[];
  unlabelled: UnlabelledRow[];
  predictions: Prediction[];
}

async function measure(
  model: string,
  modelsHome: string,
  photos: readonly Photo[],
  { harmed, quality, limit }: Pick<Options, 'harmed' | 'quality' | 'limit'>,
): Promise<Measured> {
  const engine = await startEngine({
    model,
    device: 'auto',
    slots: 1,
    maxPixels: MAX_PIXELS,
    modelsHome,
  });
  const byKind = new Map<string, Score[]>();
  const predictions: Prediction[] = [];
  const unlabelled: UnlabelledRow[] = [];
  try {
    for (const photo of photos) {
      const scores = byKind.get(photo.kind) ?? [];
      const one = await score(engine, photo, quality);
      byKind.set(photo.kind, [...scores, one]);
      predictions.push({
        kind: photo.kind,
        confidence: one.confidence,
        isRight: one.iou >= FAILURE_IOU,
      });
      for (const corruption of harmed ? CORRUPTIONS : [])
        predictions.push(await predictCorrupted(engine, photo, corruption));
    }
    unlabelled.push(...(await measureUnlabelled(engine, EVAL_FOLDER, limit)));
  } finally {
    await engine.close();
  }
  const name = `${engine.model.id}@${engine.model.version}`;
  const rows = [...byKind].map(([kind, scores]) => toRow(name, kind, scores));
  return { rows, predictions, unlabelled };
}

// biome-ignore format: a table reads best aligned
const COLUMNS: readonly { head: string; width: number; cell(row: Row): string }[] = [
  { head: 'kind',      width: 18, cell: ({ kind }) => kind },
  { head: 'photos',    width: 6,  cell: ({ photos }) => String(photos) },
  { head: 'mIoU',      width: 6,  cell: ({ iou }) => iou.toFixed(4) },
  { head: 'MAE',       width: 6,  cell: ({ mae }) => mae.toFixed(4) },
  { head: 'edge',      width: 6,  cell: ({ edge }) => edge.toFixed(4) },
  { head: 'IoU<.85',   width: 7,  cell: ({ failures }) => String(failures) },
  { head: 'holes',     width: 6,  cell: ({ wrongHolesPer100 }) => wrongHolesPer100.toFixed(1) },
  { head: 'kept',      width: 6,  cell: ({ keptGroundPer100 }) => keptGroundPer100.toFixed(1) },
  { head: 'solid',     width: 6,  cell: ({ solid }) => solid.toFixed(4) },
  { head: 'clear',     width: 6,  cell: ({ clear }) => clear.toFixed(4) },
  { head: 'colour',    width: 6,  cell: ({ colour }) => (Number.isNaN(colour) ? '-' : colour.toFixed(4)) },
  { head: 'conf.',     width: 6,  cell: ({ confidence }) => confidence.toFixed(3) },
  { head: 'ms',        width: 6,  cell: ({ inferenceMillis }) => inferenceMillis.toFixed(1) },
  { head: 'matte',     width: 6,  cell: ({ matteMillis }) => matteMillis.toFixed(1) },
  { head: 'PNG',       width: 6,  cell: ({ encodeMillis }) => encodeMillis.toFixed(1) },
];

/** Share of images, by lowest confidence, that a person would review. */
const REVIEWED_SHARE = 0.15;

function print({ rows, predictions, unlabelled }: Measured): void {
  const line = (cells: readonly string[]) =>
    console.log(cells.map((cell, i) => cell.padEnd(COLUMNS[i]!.width)).join('  '));
  console.log(`\n${rows[0]?.model}`);
  line(COLUMNS.map(({ head }) => head));
  for (const row of rows) line(COLUMNS.map(({ cell }) => cell(row)));
  for (const { kind, judged, photos, unasked, ...per100 } of unlabelled)
    console.log(
      `${kind}: ${judged} of ${photos} photos are on an even ground; per 100 of them: wrong holes ${per100.wrongHolesPer100.toFixed(1)}, kept ground ${per100.keptGroundPer100.toFixed(1)}; not asked for: ${unasked.join(', ') || 'none'}`,
    );
  const { found, all } = countFailures(predictions, REVIEWED_SHARE);
  console.log(
    `${all} failures in ${predictions.length} images; ${found} of them are among the least confident 15 %.`,
  );
  for (const [kind, { images, predicted, observed }] of calibrationByKind(predictions)) {
    console.log(
      `${kind}: confidence ${predicted.toFixed(3)}, right ${observed.toFixed(3)}, of ${images} images`,
    );
  }
}

const LEGEND = `
mIoU: mean IoU of mattes thresholded at one half. MAE: mean difference of alpha. edge: the same within six
pixels of the reference's edge. IoU<.85: failed photos. holes and kept: photos per 100 with a closed hole in the subject of 60 pixels or
more, and with 100 pixels of ground kept, three pixels off its outline. solid and clear: shares of subject and background, off
the edge, that are fully opaque and fully transparent. colour: error of the subject's colours under soft edges.
conf.: mean confidence. ms: time of the network; matte and PNG: time of those steps.

SELVAGE_EVAL is the folder with the photos. Every file in it, or in a folder in it, whose name ends in
manifest.json lists some: {items: [{kind, image, mask, ignore}]}; white pixels of an ignore picture count neither way.`;

/** Scores cut-outs against reference mattes, per kind of photo. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench quality')
    .description('Cut-outs against ground truth, per kind of photo.')
    .option('--model <ids>', 'catalogue models, comma-separated', 'garment-cutout')
    .addOption(
      new Option('--quality <quality>', 'quality preset of the cut-outs')
        .choices(QUALITIES)
        .default(DEFAULT_QUALITY),
    )
    .option('--limit <n>', 'maximum photos per kind', Number)
    .option('--drawn <n>', 'drawn packshots of each kind', Number, 3)
    .option('--harmed', 'measure the confidence on corrupted photos too', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', LEGEND)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const { model, limit, drawn, json } = options;
  const folder = EVAL_FOLDER;
  if (!hasPhotos(folder)) {
    console.log(`Nothing is measured: SELVAGE_EVAL (${folder}) has no manifest.json.`);
    return;
  }
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const ids = model.split(',');
  const error = await findModelError(ids, modelsHome);
  if (error) {
    console.error(error);
    process.exitCode = 1;
    return;
  }
  const packshots = await mkdtemp(join(tmpdir(), 'selvage-packshots-'));
  await writePackshots(packshots, drawn, DRAWN_SEED);
  const photos = [...(await readPhotos(folder, limit)), ...(await readPhotos(packshots))];
  const rows: Row[] = [];
  for (const id of ids) {
    const measured = await measure(id, modelsHome, photos, options);
    if (!json) print(measured);
    rows.push(...measured.rows);
  }
  await rm(packshots, { recursive: true });
  if (json) console.log(JSON.stringify(rows));
}
