import { type ValidatedImage, validateImage, WrongImage } from '../../src/intake/validate-image.ts';
import { Problem, type ProblemType } from '../../src/platform/problem.ts';
import { LINK_MEDIA_TYPE } from '../../src/storage/blob-keys.ts';
import type { BlobHead, Blobs } from '../../src/storage/blobs.ts';
import { LocationUnavailable } from '../../src/storage/locations/location.ts';
import { type AttemptContext, isUnavailable } from '../consume-jobs.ts';
import { type FetchPool, PoolBusy } from '../fetch/fetch-pool.ts';
import { ACCEPT_IMAGES, FetchError, type FetchErrorReason } from '../fetch/safe-fetch.ts';
import type { WorkerServices } from '../worker-services.ts';

export type FetchServices = Pick<WorkerServices, 'blobs' | 'safeFetch' | 'limits' | 'maxBytes'>;

/** Who fetches, and in which attempt at the job. */
export interface FetchTurn {
  client: string;
  attempt: AttemptContext;
  /** A client waits and retries on its own: every error is final. */
  isAwaited?: boolean;
}

const hostOf = (link: string): string => (URL.canParse(link) ? new URL(link).hostname : '');

/**
 * Runs work that fetches a link: with a permit of the pool, and outside the consumer's slots.
 * @throws PoolBusy if the client's share of the pool is in use
 */
export async function withFetchPermit<T>(
  pool: FetchPool,
  { client, attempt }: FetchTurn,
  link: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return attempt.withoutSlot(async () => {
    const release = await pool.acquire({ client, host: hostOf(link) }, signal);
    try {
      return await work();
    } finally {
      release();
    }
  });
}

/** Problem types of permanent fetch errors other than `invalid-request`. */
const PROBLEM_TYPES: Partial<Record<FetchErrorReason, ProblemType>> = {
  'too-large': 'payload-too-large',
  'host-down': 'upstream-failed',
};

/** The time limit of the first attempt, and of each later one: with four attempts, two minutes in all. */
const FETCH_MILLIS = { first: 60_000, later: 20_000 } as const;

/** Returns how long an image may take to fetch, ms. */
export const fetchMillis = ({ number }: Pick<AttemptContext, 'number'>): number =>
  number === 1 ? FETCH_MILLIS.first : FETCH_MILLIS.later;

/** The role of an image, as it appears in error details. */
type ImageRole = 'image' | 'background image';

/** The request option with the link. */
const POINTERS: Readonly<Record<ImageRole, string>> = {
  image: '/imageUrl',
  'background image': '/backgroundImageUrl',
};

/** Converts a fetch error to a problem for the person who wrote the link. */
const linkProblem = (error: FetchError, role: ImageRole = 'image'): Problem => {
  const { reason, message, retryable } = error;
  return new Problem(
    retryable ? 'upstream-failed' : (PROBLEM_TYPES[reason] ?? 'invalid-request'),
    `The ${role} was not fetched: ${message}`,
    { errors: [{ pointer: POINTERS[role], detail: message }], cause: error },
  );
};

/** An input of a job, as it is stored. */
export interface Input {
  key: string;
  role: ImageRole;
  /** Where the image is, if it has to be fetched. */
  link?: string;
  /** Of the blob. */
  meta?: BlobHead['meta'];
}

/** Looks at the blob of an input: whether it is an image or a link to one. */
export async function openInput(
  blobs: Blobs,
  key: string,
  signal: AbortSignal,
  role: ImageRole = 'image',
): Promise<Input> {
  const head = await blobs.head(key, signal);
  if (head?.mediaType !== LINK_MEDIA_TYPE) return { key, role };
  const link = new TextDecoder().decode(await blobs.get(key, signal));
  return { key, role, link, meta: head.meta };
}

/** Like `openInput` for the background image of a job; undefined if it has none. */
export const openBackground = async (
  blobs: Blobs,
  key: string | undefined,
  signal: AbortSignal,
): Promise<Input | undefined> =>
  key === undefined ? undefined : openInput(blobs, key, signal, 'background image');

async function download(
  { safeFetch, maxBytes }: FetchServices,
  link: string,
  role: ImageRole,
  { client, attempt, isAwaited = false }: FetchTurn,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const limits = { maxBytes, totalMillis: fetchMillis(attempt), signal };
  try {
    const fetched = await safeFetch.fetch(link, { client, accept: ACCEPT_IMAGES, ...limits });
    if (!fetched.notModified) return fetched.bytes;
  } catch (error) {
    const isFinal = error instanceof FetchError && (isAwaited || !error.retryable);
    throw isFinal ? linkProblem(error, role) : error;
  }
  throw new Problem('upstream-failed', `The server answered without the ${role}`);
}

/**
 * Reads and validates an input image. If it is a link, the image is downloaded once and replaces the link in
 * storage, where a later attempt finds it.
 * @throws Problem if the image cannot be had; FetchError if another attempt may help
 */
export async function readInput(
  services: FetchServices,
  { key, role, link, meta = {} }: Input,
  turn: FetchTurn,
  signal: AbortSignal,
): Promise<ValidatedImage> {
  const { blobs, limits } = services;
  if (link === undefined) return validateImage(await blobs.get(key, signal), limits, role);
  const image = validateImage(await download(services, link, role, turn, signal), limits, role);
  await blobs.put(key, image.bytes, { mediaType: `image/${image.format}`, meta }, signal);
  return image;
}

/** Whether a failed fetch is not tried again. A slow server gets one more chance. */
export const isFinal = (
  { retryable, isSlow }: FetchError,
  { isLast, number }: Pick<AttemptContext, 'isLast' | 'number'>,
): boolean => isLast || !retryable || (isSlow && number > 1);

/** Returns the problem that ends work on an image for good; undefined if another attempt may help. */
export function finalProblem(
  error: unknown,
  attempt: Pick<AttemptContext, 'isLast' | 'number'>,
): Problem | undefined {
  if (isUnavailable(error) || error instanceof PoolBusy) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FetchError && isFinal(error, attempt)) return linkProblem(error);
  // Its source tries it again, after a pause that holds up no other object.
  if (error instanceof LocationUnavailable) {
    return new Problem('upstream-unavailable', error.message, { cause: error });
  }
  if (!attempt.isLast) return undefined;
  return new Problem('upstream-failed', 'The work failed several times; send the image again', {
    cause: error,
  });
}

/** Returns why work on an image ended, in one word: `http-503`, `timeout`, `quota-exceeded`. */
export const problemCode = (problem: Problem): string => {
  const { type, cause } = problem;
  if (problem instanceof WrongImage) return problem.code;
  if (!(cause instanceof FetchError)) return type;
  return cause.status === undefined ? cause.reason : `http-${cause.status}`;
};
