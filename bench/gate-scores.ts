import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { type CatalogModel, PARSER_ID, readCatalog } from '../models/catalog.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { type Photo, readPhotos, readReference } from './eval-photos.ts';
import { measureGarmentClass } from './garment-class.ts';
import { describeWeights, measureGarments, WITHOUT_PARSER } from './garments.ts';
import type { Row, Tolerances } from './gate-verdict.ts';
import { faultsByReference } from './ground-faults.ts';
import { scoresOf } from './matte-scores.ts';
import { measureUnlabelled, type UnlabelledRow } from './unlabelled.ts';

/** How a candidate to replace one of the project's networks is evaluated. */
export interface Evaluation {
  tolerances: Tolerances;
  /**
   * Measures the network on every kind of photo that has references.
   * @param home a folder whose `.selvage/models/catalog.json` may replace the network
   * @param photos a folder with a `manifest.json`
   */
  measure(home: string, photos: string): Promise<Row[]>;
  /** Describes weights for which the catalogue has no entry yet. */
  describe?(file: string): CatalogModel;
}

/** Below this IoU a cut-out counts as a failure. */
const FAILURE_IOU = 0.85;

async function toMatte(image: Sharp) {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function scorePhoto({ removeBackground }: Engine, photo: Photo) {
  const { file } = await removeBackground(await readFile(photo.image));
  const matte = await toMatte(sharp(file).extractChannel('alpha'));
  const reference = await readReference(photo);
  return { ...scoresOf(matte, reference), ...faultsByReference(matte, reference) };
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

async function measureCutOut(home: string, folder: string): Promise<Row[]> {
  const photos = await readPhotos(folder);
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: 100_000_000,
    modelsHome: join(home, '.selvage', 'models'),
  });
  const byKind = new Map<string, Awaited<ReturnType<typeof scorePhoto>>[]>();
  let unlabelled: UnlabelledRow[] = [];
  try {
    for (const photo of photos)
      byKind.set(photo.kind, [...(byKind.get(photo.kind) ?? []), await scorePhoto(engine, photo)]);
    unlabelled = await measureUnlabelled(engine, folder);
  } finally {
    await engine.close();
  }
  const labelled = [...byKind].map(([kind, scores]) => ({
    kind,
    photos: scores.length,
    figures: {
      mIoU: mean(scores.map(({ iou }) => iou)),
      MAE: mean(scores.map(({ mae }) => mae)),
      edge: mean(scores.map(({ edge }) => edge)),
      failures: scores.filter(({ iou }) => iou < FAILURE_IOU).length,
      'wrong holes': mean(scores.map(({ hole }) => Number(hole > 0))),
      'kept ground': mean(scores.map(({ kept }) => Number(kept > 0))),
    },
  }));
  return [
    ...labelled,
    ...unlabelled.map(({ kind, judged, wrongHolesPer100, keptGroundPer100 }) => ({
      kind,
      photos: judged,
      figures: { 'wrong holes': wrongHolesPer100 / 100, 'kept ground': keptGroundPer100 / 100 },
    })),
  ];
}

/** Returns one row for each class of the classifier, and one for all classes together. */
async function measureClassifier(home: string, folder: string): Promise<Row[]> {
  const measured = await measureGarmentClass(folder, join(home, '.selvage', 'models'));
  if (!measured) return [];
  const { accuracy, calibrationError, photos, classes, store } = measured;
  return [
    { kind: 'all', photos, figures: { right: accuracy, 'calibration error': calibrationError } },
    ...classes.flatMap(({ name, photos, found }) =>
      found === undefined ? [] : [{ kind: name, photos, figures: { right: found } }],
    ),
    ...(store?.alone ?? []).map(({ kind, photos, answered, region, group }) => ({
      kind: `shop: ${kind}`,
      photos,
      figures: { answered, 'region right': region, 'group right': group },
    })),
  ];
}

/** Returns what there is without a parse network if the catalogue has none. */
async function measureParser(home: string, folder: string): Promise<Row[]> {
  const modelsHome = join(home, '.selvage', 'models');
  const model = readCatalog(modelsHome).find(({ id }) => id === PARSER_ID);
  return model ? (await measureGarments(model, folder, modelsHome)).rows : [...WITHOUT_PARSER];
}

export const EVALUATIONS = {
  'garment-cutout': {
    measure: measureCutOut,
    // biome-ignore format: a table reads best aligned
    tolerances: {
      mIoU:     { better: 'higher', by: 0.003 },
      MAE:      { better: 'lower',  by: 0.002 },
      edge:     { better: 'lower',  by: 0.004 },
      failures: { better: 'lower',  by: 0 },
      'wrong holes': { better: 'lower', by: { photos: 1 } },
      'kept ground': { better: 'lower', by: { photos: 1 } },
    },
  },
  'garment-class': {
    measure: measureClassifier,
    // biome-ignore format: a table reads best aligned
    tolerances: {
      right:               { better: 'higher', by: { photos: 1 } },
      answered:            { better: 'higher', by: { photos: 1 } },
      'region right':      { better: 'higher', by: { photos: 1 } },
      'group right':       { better: 'higher', by: { photos: 1 } },
      'calibration error': { better: 'lower',  by: 0.02 },
    },
  },
  [PARSER_ID]: {
    measure: measureParser,
    describe: describeWeights,
    // biome-ignore format: a table reads best aligned
    tolerances: {
      mIoU:        { better: 'higher', by: 0.005 },
      worst:       { better: 'higher', by: 0.02 },
      IoU:         { better: 'higher', by: 0.02 },
      'CPU ratio': { better: 'lower',  by: 0.05 },
    },
  },
} satisfies Readonly<Record<string, Evaluation>>;
