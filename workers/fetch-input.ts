import {
  type ImageLimits,
  type MeasuredImage,
  validateImage,
} from '../src/intake/validate-image.ts';
import { Problem, type ProblemType } from '../src/platform/problem.ts';
import { LINK_MEDIA_TYPE } from '../src/storage/blob-keys.ts';
import type { Blobs } from '../src/storage/blobs.ts';
import { FetchError, type FetchErrorReason, type SafeFetch } from './fetch/safe-fetch.ts';

export interface FetchInputDeps {
  blobs: Blobs;
  safeFetch: SafeFetch;
  limits: ImageLimits;
  maxBytes: number;
}

/** What a refusal is to the client, where it is not just a bad request. */
const TYPES: Partial<Record<FetchErrorReason, ProblemType>> = { 'too-large': 'payload-too-large' };

/** How what is fetched is called in answers. */
export type What = 'image' | 'background image';

/** Which of a client's options says where it lies. */
const POINTERS: Readonly<Record<What, string>> = {
  image: '/imageUrl',
  'background image': '/backgroundImageUrl',
};

/** A refusal that trying again will not change, in words for whoever wrote the link. */
export const refusedLink = (
  { reason, message, retryable }: FetchError,
  what: What = 'image',
): Problem =>
  new Problem(
    retryable ? 'upstream-failed' : (TYPES[reason] ?? 'invalid-request'),
    `The ${what} was not fetched: ${message}`,
    { errors: [{ pointer: POINTERS[what], detail: message }] },
  );

async function download(
  deps: FetchInputDeps,
  link: string,
  what: What,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const fetched = await deps.safeFetch.fetch(link, { maxBytes: deps.maxBytes, signal });
    if (!fetched.notModified) return fetched.bytes;
  } catch (error) {
    if (error instanceof FetchError && !error.retryable) throw refusedLink(error, what);
    throw error;
  }
  throw new Problem('upstream-failed', `The server answered without the ${what}`);
}

/**
 * The image a job was given, measured. An address is fetched once: the image takes its place in the
 * store, where a later attempt finds it.
 * @throws Problem where there is no image to be had; FetchRefused where later may help
 */
export async function fetchInput(
  deps: FetchInputDeps,
  { inputKey }: { inputKey: string },
  signal: AbortSignal,
  what: What = 'image',
): Promise<MeasuredImage> {
  const { blobs, limits } = deps;
  const stored = await blobs.get(inputKey, signal);
  const head = await blobs.head(inputKey, signal);
  if (head?.mediaType !== LINK_MEDIA_TYPE) return validateImage(stored, limits, what);
  const image = validateImage(
    await download(deps, new TextDecoder().decode(stored), what, signal),
    limits,
    what,
  );
  const facts = { mediaType: `image/${image.format}`, meta: head.meta };
  await blobs.put(inputKey, image.bytes, facts, signal);
  return image;
}

/** What goes behind the subject of a job, as `fetchInput`; nothing where it has no such blob. */
export const fetchBackground = async (
  deps: FetchInputDeps,
  inputKey: string | undefined,
  signal: AbortSignal,
): Promise<MeasuredImage | undefined> =>
  inputKey === undefined ? undefined : fetchInput(deps, { inputKey }, signal, 'background image');
