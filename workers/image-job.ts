import { type Crashes, isPoison } from '../src/jobs/crashes.ts';
import { Problem } from '../src/problem.ts';
import type { Blobs } from '../src/store/blobs.ts';
import { type Engine, EngineCrash, Undecodable } from './engine/pool.ts';

/** What processors of images are built of. */
export interface ImageParts {
  blobs: Blobs;
  engine: Engine;
  crashes: Crashes;
}

const poison = () =>
  new Problem(
    'upstream-failed',
    'The model failed on this image, twice; it is not tried again today',
  );

/** What a fault of the engine means to the client; a crash may be tried again, the rest may not. */
async function explain(error: unknown, sha256: string, crashes: Crashes): Promise<unknown> {
  if (error instanceof Undecodable) {
    return new Problem(
      'invalid-request',
      'The image cannot be decoded: it is damaged or cut short',
    );
  }
  if (error instanceof EngineCrash && (await crashes.count(sha256))) return poison();
  return error;
}

/**
 * Fetches one image and has the engine work on it.
 * @param work one of the engine's deeds
 * @throws Problem where the image cannot be worked with; EngineCrash where trying again may help
 */
export async function workOnImage<T extends { timings: { totalMillis: number } }>(
  { blobs, crashes }: ImageParts,
  { inputKey, sha256 }: { inputKey: string; sha256: string },
  work: (image: Uint8Array, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<{ done: T; millis: Record<string, number> }> {
  const earlierCrashes = await crashes.seen(sha256);
  if (isPoison(earlierCrashes)) throw poison();
  const startedAt = performance.now();
  const image = await blobs.get(inputKey, signal);
  const fetchedAt = performance.now();
  const done = await work(image, signal).catch(async (error) => {
    throw await explain(error, sha256, crashes);
  });
  if (earlierCrashes > 0) await crashes.forget(sha256);
  return { done, millis: { fetch: fetchedAt - startedAt, ...stepsOf(done.timings) } };
}

/** `decodeMillis` -> `decode`; the engine's total is called `engine`. */
const stepsOf = (timings: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(timings).map(([name, millis]) => [
      name === 'totalMillis' ? 'engine' : name.replace(/Millis$/, ''),
      millis,
    ]),
  );
