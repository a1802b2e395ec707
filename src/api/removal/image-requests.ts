import { createHash, randomUUID } from 'node:crypto';
import type { Gateway } from '../../gateway.ts';
import type { ImageForm } from '../../http/image-body.ts';
import type { Call } from '../../http/route.ts';
import { type ImageLimits, validateImage } from '../../intake/validate-image.ts';
import type { Quality } from '../../output/option-table.ts';
import type { CutOutOptions } from '../../output/options.ts';
import { unlessDefault } from '../../output/request.ts';
import type { Stroke } from '../../output/strokes.ts';
import { fieldProblem, Problem, type ProblemType, unavailable } from '../../platform/problem.ts';
import type { JobData, JobResult, JobsOf } from '../../queue/catalog.ts';
import { isHeavy, pricedMegapixels, turnsOf, unitsOf } from '../../queue/turns.ts';
import { LINK_MEDIA_TYPE, syncKeys } from '../../storage/blob-keys.ts';
import { drawnCutOut } from '../test-keys/drawn-cut-out.ts';

/** An image and the JSON Pointer to its field, or the URL from which a worker fetches it. */
export type Source = { image: Uint8Array; pointer?: string } | { imageUrl: string };

/** Returns the source of the background, if it is an image: the uploaded one, else the URL in the options. */
export function backgroundSource(
  { backgroundImageUrl: imageUrl }: CutOutOptions,
  image: Uint8Array | undefined,
  pointer?: string,
): Source | undefined {
  if (image) return { image, ...(pointer && { pointer }) };
  return imageUrl === undefined ? undefined : { imageUrl };
}

/** @throws Problem invalid-request if a form has no image */
export function requireImage({ image, pointers }: ImageForm): Uint8Array {
  if (image) return image;
  const detail = `There is no image; send it as "${pointers.image.slice(1)}"`;
  throw fieldProblem('invalid-request', pointers.image, 'is missing', detail);
}

/** A source as stored: the image, or its URL. */
interface Content {
  bytes: Uint8Array;
  mediaType: string;
  /** Of the bytes, hex. */
  sha256: string;
}

/** Types of problems that an image can be to blame for. */
const IMAGE_PROBLEMS: readonly ProblemType[] = [
  'invalid-request',
  'payload-too-large',
  'unprocessable-image',
  'unsupported-media-type',
];

/** How workers, which do not know the form of the request, point to the image behind the subject. */
const BACKGROUND_POINTER = '/backgroundImage';

/** Returns an error that names the field of the image that is to blame, unless it names another. */
function blameImage(error: unknown, source: Source, background?: Source): unknown {
  if (!(error instanceof Problem)) return error;
  const { type, detail, errors } = error;
  const isBackground = errors?.[0]?.pointer === BACKGROUND_POINTER;
  const blamed = isBackground ? background : source;
  const pointer = blamed && 'pointer' in blamed ? blamed.pointer : undefined;
  if (!pointer || (errors && !isBackground) || !IMAGE_PROBLEMS.includes(type)) return error;
  return new Problem(type, detail, { errors: [{ pointer, detail }], cause: error });
}

/**
 * Validates a source and returns the content to store.
 * @param what names the image in error details
 * @throws Problem if the image is not supported or exceeds the limits
 */
export function validateSource(
  source: Source,
  limits: ImageLimits,
  what = 'image',
): Content & { input?: { sha256: string; bytes: number; width: number; height: number } } {
  if ('imageUrl' in source) {
    const bytes = Buffer.from(source.imageUrl);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { bytes, mediaType: LINK_MEDIA_TYPE, sha256 };
  }
  try {
    const { bytes, format, width, height, sha256 } = validateImage(source.image, limits, what);
    const input = { sha256, bytes: bytes.length, width, height };
    return { bytes, mediaType: `image/${format}`, sha256, input };
  } catch (error) {
    throw blameImage(error, source);
  }
}

export interface CutOutRequest {
  source: Source;
  options: CutOutOptions;
  background?: Source | undefined;
}

/** A cut-out to mend: its image, its alpha as a PNG, and the strokes over it. */
export interface RefinementRequest {
  /** With its sha256, hex, if it is to be fetched again. */
  photo: { image: Uint8Array } | { imageUrl: string; sha256: string };
  alpha: Uint8Array;
  strokes: Stroke[];
  options: CutOutOptions;
  /** Also makes a picture for marketplaces, on `#rrggbb` or transparent. */
  picture?: { background?: string | undefined } | undefined;
}

