import { createHash } from 'node:crypto';
import { modelVersionOf } from '../models/catalog.ts';
import type { ValidatedImage } from '../src/intake/validate-image.ts';
import type { CutOutOptions } from '../src/output/options.ts';
import type { JobResults, Operation } from '../src/queue/job-data.ts';
import type { GarmentFile } from '../src/queue/outfit-view.ts';
import type { TurnOwner } from '../src/queue/turns.ts';
import { garmentKey } from '../src/storage/blob-keys.ts';
import type { Region } from '../src/taxonomy/dictionary/schema.ts';
import { type CutOutCacheQuery, cachedCutOut, storeCutOut } from './cached-cut-out.ts';
import { crashKeyOf, type ImageServices, processImage } from './image-job.ts';
import type { Engine, Outfit, PermitRequest } from './inference/pool.ts';
import { splitCutOuts, toOutfitView } from './separate-garments.ts';

/** One image and the owner of its results; the model is the engine's. */
interface ImageTask extends Omit<CutOutCacheQuery, 'model'>, TurnOwner {
  options: CutOutOptions;
  image: Uint8Array;
  /** With the subject `garment`: the region to take if the image shows one of its garments. */
  region?: Region | undefined;
  /** Prefix of the keys of its garments' cut-outs; see `garmentKey`. */
  garmentsPrefix: string;
  background?: Pick<ValidatedImage, 'bytes' | 'sha256'> | undefined;
}

/** Returns the options that are part of a cut-out's key: a background counts by its bytes, not by its URL. */
export function withBackgroundHash(
  options: CutOutOptions = {},
  background: Pick<ValidatedImage, 'sha256'> | undefined,
): CutOutOptions {
  const { backgroundImageUrl: _, backgroundImageSha256: __, ...rest } = options;
  return background ? { ...rest, backgroundImageSha256: background.sha256 } : rest;
}

/**
 * Returns everything beside the image and the model that changes the pixels of a cut-out: the options, the region of a
 * row, and for a part of the subject the parse network that finds it.
 */
export function cacheOptions(
  { parser }: Pick<Engine, 'parser'>,
  options: CutOutOptions,
  region?: Region,
): object {
  const isPart = options.subject !== undefined;
  return {
    ...options,
    ...(region && { region }),
    ...(isPart && { parser: modelVersionOf(parser) }),
  };
}

type Millis = Record<string, number>;

interface OperationOutput {
  results: JobResults;
  /** Milliseconds by step. */
  millis: Millis;
}

/** Cuts the subject out, unless the client already has this cut-out. */
async function removeBackground(
  { blobs, engine, quarantine }: ImageServices,
  task: ImageTask,
  signal: AbortSignal,
): Promise<OperationOutput> {
  const model = modelVersionOf(engine.model);
  const { options, region, image, background, sha256, outputKey, client, weight } = task;
  const query = {
    ...task,
    options: cacheOptions(engine, options, region),
    model,
    judgedBy: options,
  };
  const cached = await cachedCutOut(blobs, query, signal);
  if (cached) return { results: { cutout: cached }, millis: {} };
  const settings = { options, region, background: background?.bytes };
  const operation: Engine['removeBackground'] = (bytes, permit) =>
    engine.removeBackground(bytes, permit, settings);
  const crashKey = crashKeyOf(sha256, background);
  const input = { image, crashKey, owner: { client, weight } };
  const { output, millis } = await processImage({ quarantine }, input, operation, signal);
  const storingAt = performance.now();
  const cutout = await storeCutOut(blobs, outputKey, { ...output, model }, signal);
  const store = performance.now() - storingAt;
  return { results: { cutout }, millis: { ...millis, store } };
}

/** Measures the garment. Its labels are derived from the result when a client asks for it. */
async function classify(
  { engine, quarantine }: ImageServices,
  { image, sha256, client, weight }: ImageTask,
  signal: AbortSignal,
): Promise<OperationOutput> {
  const input = { image, crashKey: sha256, owner: { client, weight } };
  const { output, millis } = await processImage({ quarantine }, input, engine.viewGarment, signal);
  const { timings: _, ...view } = output;
  return { results: { view }, millis };
}

/** Separates the garments, and stores the cut-out of each. A repeated attempt writes the same keys. */
async function separate(
  { blobs, engine, quarantine }: ImageServices,
  { image, sha256, options, garmentsPrefix, client, weight }: ImageTask,
  signal: AbortSignal,
): Promise<OperationOutput> {
  const settings = { quality: options.quality, cutouts: true };
  const operation = (bytes: Uint8Array, permit: PermitRequest): Promise<Outfit> =>
    engine.separateOutfit(bytes, permit, settings);
  const input = { image, crashKey: sha256, owner: { client, weight } };
  const { output, millis } = await processImage({ quarantine }, input, operation, signal);
  const storingAt = performance.now();
  const files: GarmentFile[] = [];
  for (const file of splitCutOuts(output)) {
    const hash = createHash('sha256').update(file).digest('hex');
    const meta = { sha256: hash };
    await blobs.put(
      garmentKey(garmentsPrefix, hash),
      file,
      { mediaType: 'image/png', meta },
      signal,
    );
    files.push({ bytes: file.length, sha256: hash });
  }
  const store = performance.now() - storingAt;
  return { results: { outfit: { ...toOutfitView(output), files } }, millis: { ...millis, store } };
}

const OPERATIONS: Readonly<Record<Operation, typeof removeBackground>> = {
  'remove-background': removeBackground,
  classify,
  separate,
};

const addMillis = (a: Millis, b: Millis): Millis =>
  Object.fromEntries(
    [...Object.keys(a), ...Object.keys(b)].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]),
  );

/** Runs operations on one image, in order. Throws like `processImage`. */
export async function runOperations(
  services: ImageServices,
  operations: readonly Operation[],
  task: ImageTask,
  signal: AbortSignal,
): Promise<OperationOutput> {
  let all: OperationOutput = { results: {}, millis: {} };
  for (const operation of operations) {
    const { results, millis } = await OPERATIONS[operation](services, task, signal);
    all = {
      results: { ...all.results, ...results },
      millis: addMillis(all.millis, millis),
    };
  }
  return all;
}
