import type { JobData, JobResult } from '../src/jobs/catalog.ts';
import { type Crashes, isPoison } from '../src/jobs/crashes.ts';
import { Problem } from '../src/problem.ts';
import type { Blobs } from '../src/store/blobs.ts';
import { type Engine, EngineCrash, Undecodable } from './engine/pool.ts';

export interface RemovalParts {
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
 * Cuts out one image: store -> engine -> store.
 * @throws Problem where the image cannot be worked with; EngineCrash where trying again may help
 */
export const removeBackground =
  ({ blobs, engine, crashes }: RemovalParts) =>
  async (
    { inputKey, outputKey, sha256 }: JobData<'remove-background'>,
    signal: AbortSignal,
  ): Promise<JobResult<'remove-background'>> => {
    const earlierCrashes = await crashes.seen(sha256);
    if (isPoison(earlierCrashes)) throw poison();
    const startedAt = performance.now();
    const image = await blobs.get(inputKey, signal);
    const fetchedAt = performance.now();
    const cutOut = await engine.removeBackground(image, signal).catch(async (error) => {
      throw await explain(error, sha256, crashes);
    });
    const cutAt = performance.now();
    if (earlierCrashes > 0) await crashes.forget(sha256);
    await blobs.put(outputKey, cutOut.png, { mediaType: 'image/png', durable: false }, signal);
    const { decodeMillis, inferenceMillis, matteMillis, encodeMillis, totalMillis } =
      cutOut.timings;
    return {
      width: cutOut.width,
      height: cutOut.height,
      bytes: cutOut.png.length,
      model: `${engine.model.id}@${engine.model.version}`,
      confidence: cutOut.confidence,
      millis: {
        fetch: fetchedAt - startedAt,
        decode: decodeMillis,
        inference: inferenceMillis,
        matte: matteMillis,
        encode: encodeMillis,
        engine: totalMillis,
        store: performance.now() - cutAt,
      },
    };
  };
