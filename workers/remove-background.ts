import { sniffFormat } from '../src/imaging/sniff.ts';
import type { ValidatedImage } from '../src/intake/validate-image.ts';
import type { JobData, JobResult } from '../src/queue/catalog.ts';
import type { Processor } from './attempt.ts';
import { FetchError } from './fetch/safe-fetch.ts';
import {
  type FetchServices,
  type FetchTurn,
  fetchInput,
  type Input,
  linkProblem,
  openBackground,
  openInput,
  withFetchPermit,
} from './fetch-input.ts';
import { crashKeyOf, type ImageServices, processImage } from './image-job.ts';
import type { Engine } from './inference/pool.ts';
import type { WorkerServices } from './worker-services.ts';

/** Makes every fetch error final: a waiting client retries on its own. */
export const fetchNow = (
  inputs: FetchServices,
  input: Input,
  turn: FetchTurn,
  signal: AbortSignal,
): Promise<ValidatedImage> =>
  fetchInput(inputs, input, turn, signal).catch((error) => {
    throw error instanceof FetchError ? linkProblem(error, input.role) : error;
  });

/** Cuts out one image for a waiting client. Throws like `processImage` and `fetchInput`. */
export const removeBackground =
  (
    worker: ImageServices & FetchServices & Pick<WorkerServices, 'pools'>,
  ): Processor<'remove-background'> =>
  async (data, signal, attempt) => {
    const { blobs, quarantine } = worker;
    const { inputKey, backgroundKey, client } = data;
    const startedAt = performance.now();
    // With a background they are counted under another key, which is known later.
    const crashes = backgroundKey ? undefined : quarantine.crashes(data.sha256);
    crashes?.catch(() => {}); // it is awaited when there is an image
    const stored = await blobs.get(inputKey, signal);
    // Only if the blob is not an image, storage is asked whether it is a link.
    const input = sniffFormat(stored) ? undefined : await openInput(blobs, inputKey, signal);
    const background = await openBackground(blobs, backgroundKey, signal);
    const turn = { client, attempt };
    const link = input?.link ?? background?.link;
    return withFetchPermit(worker.pools.sync, turn, link, signal, async () => {
      const [image, backgroundImage] = await Promise.all([
        input ? fetchNow(worker, input, turn, signal) : { bytes: stored },
        background && fetchNow(worker, background, turn, signal),
      ]);
      const fetch = performance.now() - startedAt;
      const inMemory = { image: image.bytes, background: backgroundImage, crashes };
      const result = await cutOut(worker, data, inMemory, signal);
      return { ...result, millis: { fetch, ...result.millis } };
    });
  };

interface RemovalInput {
  image: Uint8Array;
  background: ValidatedImage | undefined;
  /** See `ImageInput`. */
  crashes: Promise<number> | undefined;
}

/** Makes the cut-out of an image and stores it. */
async function cutOut(
  { engine, blobs, quarantine }: ImageServices,
  { sha256, options, outputKey, client, weight }: JobData<'remove-background'>,
  { image, background, crashes }: RemovalInput,
  signal: AbortSignal,
): Promise<JobResult<'remove-background'>> {
  const settings = { options, background: background?.bytes };
  const operation: Engine['removeBackground'] = (bytes, permit) =>
    engine.removeBackground(bytes, permit, settings);
  const crashKey = crashKeyOf(sha256, background);
  const input = { image, crashKey, owner: { client, weight }, crashes };
  const { output, millis } = await processImage({ quarantine }, input, operation, signal, 'now');
  const { file, timings: _, ...rest } = output;
  const storingAt = performance.now();
  await blobs.put(outputKey, file, { mediaType: rest.mediaType, durable: false }, signal);
  const model = `${engine.model.id}@${engine.model.version}`;
  const store = performance.now() - storingAt;
  return { ...rest, bytes: file.length, model, millis: { ...millis, store } };
}
