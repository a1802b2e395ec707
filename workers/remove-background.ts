import { sniffFormat } from '../src/imaging/sniff.ts';
import type { Processor } from './attempt.ts';
import { FetchError } from './fetch/safe-fetch.ts';
import {
  type FetchInputDeps,
  fetchBackground,
  fetchInput,
  refusedLink,
  type What,
} from './fetch-input.ts';
import { crashKey, type ImageDeps, workOnImage } from './image-job.ts';
import type { Engine } from './inference/pool.ts';

/** What removals that somebody waits for are done with. */
export interface RemovalDeps extends ImageDeps, FetchInputDeps {}

/** The image of a request. Only of what is none is the store asked whether it is an address. */
async function imageOf(deps: RemovalDeps, inputKey: string, signal: AbortSignal) {
  const stored = await deps.blobs.get(inputKey, signal);
  return sniffFormat(stored) ? stored : (await fetchInput(deps, { inputKey }, signal)).bytes;
}

/** Who waits is told at once that something was not fetched: to try again is up to them. */
const atOnce = <T>(what: What, fetched: Promise<T>): Promise<T> =>
  fetched.catch((error) => {
    throw error instanceof FetchError ? refusedLink(error, what) : error;
  });

/** Cuts out one image: store -> engine -> store. Throws as `workOnImage` and `fetchInput`. */
export const removeBackground =
  (deps: RemovalDeps): Processor<'remove-background'> =>
  async (data, signal) => {
    const { blobs, engine } = deps;
    const { inputKey, backgroundKey, options, outputKey } = data;
    const startedAt = performance.now();
    const [image, background] = await Promise.all([
      atOnce('image', imageOf(deps, inputKey, signal)),
      atOnce('background image', fetchBackground(deps, backgroundKey, signal)),
    ]);
    const fetch = performance.now() - startedAt;
    const order = { options, background: background?.bytes };
    const cut: Engine['removeBackground'] = (bytes, turn) =>
      engine.removeBackground(bytes, turn, order);
    const input = { image, sha256: crashKey(data.sha256, background) };
    const { done, millis } = await workOnImage(deps, input, cut, signal, 'now');
    const { file, timings: _, ...words } = done;
    const cutAt = performance.now();
    await blobs.put(outputKey, file, { mediaType: done.mediaType, durable: false }, signal);
    const model = `${engine.model.id}@${engine.model.version}`;
    const store = performance.now() - cutAt;
    return { ...words, bytes: file.length, model, millis: { fetch, ...millis, store } };
  };
