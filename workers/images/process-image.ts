import { createHash } from 'node:crypto';
import { feedGarmentsPrefix, feedImageKey } from '../../src/intake/feeds/feed-keys.ts';
import type { ValidatedImage } from '../../src/intake/validate-image.ts';
import { type CutOutOptions, formatOf } from '../../src/output/options.ts';
import type { GarmentFile, JobResults, Operation } from '../../src/queue/job-data.ts';
import {
  type CacheInputs,
  cutOutKey,
  garmentKey,
  garmentsPrefix,
} from '../../src/storage/blob-keys.ts';
import { cachedCutOut, storeCutOut } from './cached-cut-out.ts';
import {
  cutOut,
  type ImageServices,
  type ImageTask,
  runEngine,
  separate,
  view,
} from './run-engine.ts';

type Versions = ImageServices['versions'];

/** Whose results they are: those of a job or batch, or of a feed, which all its runs share. */
export interface ResultOwner {
  client: string;
  /** Of the job or batch. */
  id: string;
  feedId?: string | undefined;
}

/** Returns the prefix of the keys of the garments' cut-outs in an image. */
export const garmentsOf = ({ client, id, feedId }: ResultOwner, sha256: string): string =>
  feedId === undefined
    ? garmentsPrefix(client, sha256, id)
    : feedGarmentsPrefix(client, feedId, sha256);

/**
 * Returns everything beside the image and the model that changes the pixels of a cut-out: the options, the region of a
 * row, and for a part of the subject the parse network that finds it.
 */
export function cacheOptions(
  { parser }: Versions,
  { options = {}, region }: Pick<ImageTask, 'options' | 'region'>,
): object {
  const isPart = options.subject !== undefined;
  return {
    ...options,
    ...(region && { region }),
    ...(isPart && { parser }),
  };
}

const cacheInputs = (
  versions: Versions,
  { client, sha256, ...rest }: Pick<ImageTask, 'client' | 'sha256' | 'options' | 'region'>,
): CacheInputs => ({
  client,
  sha256,
  model: versions.model,
  options: cacheOptions(versions, rest),
});

export function cutOutKeyOf(
  versions: Versions,
  { client, id, feedId }: ResultOwner,
  task: Pick<ImageTask, 'sha256' | 'options' | 'region'>,
): string {
  const inputs = cacheInputs(versions, { client, ...task });
  const { extension } = formatOf(task.options ?? {});
  return feedId === undefined
    ? cutOutKey(inputs, id, extension)
    : feedImageKey(client, feedId, inputs, extension);
}

/** Returns the options that are part of a cut-out's key: a background counts by its bytes, not by its URL. */
export function withBackgroundHash(
  options: CutOutOptions = {},
  background: Pick<ValidatedImage, 'sha256'> | undefined,
): CutOutOptions {
  const { backgroundImageUrl: _, backgroundImageSha256: __, ...rest } = options;
  return background ? { ...rest, backgroundImageSha256: background.sha256 } : rest;
}

type Millis = Record<string, number>;

interface OperationOutput {
  results: JobResults;
  /** Milliseconds by step. */
  millis: Millis;
}

/** An operation whose results are kept. */
type Keep = (
  services: ImageServices,
  task: ImageTask,
  owner: ResultOwner,
  signal: AbortSignal,
) => Promise<OperationOutput>;

/** Stores what was made, and adds the time it takes to the other steps. */
async function stored(millis: Millis, store: () => Promise<JobResults>): Promise<OperationOutput> {
  const startedAt = performance.now();
  const results = await store();
  return { results, millis: { ...millis, store: performance.now() - startedAt } };
}

const OPERATIONS: Readonly<Record<Operation, Keep>> = {
  /** Cuts the subject out, unless the client already has this cut-out. */
  async 'remove-background'(services, task, owner, signal) {
    const { versions, blobs } = services;
    const outputKey = cutOutKeyOf(versions, owner, task);
    const query = { ...cacheInputs(versions, task), outputKey, judgedBy: task.options };
    const cached = await cachedCutOut(blobs, query, signal);
    if (cached) return { results: { cutout: cached }, millis: {} };
    const { facts, files, millis } = await runEngine(services, cutOut, task, signal);
    return stored(millis, async () => ({
      cutout: await storeCutOut(blobs, outputKey, { ...facts, file: files[0]! }, signal),
    }));
  },

  async classify(services, { background: _, ...task }, _owner, signal) {
    const { facts, millis } = await runEngine(services, view, task, signal);
    return { results: { view: facts }, millis };
  },

  /** Separates the garments, and stores the cut-out of each. A repeated attempt writes the same keys. */
  async separate(services, { background: _, ...task }, owner, signal) {
    const { facts, files, millis } = await runEngine(services, separate(true), task, signal);
    const prefix = garmentsOf(owner, task.sha256);
    return stored(millis, async () => {
      const kept: GarmentFile[] = [];
      for (const file of files) {
        const sha256 = createHash('sha256').update(file).digest('hex');
        const facts = { mediaType: 'image/png', meta: { sha256 } };
        await services.blobs.put(garmentKey(prefix, sha256), file, facts, signal);
        kept.push({ bytes: file.length, sha256 });
      }
      return { outfit: { ...facts, files: kept } };
    });
  },
};

const addMillis = (a: Millis, b: Millis): Millis =>
  Object.fromEntries(
    [...Object.keys(a), ...Object.keys(b)].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]),
  );

/** Runs operations on one image, in order, and keeps their results. Throws like `runEngine`. */
export async function processImage(
  services: ImageServices,
  operations: readonly Operation[],
  task: ImageTask,
  owner: ResultOwner,
  signal: AbortSignal,
): Promise<OperationOutput> {
  let all: OperationOutput = { results: {}, millis: {} };
  for (const operation of operations) {
    const { results, millis } = await OPERATIONS[operation](services, task, owner, signal);
    all = { results: { ...all.results, ...results }, millis: addMillis(all.millis, millis) };
  }
  return all;
}
