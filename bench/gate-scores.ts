import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { type Photo, readPhotos } from '../../bench/eval-photos.ts';
import { measureGarmentClass } from '../../bench/garment-class.ts';
import { scoresOf } from '../../bench/matte-scores.ts';
import { type Engine, startEngine } from '../../workers/inference/pool.ts';
import type { Row, Tolerances } from './verdict.ts';

/** One of our two networks: how a candidate for its place is judged. */
export interface Judgement {
  tolerances: Tolerances;
  /**
   * Its figures on every kind of photo in a folder that has references.
   * @param home where `.selvage/models/catalog.json` may put another network in its place
   */
  measure(home: string, photos: string): Promise<Row[]>;
}

const FAILURE_IOU = 0.85;

async function matteFrom(picture: Sharp) {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function scoreOf({ removeBackground }: Engine, { image, mask }: Photo) {
  const { file } = await removeBackground(await readFile(image));
  return scoresOf(
    await matteFrom(sharp(file).extractChannel('alpha')),
    await matteFrom(sharp(mask).toColourspace('b-w')),
  );
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

async function cutOutRows(home: string, folder: string): Promise<Row[]> {
  const photos = await readPhotos(folder);
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: 100_000_000,
    modelsHome: join(home, '.selvage', 'models'),
  });
  const byKind = new Map<string, Awaited<ReturnType<typeof scoreOf>>[]>();
  try {
    for (const photo of photos)
      byKind.set(photo.kind, [...(byKind.get(photo.kind) ?? []), await scoreOf(engine, photo)]);
  } finally {
    await engine.close();
  }
  return [...byKind].map(([kind, scores]) => ({
    kind,
    photos: scores.length,
    figures: {
      mIoU: mean(scores.map(({ iou }) => iou)),
      MAE: mean(scores.map(({ mae }) => mae)),
      edge: mean(scores.map(({ edge }) => edge)),
      failures: scores.filter(({ iou }) => iou < FAILURE_IOU).length,
    },
  }));
}

/** The classifier's kinds are its classes, and all of them. */
async function classRows(home: string, folder: string): Promise<Row[]> {
  process.env.SELVAGE_EVAL = resolve(folder);
  // The measurement takes its networks from here.
  process.chdir(home);
  const seen = await measureGarmentClass();
  if (!seen) return [];
  const { accuracy, calibrationError, photos } = seen;
  return [
    { kind: 'all', photos, figures: { right: accuracy, 'calibration error': calibrationError } },
    ...seen.classes.flatMap(({ name, photos, found }) =>
      found === undefined ? [] : [{ kind: name, photos, figures: { right: found } }],
    ),
  ];
}

export const JUDGEMENTS = {
  'garment-cutout': {
    measure: cutOutRows,
    // biome-ignore format: a table reads best aligned
    tolerances: {
      mIoU:     { better: 'higher', by: 0.003 },
      MAE:      { better: 'lower',  by: 0.002 },
      edge:     { better: 'lower',  by: 0.004 },
      failures: { better: 'lower',  by: 0 },
    },
  },
  'garment-class': {
    measure: classRows,
    // biome-ignore format: a table reads best aligned
    tolerances: {
      right:               { better: 'higher', by: { photos: 1 } },
      'calibration error': { better: 'lower',  by: 0.02 },
    },
  },
} satisfies Readonly<Record<string, Judgement>>;
