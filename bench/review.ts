import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import sharp, { type Sharp } from 'sharp';
import type { CutOutReview, ReviewReason } from '../src/output/review.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { CORRUPTIONS } from './confidence.ts';
import { EVAL_FOLDER, hasPhotos, type Photo, readPhotos, readReference } from './eval-photos.ts';
import { scoresOf } from './matte-scores.ts';

const MAX_PIXELS = 100_000_000;
/** From this IoU on a cut-out is right, below the other it has failed. */
const RIGHT_IOU = 0.95;
const FAILURE_IOU = 0.85;
/** Height of a photo that is put beside another, pixels. */
const BESIDE_HEIGHT = 700;

interface Score {
  iou: number;
  review: CutOutReview;
}

async function readPlane(image: Sharp) {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Makes the cut-out of a photo, or of a corrupted copy, and compares it with the reference. */
async function score(
  engine: Engine,
  photo: Photo,
  corruption?: (typeof CORRUPTIONS)[number],
): Promise<Score> {
  const image = corruption
    ? await corruption.photo(sharp(photo.image)).png().toBuffer()
    : await readFile(photo.image);
  const { file, review } = await engine.removeBackground(image);
  const reference = corruption
    ? await readPlane(corruption.mask(sharp(photo.mask).toColourspace('b-w')))
    : await readReference(photo);
  const { iou } = scoresOf(await readPlane(sharp(file).extractChannel('alpha')), reference);
  return { iou, review };
}

async function sizeOf(image: string) {
  const { width, height } = await sharp(image).metadata();
  return { width, height };
}

/** Shrinks a photo to a tenth, on a ground of the colour of its corner. */
async function shrink({ image }: Photo): Promise<Buffer> {
  const { width, height } = await sizeOf(image);
  const corner = await sharp(image).extract({ left: 0, top: 0, width: 8, height: 8 }).stats();
  const [r = 0, g = r, b = r] = corner.channels.map(({ mean }) => Math.round(mean));
  const small = sharp(image)
    .removeAlpha()
    .resize(Math.round(width / 10));
  const [left, top] = [Math.round(0.45 * width), Math.round(0.45 * height)];
  return small.extend({ left, right: left, top, bottom: top, background: { r, g, b } }).toBuffer();
}

/** Puts two photos side by side. */
async function putBeside(one: Photo, other: Photo): Promise<Buffer> {
  const [left, right] = await Promise.all(
    [one, other].map(({ image }) =>
      sharp(image).removeAlpha().resize({ height: BESIDE_HEIGHT }).toBuffer(),
    ),
  );
  const { width } = await sharp(left).metadata();
  const { width: added } = await sharp(right).metadata();
  return sharp(left)
    .extend({ right: added, background: '#fff' })
    .composite([{ input: right, left: width, top: 0 }])
    .png()
    .toBuffer();
}

/** Keeps the left 55 % of a photo. */
async function cut({ image }: Photo): Promise<Buffer> {
  const { width, height } = await sizeOf(image);
  return sharp(image)
    .extract({ left: 0, top: 0, width: Math.round(0.55 * width), height })
    .png()
    .toBuffer();
}

/** Faults put into photos, and the reason that is to be found. `other` is a different photo of the same kind. */
const PLANTED: readonly {
  name: string;
  reason: ReviewReason;
  plant(photo: Photo, other: Photo): Promise<Buffer>;
}[] = [
  { name: 'a tenth of the size', reason: 'subject-too-small', plant: shrink },
  { name: 'two photos side by side', reason: 'several-subjects', plant: putBeside },
  { name: 'cut on the right', reason: 'cut-by-frame', plant: cut },
  {
    name: 'blurred by 3 pixels',
    reason: 'blurred',
    plant: ({ image }) => sharp(image).blur(3).png().toBuffer(),
  },
];

/** Prints how many cut-outs a person is asked to look at: of those that are right, of the others, of failures. */
function printAsked(name: string, scores: readonly Score[]): void {
  const asked = (list: readonly Score[]) =>
    `${list.filter(({ review }) => review.needed).length} of ${list.length}`.padEnd(12);
  const reasons = new Map<string, number>();
  for (const reason of scores.flatMap(({ review }) => review.reasons))
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const groups = [
    scores.filter(({ iou }) => iou >= RIGHT_IOU),
    scores.filter(({ iou }) => iou < RIGHT_IOU),
    scores.filter(({ iou }) => iou < FAILURE_IOU),
  ];
  const found = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ');
  console.log(`${name.padEnd(20)}${groups.map(asked).join('')}${found}`);
}

const printHead = (what: string): void =>
  console.log(
    `\n${what.padEnd(20)}${['right', 'below .95', 'below .85'].map((head) => head.padEnd(12)).join('')}reasons`,
  );

async function measureKinds(engine: Engine, photos: readonly Photo[]): Promise<void> {
  const kinds = new Map<string, Score[]>();
  for (const photo of photos) {
    const scores = kinds.get(photo.kind) ?? [];
    kinds.set(photo.kind, [...scores, await score(engine, photo)]);
  }
  printHead('photos');
  for (const [kind, scores] of kinds) printAsked(kind, scores);
  printAsked('all', [...kinds.values()].flat());
}

async function measureCorrupted(engine: Engine, photos: readonly Photo[]): Promise<void> {
  printHead('corrupted photos');
  const all: Score[] = [];
  for (const corruption of CORRUPTIONS) {
    const scores: Score[] = [];
    for (const photo of photos) scores.push(await score(engine, photo, corruption));
    printAsked(corruption.name, scores);
    all.push(...scores);
  }
  printAsked('all', all);
}

async function measurePlanted(engine: Engine, photos: readonly Photo[]): Promise<void> {
  console.log('\nplanted faults');
  for (const { name, reason, plant } of PLANTED) {
    let found = 0;
    for (const photo of photos) {
      const others = photos.filter(({ kind }) => kind === photo.kind);
      const other = others[(others.indexOf(photo) + 7) % others.length] ?? photo;
      const { review } = await engine.removeBackground(await plant(photo, other));
      if (review.reasons.includes(reason)) found++;
    }
    console.log(`${name}: ${reason} in ${found} of ${photos.length}`);
  }
}

/** Measures which cut-outs a person is asked to look at, and why. */
export async function run(argv: string[]): Promise<void> {
  const { limit, harmed, planted } = new Command('bench review')
    .description('Which cut-outs a person is asked to look at, of photos with references.')
    .option('--limit <n>', 'maximum photos per kind', Number)
    .option('--harmed', 'measure corrupted photos too', false)
    .option('--planted', 'measure photos with planted faults too', false)
    .parse(argv, { from: 'user' })
    .opts<{ limit?: number; harmed: boolean; planted: boolean }>();
  if (!hasPhotos(EVAL_FOLDER)) {
    console.log(`Nothing is measured: SELVAGE_EVAL (${EVAL_FOLDER}) has no manifest.json.`);
    return;
  }
  const photos = await readPhotos(EVAL_FOLDER, limit);
  const modelsHome = resolve(process.env.SELVAGE_HOME || '.selvage', 'models');
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'auto',
    slots: 1,
    maxPixels: MAX_PIXELS,
    modelsHome,
  });
  try {
    await measureKinds(engine, photos);
    if (harmed) await measureCorrupted(engine, photos);
    if (planted) await measurePlanted(engine, photos);
  } finally {
    await engine.close();
  }
}
