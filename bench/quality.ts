import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import sharp, { type Sharp } from 'sharp';
import { findModel, ModelError, readCatalog, readWeights } from '../models/catalog.ts';
import type { Matte } from '../src/imaging/matte.ts';
import { DEFAULT_QUALITY, QUALITIES, type Quality } from '../src/output/quality.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { failuresSeen, HARMS, type Judged } from './confidence.ts';
import { EVAL_FOLDER, type Photo, readPhotos } from './eval-photos.ts';
import { colourError, type Scores, scoresOf } from './matte-scores.ts';

interface Options {
  model: string;
  quality: Quality;
  limit?: number;
  harmed: boolean;
  json: boolean;
}

/** One model on one kind of photo: means over the photos. */
interface Row extends Scores {
  model: string;
  kind: string;
  photos: number;
  /** Photos whose IoU is below 0.85: what a person would call wrong. */
  failures: number;
  /** Of the subject's colours under soft edges, 0..1; NaN where none are known. */
  colour: number;
  confidence: number;
  inferenceMillis: number;
  matteMillis: number;
  encodeMillis: number;
}

const FAILURE_IOU = 0.85;
const MAX_PIXELS = 100_000_000;

async function matteFrom(picture: Sharp): Promise<Matte> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Cuts one photo out as a request would, and compares the answer. */
async function score(engine: Engine, photo: Photo, quality: Quality) {
  const cutOut = await engine.removeBackground(
    await readFile(photo.image),
    {},
    { options: { quality } },
  );
  const reference = await matteFrom(sharp(photo.mask).toColourspace('b-w'));
  const scores = scoresOf(await matteFrom(sharp(cutOut.file).extractChannel('alpha')), reference);
  const colours = (file: string | Uint8Array) => sharp(file).ensureAlpha().raw().toBuffer();
  const colour = photo.cutout
    ? colourError(await colours(cutOut.file), await colours(photo.cutout), reference)
    : Number.NaN;
  const { confidence, timings } = cutOut;
  const { inferenceMillis, matteMillis, encodeMillis } = timings;
  return { ...scores, colour, confidence, inferenceMillis, matteMillis, encodeMillis };
}

/** Cuts one photo out that was harmed on purpose. */
async function judgeHarmed(
  engine: Engine,
  { image, mask }: Photo,
  harm: (typeof HARMS)[number],
): Promise<Judged> {
  const cutOut = await engine.removeBackground(await harm.photo(sharp(image)).png().toBuffer());
  const { iou } = scoresOf(
    await matteFrom(sharp(cutOut.file).extractChannel('alpha')),
    await matteFrom(harm.mask(sharp(mask).toColourspace('b-w'))),
  );
  return { confidence: cutOut.confidence, isRight: iou >= FAILURE_IOU };
}

type Score = Awaited<ReturnType<typeof score>>;

function rowOf(model: string, kind: string, scores: readonly Score[]): Row {
  const mean = (of: (score: Score) => number) =>
    scores.reduce((sum, one) => sum + of(one), 0) / scores.length;
  return {
    model,
    kind,
    photos: scores.length,
    iou: mean(({ iou }) => iou),
    mae: mean(({ mae }) => mae),
    edge: mean(({ edge }) => edge),
    failures: scores.filter(({ iou }) => iou < FAILURE_IOU).length,
    solid: mean(({ solid }) => solid),
    clear: mean(({ clear }) => clear),
    colour: mean(({ colour }) => colour),
    confidence: mean(({ confidence }) => confidence),
    inferenceMillis: mean(({ inferenceMillis }) => inferenceMillis),
    matteMillis: mean(({ matteMillis }) => matteMillis),
    encodeMillis: mean(({ encodeMillis }) => encodeMillis),
  };
}

/** What is wrong with the first of these models that cannot be used, before any is measured. */
async function faultOf(ids: readonly string[], modelsHome: string): Promise<string | undefined> {
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
  judged: Judged[];
}

async function measure(
  model: string,
  modelsHome: string,
  photos: readonly Photo[],
  harmed: boolean,
  quality: Quality,
): Promise<Measured> {
  const engine = await startEngine({
    model,
    device: 'auto',
    slots: 1,
    maxPixels: MAX_PIXELS,
    modelsHome,
  });
  const byKind = new Map<string, Score[]>();
  const judged: Judged[] = [];
  try {
    for (const photo of photos) {
      const scores = byKind.get(photo.kind) ?? [];
      const one = await score(engine, photo, quality);
      byKind.set(photo.kind, [...scores, one]);
      judged.push({ confidence: one.confidence, isRight: one.iou >= FAILURE_IOU });
      for (const harm of harmed ? HARMS : []) judged.push(await judgeHarmed(engine, photo, harm));
    }
  } finally {
    await engine.close();
  }
  const name = `${engine.model.id}@${engine.model.version}`;
  return { rows: [...byKind].map(([kind, scores]) => rowOf(name, kind, scores)), judged };
}

