import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { IMAGE_CLASSES } from '../src/taxonomy/photo/image-classes.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';

const Manifest = z.object({
  items: z.array(
    z.looseObject({
      image: z.string(),
      cutout: z.string().optional(),
      label: z.string().optional(),
    }),
  ),
});

/** What the model's card says of the published test photos, seen as cut-outs. */
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

interface Seen {
  label: string;
  named: string;
  confidence: number;
  hasAlpha: boolean;
  afterDecodingMillis: number;
}

const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Expected calibration error: how far confidence is from being right, over 15 equal bins. */
function calibrationError(seen: readonly Seen[]): number {
  const bins = Array.from({ length: 15 }, (_, bin) =>
    seen.filter(({ confidence }) => Math.min(14, Math.floor(confidence * 15)) === bin),
  );
  const gap = (bin: readonly Seen[]) =>
    Math.abs(
      mean(bin.map(({ confidence }) => confidence)) -
        mean(bin.map(({ label, named }) => (label === named ? 1 : 0))),
    );
  return bins.reduce((sum, bin) => sum + (bin.length / seen.length) * gap(bin), 0);
}

async function see(engine: Engine, file: string, label: string): Promise<Seen> {
  const view = await engine.viewGarment(await readFile(file));
  const confidence = Math.max(...view.probabilities);
  return {
    label,
    named: IMAGE_CLASSES[view.probabilities.indexOf(confidence)] ?? '',
    confidence,
    hasAlpha: view.hasAlpha,
    afterDecodingMillis: view.timings.totalMillis - view.timings.decodeMillis,
  };
}

const isRight = ({ label, named }: Seen): number => (label === named ? 1 : 0);

/**
 * How well the shipped classifier does, by class: on the photos of the evaluation folder whose label
 * is one of its classes, beside what its card says of the published test photos.
 * @returns nothing where the folder is not there
 */
export async function measureGarmentClass() {
  const folder = process.env.SELVAGE_EVAL ?? '../shared/eval';
  if (!existsSync(join(folder, 'manifest.json'))) return undefined;
  const { items } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const classes: readonly string[] = IMAGE_CLASSES;
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: 50_000_000,
    modelsHome: '.selvage/models',
  });
  const seen: Seen[] = [];
  try {
    for (const { image, cutout, label = '' } of items) {
      if (!classes.includes(label.toLowerCase())) continue;
      for (const file of [image, cutout]) {
        if (file) seen.push(await see(engine, join(folder, file), label.toLowerCase()));
      }
    }
  } finally {
    await engine.close();
  }
  const card = Card.parse(
    JSON.parse(
      readFileSync(join(import.meta.dirname, '..', 'models', 'garment-class.json'), 'utf8'),
    ),
  ).metrics['garment-class|test|cut'];
  return {
    photos: seen.length,
    accuracy: mean(seen.map(isRight)),
    calibrationError: calibrationError(seen),
    card: { photos: card.n, accuracy: card.top1, calibrationError: card.ece15 },
    cutOutAfterDecodingMillis: median(
      seen.filter(({ hasAlpha }) => hasAlpha).map(({ afterDecodingMillis }) => afterDecodingMillis),
    ),
    classes: IMAGE_CLASSES.map((name) => {
      const ofClass = seen.filter(({ label }) => label === name);
      const found = ofClass.length > 0 ? mean(ofClass.map(isRight)) : undefined;
      return { name, photos: ofClass.length, found, cardFound: card.recall[name] };
    }),
  };
}
