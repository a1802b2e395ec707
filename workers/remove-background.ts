import { sniffFormat } from '../src/imaging/sniff.ts';
import type { Processor } from './attempt.ts';
import { FetchError } from './fetch/safe-fetch.ts';
import {
  type FetchInputDeps,
  fetchBackground,
  fetchInput,
  type ImageRole,
  linkProblem,
} from './fetch-input.ts';
import { crashKeyOf, type ImageDeps, processImage } from './image-job.ts';
import type { Engine } from './inference/pool.ts';

interface RemovalDeps {
  images: ImageDeps;
  inputs: FetchInputDeps;
}

/** Reads the image of a request. Only if the blob is not an image, storage is asked whether it is a link. */
async function readImage(inputs: FetchInputDeps, inputKey: string, signal: AbortSignal) {
  const stored = await inputs.blobs.get(inputKey, signal);
  return sniffFormat(stored) ? stored : (await fetchInput(inputs, { inputKey }, signal)).bytes;
}

/** Makes every fetch error final: a waiting client retries on its own. */
const failFast = <T>(role: ImageRole, fetched: Promise<T>): Promise<T> =>
  fetched.catch((error) => {
    throw error instanceof FetchError ? linkProblem(error, role) : error;
  });

/** Cuts out one image for a waiting client. Throws like `processImage` and `fetchInput`. */
export const removeBackground =
  ({ images, inputs }: RemovalDeps): Processor<'remove-background'> =>
  async (data, signal) => {
    const { blobs, engine } = images;
    const { inputKey, backgroundKey, options, outputKey, client, weight } = data;
    const startedAt = performance.now();
    const [image, background] = await Promise.all([
      failFast('image', readImage(inputs, inputKey, signal)),
      failFast('background image', fetchBackground(inputs, backgroundKey, signal)),
    ]);
    const fetch = performance.now() - startedAt;
    const settings = { options, background: background?.bytes };
    const operation: Engine['removeBackground'] = (bytes, permit) =>
      engine.removeBackground(bytes, permit, settings);
    const crashKey = crashKeyOf(data.sha256, background);
    const input = { image, crashKey, owner: { client, weight } };
    const { output, millis } = await processImage(images, input, operation, signal, 'now');
    const { file, timings: _, ...cutOut } = output;
    const storingAt = performance.now();
    await blobs.put(outputKey, file, { mediaType: cutOut.mediaType, durable: false }, signal);
    const model = `${engine.model.id}@${engine.model.version}`;
    const store = performance.now() - storingAt;
    return { ...cutOut, bytes: file.length, model, millis: { fetch, ...millis, store } };
  };
