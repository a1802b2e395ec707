import { Problem } from '../src/platform/problem.ts';
import { isQuarantined, type Quarantine } from '../src/queue/quarantine.ts';
import type { Blobs } from '../src/storage/blobs.ts';
import { type Engine, EngineCrash, type Turn, Undecodable } from './inference/pool.ts';

/** What processors of images are built of. */
export interface ImageDeps {
  blobs: Blobs;
  engine: Engine;
  crashes: Quarantine;
}

const poison = () =>
  new Problem(
    'upstream-failed',
    'The model failed on this image, twice; it is not tried again today',
  );

/** What a fault of the engine means to the client; a crash may be tried again, the rest may not. */
async function explain(error: unknown, sha256: string, crashes: Quarantine): Promise<unknown> {
  if (error instanceof Undecodable) {
    return new Problem(
      'invalid-request',
      'The image cannot be decoded: it is damaged or cut short',
    );
  }
  if (error instanceof EngineCrash && (await crashes.count(sha256))) return poison();
  return error;
}

/** One image, and what its crashes are remembered under. */
export interface Input {
  image: Uint8Array;
  /** See `crashName`. */
  sha256: string;
}

/** What crashes on an image are remembered under: with a background it may be that which is to blame. */
export const crashKey = (sha256: string, background: { sha256: string } | undefined): string =>
  background ? `${sha256}-${background.sha256}` : sha256;

/** What the engine does with an image, and where its time went. */
type Work<T> = (image: Uint8Array, turn: Turn) => Promise<T>;
type Timed = { timings: { totalMillis: number } };
interface Worked<T> {
  done: T;
  millis: Record<string, number>;
}

/**
 * Has the engine work on an image.
 * @param work one of the engine's deeds
 * @param priority `now` where someone waits for the answer
 * @throws Problem where the image cannot be worked with; EngineCrash where trying again may help
 */
export async function workOnImage<T extends Timed>(
  { crashes }: Pick<ImageDeps, 'crashes'>,
  { image, sha256 }: Input,
  work: Work<T>,
  signal: AbortSignal,
  priority: Turn['priority'] = 'later',
): Promise<Worked<T>> {
  const earlierCrashes = await crashes.seen(sha256);
  if (isQuarantined(earlierCrashes)) throw poison();
  const done = await work(image, { signal, priority }).catch(async (error) => {
    throw await explain(error, sha256, crashes);
  });
  if (earlierCrashes > 0) await crashes.forget(sha256);
  return { done, millis: stepsOf(done.timings) };
}

/** Fetches the image of a request that waits, and has the engine work on it. Throws as `workOnImage`. */
export async function workOnRequest<T extends Timed>(
  deps: ImageDeps,
  { inputKey, sha256 }: { inputKey: string; sha256: string },
  work: Work<T>,
  signal: AbortSignal,
): Promise<Worked<T>> {
  const startedAt = performance.now();
  const image = await deps.blobs.get(inputKey, signal);
  const fetch = performance.now() - startedAt;
  const { done, millis } = await workOnImage(deps, { image, sha256 }, work, signal, 'now');
  return { done, millis: { fetch, ...millis } };
}

/** `decodeMillis` -> `decode`; the engine's total is called `engine`. */
const stepsOf = (timings: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(timings).map(([name, millis]) => [
      name === 'totalMillis' ? 'engine' : name.replace(/Millis$/, ''),
      millis,
    ]),
  );
