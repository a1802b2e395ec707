import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import sharp from 'sharp';
import type { Matte, Pixels } from '../src/imaging/picture.ts';
import {
  eachPathPixel,
  reachOf,
  type Stroke,
  squaredDistances,
  UNREACHED,
} from '../src/imaging/strokes/cells.ts';
import { mendMatte } from '../src/imaging/strokes/mend.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { CORRUPTIONS } from './confidence.ts';
import { EVAL_FOLDER, hasPhotos, type Photo, readPhotos, readReference } from './eval-photos.ts';
import { type Reference, scoresOf } from './matte-scores.ts';
import { median } from './statistics.ts';
import { strokeFor } from './stroke-robot.ts';

const MAX_PIXELS = 100_000_000;
/** Masks below this IoU are mended, until they reach the other. */
const [FAULTY_IOU, GOAL_IOU] = [0.9, 0.98];
const MAX_STROKES = 12;
/** Photos of at least so many pixels count for the time a stroke takes. */
const MEGAPIXEL = 1_000_000;

/** A photo with a faulty matte. */
interface Case {
  group: string;
  pixels: Pixels;
  matte: Matte;
  reference: Reference;
}

interface Mended {
  group: string;
  /** Infinity if the goal was not reached. */
  strokes: number;
  ious: number[];
  /** CPU time a stroke; only of photos of a megapixel or more. */
  millis: number[];
  /** Pixels that changed beyond the reach of all strokes. */
  strayPixels: number;
}