/** What the images beside the first are called in error details, by the member of the job with their key. */
const OTHER_IMAGES = { backgroundKey: 'background image', alphaKey: 'alpha image' } as const;

type ImageJob = JobsOf<'sync'>;

interface Work<N extends ImageJob> {
  source: Source;
  /** The image beside it. */
  other?: { name: keyof typeof OTHER_IMAGES; source: Source } | undefined;
  strokes?: readonly Stroke[];
  /** What the job has besides its images and its client. */
  data?: object;
  /** Returns the lengths of the files that it makes, which lie one after the other. */
  lengths?(result: JobResult<N>): readonly number[];
  /** Which of its blobs has them. */
  filesIn?: 'inputKey' | 'outputKey';
  /** How often the files are in memory. */
  copies?: number;
}

/**
 * Returns what to call when a job is canceled. If its client has disconnected, a job that had started is charged: it
 * costs the same work as one whose image is sent. Heavy work that had started is charged after the deadline too. Quota
 * of another is refunded.
 */
const settleQuota =
  (call: Call, work: number) =>
  (hadStarted: Promise<boolean>): void => {
    // Not heavy, so the others are the cause: the request fails, which refunds its quota.
    if (!call.signal.aborted && !isHeavy(work)) return;
    const quota = call.takeQuota(); // at once, or the server refunds it
    hadStarted
      .then((isCharged) => (isCharged ? undefined : quota?.refund()))
      .catch((error) => call.log.error({ err: error }, 'quota not refunded'));
  };

const ownLength = ({ bytes }: { bytes: number }) => [bytes];

/** @throws Problem upstream-failed if the lengths do not add up */
function splitFiles(all: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  let end = 0;
  const files = lengths.map((length) => {
    end += length;
    return all.subarray(end - length, end);
  });
  if (end === all.length) return files;
  throw new Problem('upstream-failed', 'The cut-outs were damaged; try again');
}

/** The jobs a synchronous request can wait for. None leaves anything in storage. */
export class ImageRequests {
  readonly #services;

  constructor(services: Gateway) {
    this.#services = services;
  }

