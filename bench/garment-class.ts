import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  IMAGE_CLASSES,
  type ImageClass,
  ofImageClasses,
} from '../src/taxonomy/photo/image-classes.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { EVAL_FOLDER } from './eval-photos.ts';
import { calibrationError, mean, median } from './statistics.ts';
import { readStorePhotos, scoreStorePhotos } from './store-photos.ts';

/** The labels of the laid-out garments; a label that says less than the classes do has several. */
const LABELS: Readonly<Record<string, readonly ImageClass[]>> = {
  dress: ['dress'],
  hat: ['hat'],
  longsleeve: ['longsleeve', 'sweater'],
  outwear: ['outwear', 'coat'],
  pants: ['pants', 'jeans', 'leggings'],
  shirt: ['shirt'],
  shoes: ['shoes', 'boots', 'heels', 'sandals', 'flats'],
  shorts: ['shorts'],
  skirt: ['skirt'],
  't-shirt': ['t-shirt'],
  polo: ['polo'],
  undershirt: ['tank-top'],
  blazer: ['blazer'],
  hoodie: ['hoodie'],
  body: ['bodysuit'],
  blouse: ['blouse'],
};
const LABEL_OF = new Map(
  Object.entries(LABELS).flatMap(([label, classes]) => classes.map((name) => [name, label])),
);

const MODELS_HOME = join('.selvage', 'models');

const Manifest = z.object({
  items: z.array(
    z.looseObject({
      image: z.string(),
      cutout: z.string().optional(),
      label: z.string().optional(),
    }),
  ),
});

/** The model card's metrics on the cut-outs of the published test photos. */
const Card = z.object({
  metrics: z.object({
    'garment-class|test|cut': z.looseObject({
      n: z.number(),
      top1: z.number(),
      ece15: z.number(),
      recall: z.record(z.string(), z.number()),
    }),
  }),
});

/** Starts the shipped networks. @param modelsHome holds models that do not ship */
export const startBenchEngine = (modelsHome = MODELS_HOME): Promise<Engine> =>
  startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: 50_000_000,
    modelsHome,
  });

interface Prediction {
  label: string;
  predicted: string;
  confidence: number;
  hasAlpha: boolean;
  afterDecodingMillis: number;
}

/** Returns the likeliest label of a garment, whose classes' probabilities are added up. */
export function likeliestLabel(probabilities: readonly number[]) {
  const sums = new Map<string, number>();
  ofImageClasses(probabilities).forEach((probability, k) => {
    const name = LABEL_OF.get(IMAGE_CLASSES[k] ?? 'other') ?? '';
    sums.set(name, (sums.get(name) ?? 0) + probability);
  });
  const confidence = Math.max(...sums.values());
  return { predicted: [...sums].find(([, sum]) => sum === confidence)?.[0] ?? '', confidence };
}

async function predict(engine: Engine, file: string, label: string): Promise<Prediction> {
  const view = await engine.viewGarment(await readFile(file));
  return {
    label,
    ...likeliestLabel(view.probabilities),
    hasAlpha: view.hasAlpha,
    afterDecodingMillis: view.timings.totalMillis - view.timings.decodeMillis,
  };
}

const isRight = ({ label, predicted }: Prediction): number => (label === predicted ? 1 : 0);

/**
 * Measures the shipped classifier by label on the laid-out garments of the evaluation folder, beside its card's
 * metrics on the published test photos, and what photos of a shop are named.
 * @param folder holds the photos and a `manifest.json`
 * @param modelsHome holds models that do not ship
 * @returns undefined if there is no such folder
 */
export async function measureGarmentClass(folder = EVAL_FOLDER, modelsHome = MODELS_HOME) {
  if (!existsSync(join(folder, 'manifest.json'))) return undefined;
  const { items } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const names = Object.keys(LABELS);
  const engine = await startBenchEngine(modelsHome);
  const predictions: Prediction[] = [];
  let store: ReturnType<typeof scoreStorePhotos>;
  try {
    for (const { image, cutout, label = '' } of items) {
      if (!names.includes(label.toLowerCase())) continue;
      for (const file of [image, cutout]) {
        if (file) predictions.push(await predict(engine, join(folder, file), label.toLowerCase()));
      }
    }
    store = scoreStorePhotos(await readStorePhotos(engine, folder));
  } finally {
    await engine.close();
  }
  const card = Card.parse(
    JSON.parse(
      readFileSync(join(import.meta.dirname, '..', 'models', 'garment-class.json'), 'utf8'),
    ),
  ).metrics['garment-class|test|cut'];
  return {
    photos: predictions.length,
    accuracy: mean(predictions.map(isRight)),
    calibrationError: calibrationError(
      predictions.map((each) => ({ confidence: each.confidence, isRight: isRight(each) === 1 })),
    ),
    card: { photos: card.n, accuracy: card.top1, calibrationError: card.ece15 },
    cutOutAfterDecodingMillis: median(
      predictions
        .filter(({ hasAlpha }) => hasAlpha)
        .map(({ afterDecodingMillis }) => afterDecodingMillis),
    ),
    store,
    classes: names.map((name) => {
      const ofClass = predictions.filter(({ label }) => label === name);
      const found = ofClass.length > 0 ? mean(ofClass.map(isRight)) : undefined;
      return { name, photos: ofClass.length, found, cardFound: card.recall[name] };
    }),
  };
}
