import { createHash, randomUUID } from 'node:crypto';
import type { Call } from '../../http/route.ts';
import { type ImageLimits, validateImage } from '../../intake/validate-image.ts';
import { type CutOutOptions, unlessDefault } from '../../output/quality.ts';
import { unavailable } from '../../platform/problem.ts';
import type { Admission } from '../../queue/admission.ts';
import type { JobResult } from '../../queue/catalog.ts';
import type { JobWaiter } from '../../queue/job-waiter.ts';
import { LINK_MEDIA_TYPE, syncKeys } from '../../storage/blob-keys.ts';
import type { Blobs } from '../../storage/blobs.ts';

/** What synchronous work on images is built of. */
export interface ImageRequestDeps {
  blobs: Blobs;
  runner: JobWaiter;
  admission: Admission;
  limits: ImageLimits;
  /** From the moment the image is here until the answer. */
  deadlineMillis: number;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
}

/** What of a call the work needs. */
export type Caller = Pick<Call, 'caller' | 'signal' | 'requestId' | 'log'>;

/** An image, or where a worker fetches it. */
export type Source = { image: Uint8Array } | { imageUrl: string };

/** An image to cut out, how it is to look then, and what goes behind where that is an image. */
export interface CutOutRequest {
  source: Source;
  options: CutOutOptions;
  background?: Source | undefined;
}

/** Where the background of a wish comes from, if it has one that is a picture. */
export function backgroundOf(
  { backgroundImageUrl: imageUrl }: CutOutOptions,
  image: Uint8Array | undefined,
): Source | undefined {
  if (image) return { image };
  return imageUrl === undefined ? undefined : { imageUrl };
}

/** A source as it is stored. */
interface Content {
  bytes: Uint8Array;
  mediaType: string;
  /** Of the bytes, hex. */
  sha256: string;
}

/**
 * What is stored of a source.
 * @param what it is called in answers
 * @throws Problem where it is no image that is taken
 */
export function contentOf(
  source: Source,
  limits: ImageLimits,
  what = 'image',
): Content & { input?: { sha256: string; bytes: number; width: number; height: number } } {
  if ('imageUrl' in source) {
    const bytes = Buffer.from(source.imageUrl);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { bytes, mediaType: LINK_MEDIA_TYPE, sha256 };
  }
  const { bytes, format, width, height, sha256 } = validateImage(source.image, limits, what);
  const input = { sha256, bytes: bytes.length, width, height };
  return { bytes, mediaType: `image/${format}`, sha256, input };
}

/** One image on its way through store and queue. */
interface Passage {
  inputKey: string;
  outputKey: string;
  sha256: string;
  deadlineAtMillis: number;
  requestId: string;
}

/** The same with what goes behind. */
interface CutOutPassage extends Passage {
  backgroundKey?: string;
}

const storeAnswers = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause) => {
    throw unavailable('The store does not answer; try again', 1, cause);
  });

/** The two deeds the queue does for a request that waits; neither leaves anything behind. */
export function createImageRequests(deps: ImageRequestDeps) {
  const { blobs, runner, admission, deadlineMillis, limits, now = Date.now } = deps;

  /**
   * Checks and stores what is needed, does the work, and deletes what was stored.
   * @throws Problem also where the deadline passes or the client hangs up
   */
  async function pass<T>(
    source: Source,
    background: Source | undefined,
    call: Caller,
    work: (passage: CutOutPassage, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const image = contentOf(source, limits);
    const behind = background && contentOf(background, limits, 'background image');
    const late = AbortSignal.timeout(deadlineMillis);
    const signal = AbortSignal.any([call.signal, late]);
    const { backgroundKey, ...keys } = syncKeys(call.caller?.client ?? 'anonymous', randomUUID());
    const used = { ...keys, ...(behind && { backgroundKey }) };
    const deadlineAtMillis = now() + deadlineMillis;
    const put = (key: string, { bytes, mediaType }: Content) =>
      storeAnswers(blobs.put(key, bytes, { mediaType, durable: false }, signal));
    const leave = admission.enter();
    try {
      await Promise.all([put(keys.inputKey, image), behind && put(backgroundKey, behind)]);
      const { sha256 } = image;
      return await work({ ...used, sha256, deadlineAtMillis, requestId: call.requestId }, signal);
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      if (late.aborted) throw unavailable('The image was not done in time; try again', 2, error);
      throw error;
    } finally {
      leave();
      // Not waited for: the answer need not be later for it, and the sweeper mends a failure.
      for (const key of Object.values(used)) {
        blobs
          .delete(key)
          .catch((error) => call.log.warn({ reason: error.message }, 'blob not deleted'));
      }
    }
  }

  return {
    /** Refuses while the workers are busy, before the image is read. @throws Problem upstream-unavailable */
    turnAway: admission.turnAway,

    /** The cut-out of an image as a file in the format asked for, and what the worker says of it. */
    cutOut: ({ source, options, background }: CutOutRequest, call: Caller) =>
      pass(source, background, call, async (passage, signal) => {
        const data = { ...passage, ...unlessDefault(options) };
        const result = await runner.run('remove-background', data, signal);
        return { file: await storeAnswers(blobs.get(passage.outputKey, signal)), result };
      }),

    /** What can be seen of the garment in an image. */
    view: (image: Uint8Array, call: Caller): Promise<JobResult<'classify-garment'>> =>
      pass({ image }, undefined, call, ({ outputKey: _, ...passage }, signal) =>
        runner.run('classify-garment', passage, signal),
      ),
  };
}

export type ImageRequests = ReturnType<typeof createImageRequests>;