  /** Deletes blobs, even if they are still being stored. */
  async #deleteAfter(
    ready: Promise<unknown>,
    keys: readonly string[],
    { log }: Pick<Call, 'log'>,
  ): Promise<void> {
    await ready.catch(() => {});
    for (const key of keys) {
      await this.#services.blobs
        .delete(key)
        .catch((error) => log.warn({ reason: error.message }, 'blob not deleted'));
    }
  }

  /**
   * Validates and stores the images, runs the job, reads its files when there is memory for them, and deletes all blobs
   * again.
   * @throws Problem also if the deadline passes or the client disconnects
   */
  async #run<N extends ImageJob>(
    name: N,
    {
      source,
      other,
      strokes = [],
      data: more,
      lengths,
      filesIn = 'outputKey',
      copies = 1,
    }: Work<N>,
    call: Call,
  ): Promise<{ result: JobResult<N>; files: Uint8Array[] }> {
    const { blobs, limits, deadlineMillis, now, admission, jobWaiter } = this.#services;
    const image = validateSource(source, limits);
    const otherContent = other && validateSource(other.source, limits, OTHER_IMAGES[other.name]);
    const leftMillis = Math.max(0, Math.floor(deadlineMillis - (call.waitedMillis ?? 0)));
    const deadline = AbortSignal.timeout(leftMillis);
    const signal = AbortSignal.any([call.signal, deadline]);
    const owner = call.caller;
    const { inputKey, outputKey, ...otherKeys } = syncKeys(owner.client, randomUUID());
    const keys = {
      inputKey,
      ...(lengths && filesIn === 'outputKey' && { outputKey }),
      ...(other && { [other.name]: otherKeys[other.name] }),
    };
    const deadlineAtMillis = now() + leftMillis;
    const put = (key: string, { bytes, mediaType }: Content) =>
      blobs.put(key, bytes, { mediaType, durable: false }, signal);
    const hasLink = [source, other?.source].some((each) => each && 'imageUrl' in each);
    // The alpha under strokes has the size of the image, which may be fetched.
    const isStroked = strokes.length > 0;
    const size = image.input ?? (isStroked ? otherContent?.input : undefined);
    const megapixels = size && pricedMegapixels(size, strokes);
    const work = megapixels === undefined ? 1 : turnsOf(megapixels);
    if (isHeavy(work)) await call.resizeQuota(unitsOf(work));
    const leave = admission.admit(owner, hasLink && !isStroked ? undefined : megapixels);
    const ready = Promise.all([
      put(inputKey, image),
      other && otherContent && put(otherKeys[other.name], otherContent),
    ]);
    try {
      const { client, weight } = owner;
      const { sha256 } = image;
      const common = { client, weight, work, sha256, deadlineAtMillis, requestId: call.requestId };
      const data = { ...keys, ...common, ...more } as JobData<N>;
      const wait = { ready, signal, onCancel: settleQuota(call, work) };
      const result = await jobWaiter.run(name, data, wait);
      if (!lengths) return { result, files: [] };
      const all = lengths(result);
      await call.awaitMemory(copies * all.reduce((sum, length) => sum + length, 0), signal);
      const key = filesIn === 'outputKey' ? outputKey : inputKey;
      const bytes = await blobs.get(key, signal);
      return { result, files: all.length === 1 ? [bytes] : splitFiles(bytes, all) };
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      if (deadline.aborted) {
        const detail = isHeavy(work)
          ? 'This is more work than could be done in time, and is charged; send fewer strokes at once'
          : 'The image was not finished in time; try again';
        throw unavailable(detail, 2, error);
      }
      throw blameImage(error, source, other?.source);
    } finally {
      leave();
      // Not awaited: the response does not depend on it, and the sweeper deletes what is left.
      void this.#deleteAfter(ready, Object.values<string>(keys), call);
    }
  }

  /** For test keys: checks the image, and draws another in place of its cut-out. */
  async #drawInstead(source: Source, options: CutOutOptions) {
    validateSource(source, this.#services.limits);
    return drawnCutOut(options);
  }

  /** Rejects a request while the workers are busy, before its image is read. @throws Problem upstream-unavailable */
  readonly shedIfBusy = (call: Pick<Call, 'caller'>) =>
    this.#services.admission.shedIfBusy(call.caller);

  async cutOut({ source, options, background }: CutOutRequest, call: Call) {
    if (call.caller.test) return this.#drawInstead(source, options);
    const other = background && ({ name: 'backgroundKey', source: background } as const);
    const work = { source, other, data: unlessDefault(options), lengths: ownLength };
    const { result, files } = await this.#run('remove-background', work, call);
    return { file: files[0]!, result };
  }

  /** Mends the alpha of a cut-out by strokes. Returns like `cutOut`, and the picture if one was needed. */
  async refineCutOut({ photo, alpha, strokes, options, picture }: RefinementRequest, call: Call) {
    const isSent = 'image' in photo;
    const source = isSent ? { ...photo, pointer: '/image' } : { imageUrl: photo.imageUrl };
    if (call.caller.test) return this.#drawInstead(source, options);
    const { result, files } = await this.#run(
      'refine-cut-out',
      {
        source,
        other: { name: 'alphaKey', source: { image: alpha, pointer: '/alpha' } },
        strokes,
        data: {
          strokes,
          ...unlessDefault(options),
          ...(picture && { picture }),
          ...(!isSent && { photoSha256: photo.sha256 }),
        },
        lengths: (made) => [made.bytes, ...(made.picture ? [made.picture.bytes] : [])],
      },
      call,
    );
    const [file, pictureFile] = files;
    const made = pictureFile && result.picture && { ...result.picture, file: pictureFile };
    return { file: file!, result, ...(made && { picture: made }) };
  }

  /** Fetches an image. Returns the file, and the worker's result. */
  async fetchImage(imageUrl: string, call: Call) {
    const work = { source: { imageUrl }, lengths: ownLength, filesIn: 'inputKey' } as const;
    const { result, files } = await this.#run('fetch-image', work, call);
    return { file: files[0]!, result };
  }

  async classifyGarment(source: Source, call: Call): Promise<JobResult<'classify-garment'>> {
    return (await this.#run('classify-garment', { source }, call)).result;
  }

  /** Separates the garments in an image. Returns the cut-out of each, if they are requested. */
  separateGarments(
    source: Source,
    { cutouts, quality }: { cutouts: boolean; quality: Quality },
    call: Call,
  ) {
    return this.#run(
      'separate-garments',
      {
        source,
        data: { quality },
        // The files, and the archive with copies of them.
        ...(cutouts && { lengths: ({ fileBytes }) => fileBytes, copies: 2 }),
      },
      call,
    );
  }
}