// biome-ignore format: a table reads best aligned
const COLUMNS: readonly { head: string; width: number; cell(row: Row): string }[] = [
  { head: 'kind',      width: 18, cell: ({ kind }) => kind },
  { head: 'photos',    width: 6,  cell: ({ photos }) => String(photos) },
  { head: 'mIoU',      width: 6,  cell: ({ iou }) => iou.toFixed(4) },
  { head: 'MAE',       width: 6,  cell: ({ mae }) => mae.toFixed(4) },
  { head: 'edge',      width: 6,  cell: ({ edge }) => edge.toFixed(4) },
  { head: 'IoU<.85',   width: 7,  cell: ({ failures }) => String(failures) },
  { head: 'solid',     width: 6,  cell: ({ solid }) => solid.toFixed(4) },
  { head: 'clear',     width: 6,  cell: ({ clear }) => clear.toFixed(4) },
  { head: 'colour', width: 6,  cell: ({ colour }) => (Number.isNaN(colour) ? '-' : colour.toFixed(4)) },
  { head: 'sure',   width: 6,  cell: ({ confidence }) => confidence.toFixed(3) },
  { head: 'ms',        width: 6,  cell: ({ inferenceMillis }) => inferenceMillis.toFixed(1) },
  { head: 'matte',     width: 6,  cell: ({ matteMillis }) => matteMillis.toFixed(1) },
  { head: 'PNG',       width: 6,  cell: ({ encodeMillis }) => encodeMillis.toFixed(1) },
];

/** The least confident part of all pictures, which a person would look through. */
const LEAST_CONFIDENT = 0.15;

function print({ rows, judged }: Measured): void {
  const line = (cells: readonly string[]) =>
    console.log(cells.map((cell, i) => cell.padEnd(COLUMNS[i]!.width)).join('  '));
  console.log(`\n${rows[0]?.model}`);
  line(COLUMNS.map(({ head }) => head));
  for (const row of rows) line(COLUMNS.map(({ cell }) => cell(row)));
  const { seen, all } = failuresSeen(judged, LEAST_CONFIDENT);
  console.log(
    `Of ${all} failures of ${judged.length} pictures ${seen} are among the least confident 15 %.`,
  );
}

const LEGEND = `
mIoU is of mattes cut at one half; MAE the mean distance of alpha; edge the same within six pixels of the
reference's edge; IoU<.85 how many photos failed; solid and clear the shares of subject and backdrop, off
the edge, that are wholly opaque and wholly gone; colour how far the subject's colours are from its own under
soft edges; sure the mean confidence; ms the time of the network, matte and PNG\nthose of the steps behind it.

SELVAGE_EVAL is the folder of the photos, with a manifest.json of {items: [{kind, image, mask}]}.`;

/** Scores cut-outs against reference mattes, per kind of photo. */
export async function run(argv: string[]): Promise<void> {
  const { model, quality, limit, harmed, json } = new Command('bench quality')
    .description('Cut-outs against ground truth, per kind of photo.')
    .option('--model <ids>', 'catalogue models, by comma', 'garment-cutout')
    .addOption(
      new Option('--quality <quality>', 'how the cut-outs are made')
        .choices(QUALITIES)
        .default(DEFAULT_QUALITY),
    )
    .option('--limit <n>', 'photos of each kind at most', Number)
    .option('--harmed', 'judge the confidence on harmed photos too', false)
    .option('--json', 'answer in JSON', false)
    .addHelpText('after', LEGEND)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const folder = EVAL_FOLDER;
  if (!existsSync(join(folder, 'manifest.json'))) {
    console.log(`Nothing is measured: SELVAGE_EVAL (${folder}) has no manifest.json.`);
    return;
  }
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const ids = model.split(',');
  const fault = await faultOf(ids, modelsHome);
  if (fault) {
    console.error(fault);
    process.exitCode = 1;
    return;
  }
  const photos = await readPhotos(folder, limit);
  const rows: Row[] = [];
  for (const id of ids) {
    const measured = await measure(id, modelsHome, photos, harmed, quality);
    if (!json) print(measured);
    rows.push(...measured.rows);
  }
  if (json) console.log(JSON.stringify(rows));
}