async function readPlane(file: string | Uint8Array, channel: 'alpha' | 0): Promise<Matte> {
  const image = sharp(file);
  const plane = channel === 0 ? image.toColourspace('b-w') : image;
  const { data, info } = await plane
    .extractChannel(channel)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function readPixels(file: string | Uint8Array): Promise<Pixels> {
  const image = sharp(file).removeAlpha().toColourspace('srgb').raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function cutOut(engine: Engine, image: Uint8Array): Promise<Matte> {
  return readPlane((await engine.removeBackground(image)).file, 'alpha');
}

const iouOf = (matte: Matte, reference: Reference): number => scoresOf(matte, reference).iou;

/** A reproducible source of numbers, 0..1. @see Park & Miller, CACM 31(10), 1988 */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Widths of the soft edge of a planted fault, and the range of its area as a share of the subject's. */
const PLANTED = { edge: 3, minShare: 0.05, addedShare: 0.1 };

/** Sets alpha in a random ellipse around a pixel: 0 for a hole, 255 for a blob. */
function plantEllipse(
  matte: Matte,
  at: number,
  target: number,
  area: number,
  random: () => number,
) {
  const { data, width } = matte;
  const [x0, y0] = [at % width, Math.floor(at / width)];
  const share = PLANTED.minShare + PLANTED.addedShare * random();
  const radius = Math.sqrt((area * share) / Math.PI);
  const [stretch, turn] = [0.5 + random(), Math.PI * random()];
  for (let i = 0; i < data.length; i++) {
    const [dx, dy] = [(i % width) - x0, Math.floor(i / width) - y0];
    const along = (dx * Math.cos(turn) + dy * Math.sin(turn)) / (radius * stretch);
    const across = ((dy * Math.cos(turn) - dx * Math.sin(turn)) * stretch) / radius;
    const depth = (1 - Math.hypot(along, across)) * radius;
    const share = Math.min(1, Math.max(0, (depth + PLANTED.edge) / (2 * PLANTED.edge)));
    const planted = data[i]! + (target - data[i]!) * share;
    data[i] = target === 0 ? Math.min(data[i]!, planted) : Math.max(data[i]!, planted);
  }
}

/** Plants holes or blobs until the matte is below the limit; undefined if it never is. */
function plant(good: Case, target: 0 | 255, random: () => number): Case | undefined {
  const matte = { ...good.matte, data: Uint8Array.from(good.matte.data) };
  const area = matte.data.reduce((sum, alpha) => sum + alpha / 255, 0);
  for (let attempt = 0; attempt < 400; attempt++) {
    const at = Math.floor(random() * matte.data.length);
    if (Math.abs(matte.data[at]! - target) < 200) continue;
    plantEllipse(matte, at, target, area, random);
    if (iouOf(matte, good.reference) < FAULTY_IOU)
      return { ...good, group: target === 0 ? 'planted holes' : 'planted blobs', matte };
  }
  return undefined;
}

/** Makes the faults of a photo: what the engine leaves, and what is planted into a good matte. */
async function* casesOf(engine: Engine, photo: Photo, random: () => number): AsyncGenerator<Case> {
  const reference = await readReference(photo);
  const matte = await cutOut(engine, await readFile(photo.image));
  const pixels = await readPixels(photo.image);
  const real = { group: `engine: ${photo.kind}`, pixels, matte, reference };
  const iou = iouOf(matte, reference);
  if (iou < FAULTY_IOU) yield real;
  if (iou < GOAL_IOU) return;
  for (const target of [0, 255] as const) {
    const planted = plant(real, target, random);
    if (planted) yield planted;
  }
}

/** Yields corrupted copies of a photo whose matte is below the limit, but shows something of the subject. */
async function* corruptedCasesOf(engine: Engine, photo: Photo): AsyncGenerator<Case> {
  for (const { name, photo: corrupt, mask } of CORRUPTIONS) {
    const image = await corrupt(sharp(photo.image).removeAlpha()).png().toBuffer();
    const turn = async (file: string) => readPlane(await mask(sharp(file)).png().toBuffer(), 0);
    const ignore = photo.ignore === undefined ? undefined : (await turn(photo.ignore)).data;
    const reference = { ...(await turn(photo.mask)), ignore };
    const matte = await cutOut(engine, image);
    const iou = iouOf(matte, reference);
    if (iou >= FAULTY_IOU || iou < 0.3) continue;
    yield { group: `${name}: ${photo.kind}`, pixels: await readPixels(image), matte, reference };
  }
}

/** Counts the pixels that changed beyond the reach of every stroke. */
function countStray(before: Matte, after: Matte, strokes: readonly Stroke[]): number {
  const { width, height } = before;
  const stray = Uint8Array.from(before.data, (alpha, i) => (alpha === after.data[i] ? 0 : 1));
  for (const stroke of strokes) {
    const distances = new Float64Array(width * height).fill(UNREACHED);
    eachPathPixel(stroke, (x, y) => {
      distances[y * width + x] = 0;
    });
    squaredDistances(distances, before);
    const reach = reachOf(stroke);
    for (let i = 0; i < stray.length; i++) if (distances[i]! <= reach * reach) stray[i] = 0;
  }
  return stray.reduce((sum, one) => sum + one, 0);
}

/** Mends a matte with one stroke after the other; each time all of them are applied to the first matte. */
function mendWithRobot({ group, pixels, matte, reference }: Case): Mended & { last: Matte } {
  const strokes: Stroke[] = [];
  const ious = [iouOf(matte, reference)];
  const millis: number[] = [];
  let last = matte;
  while (ious.at(-1)! < GOAL_IOU && strokes.length < MAX_STROKES) {
    const stroke = strokeFor(last, reference);
    if (!stroke) break;
    strokes.push(stroke);
    const start = process.cpuUsage();
    last = mendMatte(pixels, matte, strokes);
    const { user, system } = process.cpuUsage(start);
    if (matte.data.length >= MEGAPIXEL) millis.push((user + system) / 1000 / strokes.length);
    ious.push(iouOf(last, reference));
  }
  const isDone = ious.at(-1)! >= GOAL_IOU;
  const strayPixels = countStray(matte, last, strokes);
  return {
    group,
    strokes: isDone ? strokes.length : Number.POSITIVE_INFINITY,
    ious,
    millis,
    strayPixels,
    last,
  };
}

/** Writes the photo on green before and after, side by side. */
async function show({ pixels, matte }: Case, after: Matte, file: string): Promise<void> {
  const { width, height } = pixels;
  const half = async (alpha: Matte) => {
    const rgba = new Uint8Array(4 * width * height);
    for (let i = 0; i < alpha.data.length; i++) {
      rgba.set(pixels.data.subarray(3 * i, 3 * i + 3), 4 * i);
      rgba[4 * i + 3] = alpha.data[i]!;
    }
    const raw = { width, height, channels: 4 } as const;
    return sharp(rgba, { raw }).flatten({ background: '#2c2' }).png().toBuffer();
  };
  const [left, right] = await Promise.all([half(matte), half(after)]);
  const both = sharp(left)
    .extend({ right: width })
    .composite([{ input: right, left: width, top: 0 }]);
  await writeFile(file, await both.jpeg().toBuffer());
}

function print(name: string, mended: readonly Mended[]): void {
  const strokes = mended.map((one) => one.strokes);
  const missed = strokes.filter((count) => !Number.isFinite(count)).length;
  const end = median(mended.map(({ ious }) => ious.at(-1)!));
  const cells = [mended.length, median(strokes), missed, end.toFixed(3)];
  console.log(name.padEnd(34) + cells.map((cell) => String(cell).padEnd(10)).join(''));
}

/** Mends faulty mattes like a person with a brush, and counts the strokes that takes. */
export async function run(argv: string[]): Promise<void> {
  const {
    limit,
    harmed,
    show: folder,
  } = new Command('bench strokes')
    .description('A robot draws along the middle of the largest fault until the matte is right.')
    .option('--limit <n>', 'maximum photos per kind', Number)
    .option('--harmed', 'mend the mattes of corrupted photos too', false)
    .option('--show <folder>', 'write each case before and after')
    .parse(argv, { from: 'user' })
    .opts<{ limit?: number; harmed: boolean; show?: string }>();
  if (!hasPhotos(EVAL_FOLDER)) {
    console.log(`Nothing is measured: SELVAGE_EVAL (${EVAL_FOLDER}) has no manifest.json.`);
    return;
  }
  if (folder) await mkdir(folder, { recursive: true });
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const settings = { model: 'garment-cutout', device: 'auto', slots: 1, modelsHome } as const;
  const engine = await startEngine({ ...settings, maxPixels: MAX_PIXELS });
  const all: Mended[] = [];
  const random = createRandom(1);
  const add = async (one: Case) => {
    const { last, ...mended } = mendWithRobot(one);
    all.push(mended);
    if (folder) await show(one, last, join(folder, `${all.length}.jpg`));
  };
  try {
    for (const photo of await readPhotos(EVAL_FOLDER, limit)) {
      for await (const one of casesOf(engine, photo, random)) await add(one);
      if (harmed) for await (const one of corruptedCasesOf(engine, photo)) await add(one);
    }
  } finally {
    await engine.close();
  }
  console.log(`${'masks below 0.90'.padEnd(34)}cases     strokes   not .98   IoU at the end`);
  for (const group of new Set(all.map((one) => one.group)))
    print(
      group,
      all.filter((one) => one.group === group),
    );
  print('all', all);
  const millis = all.flatMap((one) => one.millis);
  const stray = all.filter(({ strayPixels }) => strayPixels > 0).length;
  console.log(
    `CPU a stroke on photos of a megapixel or more: median ${median(millis).toFixed(0)} ms, max ${Math.max(0, ...millis).toFixed(0)} ms, of ${millis.length}; cases with a change beyond the reach: ${stray}`,
  );
}
