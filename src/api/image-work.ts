import { randomUUID } from 'node:crypto';
import type { Call } from '../http/route.ts';
import type { Admission } from '../jobs/admission.ts';
import type { JobResult } from '../jobs/catalog.ts';
import { optionsOf, type Quality } from '../jobs/quality.ts';
import type { JobRunner } from '../jobs/results.ts';
import { unavailable } from '../problem.ts';
import type { Blobs } from '../store/blobs.ts';
import { type InboxLimits, measureImage } from '../store/inbox.ts';
import { syncKeys } from '../store/keys.ts';

/** What synchronous work on images is built of. */
export interface ImageWorkParts {
  blobs: Blobs;
  runner: JobRunner;
  admission: Admission;
  limits: InboxLimits;
  /** From the moment the image is here until the answer. */
  deadlineMillis: number;
}

/** What of a call the work needs. */
export type Caller = Pick<Call, 'caller' | 'signal' | 'requestId' | 'log'>;

/** One image on its way through store and queue. */
interface Passage {
  inputKey: string;
  outputKey: string;
  sha256: string;
  deadlineAtMillis: number;
  requestId: string;
}

const storeAnswers = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause) => {
    throw unavailable('The store does not answer; try again', 1, cause);
  });

/** The two deeds the queue does for a request that waits; neither leaves anything behind. */
export function createImageWork(parts: ImageWorkParts) {
  const { blobs, runner, admission, deadlineMillis, limits } = parts;

  /**
   * Checks and stores an image, does the work, and deletes what was stored.
   * @throws Problem also where the deadline passes or the client hangs up
   */
  async function pass<T>(
    image: Uint8Array,
    call: Caller,
    work: (passage: Passage, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { bytes, sha256 } = measureImage(image, limits);
    admission.check();
    const late = AbortSignal.timeout(deadlineMillis);
    const signal = AbortSignal.any([call.signal, late]);
    const keys = syncKeys(call.caller?.client ?? 'anonymous', randomUUID());
    const deadlineAtMillis = Date.now() + deadlineMillis;
    try {
      await storeAnswers(blobs.put(keys.inputKey, bytes, { durable: false }, signal));
      return await work({ ...keys, sha256, deadlineAtMillis, requestId: call.requestId }, signal);
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      if (late.aborted) throw unavailable('The image was not done in time; try again', 2, error);
      throw error;
    } finally {
      // Not waited for: the answer need not be later for it, and the sweeper mends a failure.
      for (const key of Object.values(keys)) {
        blobs
          .delete(key)
          .catch((error) => call.log.warn({ reason: error.message }, 'blob not deleted'));
      }
    }
  }

  return {
    /** The cut-out of an image, as PNG, and what the worker says of it. */
    cutOut: (image: Uint8Array, call: Caller, quality: Quality) =>
      pass(image, call, async (passage, signal) => {
        const result = await runner.run(
          'remove-background',
          { ...passage, ...optionsOf(quality) },
          signal,
        );
        return { png: await storeAnswers(blobs.get(passage.outputKey, signal)), result };
      }),

    /** What can be seen of the garment in an image. */
    view: (image: Uint8Array, call: Caller): Promise<JobResult<'classify-garment'>> =>
      pass(image, call, ({ outputKey: _, ...passage }, signal) =>
        runner.run('classify-garment', passage, signal),
      ),
  };
}

export type ImageWork = ReturnType<typeof createImageWork>;
