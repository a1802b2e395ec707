import {
  type ImageLimits,
  type ValidatedImage,
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

/** Problem types of permanent fetch errors other than `invalid-request`. */
const PROBLEM_TYPES: Partial<Record<FetchErrorReason, ProblemType>> = {
  'too-large': 'payload-too-large',
};

/** The role of an image, as it appears in error details. */
export type ImageRole = 'image' | 'background image';

/** The request option with the link. */
const POINTERS: Readonly<Record<ImageRole, string>> = {
  image: '/imageUrl',
  'background image': '/backgroundImageUrl',
};

/** Converts a fetch error to a problem for the person who wrote the link. */
export const linkProblem = (
  { reason, message, retryable }: FetchError,
  role: ImageRole = 'image',
): Problem =>
  new Problem(
    retryable ? 'upstream-failed' : (PROBLEM_TYPES[reason] ?? 'invalid-request'),
    `The ${role} was not fetched: ${message}`,
    { errors: [{ pointer: POINTERS[role], detail: message }] },
  );

async function download(
  deps: FetchInputDeps,
  link: string,
  role: ImageRole,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const fetched = await deps.safeFetch.fetch(link, { maxBytes: deps.maxBytes, signal });
    if (!fetched.notModified) return fetched.bytes;
  } catch (error) {
    if (error instanceof FetchError && !error.retryable) throw linkProblem(error, role);
    throw error;
  }
  throw new Problem('upstream-failed', `The server answered without the ${role}`);
}

/**
 * Reads and validates the input image of a job. If the blob is a link, the image is downloaded once and
 * replaces the link in storage, where a later attempt finds it.
 * @throws Problem if the image cannot be had; FetchError if another attempt may help
 */
export async function fetchInput(
  deps: FetchInputDeps,
  { inputKey }: { inputKey: string },
  signal: AbortSignal,
  role: ImageRole = 'image',
): Promise<ValidatedImage> {
  const { blobs, limits } = deps;
  const stored = await blobs.get(inputKey, signal);
  const head = await blobs.head(inputKey, signal);
  if (head?.mediaType !== LINK_MEDIA_TYPE) return validateImage(stored, limits, role);
  const link = new TextDecoder().decode(stored);
  const image = validateImage(await download(deps, link, role, signal), limits, role);
  const metadata = { mediaType: `image/${image.format}`, meta: head.meta };
  await blobs.put(inputKey, image.bytes, metadata, signal);
  return image;
}

/** Like `fetchInput` for the background image of a job; undefined if it has none. */
export const fetchBackground = async (
  deps: FetchInputDeps,
  inputKey: string | undefined,
  signal: AbortSignal,
): Promise<ValidatedImage | undefined> =>
  inputKey === undefined ? undefined : fetchInput(deps, { inputKey }, signal, 'background image');
