import type { JobRecord } from '../src/jobs/records.ts';
import { Problem, type ProblemType } from '../src/problem.ts';
import type { Blobs } from '../src/store/blobs.ts';
import { type InboxLimits, measureImage } from '../src/store/inbox.ts';
import { LINK_MEDIA_TYPE } from '../src/store/keys.ts';
import { FetchRefused, type RefusalReason, type SafeFetch } from './safe-fetch.ts';

export interface FetchInputParts {
  blobs: Blobs;
  safeFetch: SafeFetch;
  limits: InboxLimits;
  maxBytes: number;
}

/** What a refusal is to the client, where it is not just a bad request. */
const TYPES: Partial<Record<RefusalReason, ProblemType>> = { 'too-large': 'payload-too-large' };

/** A refusal that trying again will not change, in words for whoever wrote the link. */
export const refusedLink = ({ reason, message, retryable }: FetchRefused): Problem =>
  new Problem(
    retryable ? 'upstream-failed' : (TYPES[reason] ?? 'invalid-request'),
    `The image was not fetched: ${message}`,
  );

async function download(parts: FetchInputParts, link: string, signal: AbortSignal) {
  try {
    const fetched = await parts.safeFetch.fetch(link, { maxBytes: parts.maxBytes, signal });
    if (!fetched.notModified) return fetched.bytes;
  } catch (error) {
    if (error instanceof FetchRefused && !error.retryable) throw refusedLink(error);
    throw error;
  }
  throw new Problem('upstream-failed', 'The server answered without the image');
}

/**
 * The image a job was given, measured. An address is fetched once: the image takes its place in the
 * store, where a later attempt finds it.
 * @throws Problem where there is no image to be had; FetchRefused where later may help
 */
export async function fetchInput(
  parts: FetchInputParts,
  { inputKey }: JobRecord,
  signal: AbortSignal,
) {
  const { blobs, limits } = parts;
  const stored = await blobs.get(inputKey, signal);
  const head = await blobs.head(inputKey, signal);
  if (head?.mediaType !== LINK_MEDIA_TYPE) return measureImage(stored, limits);
  const image = measureImage(
    await download(parts, new TextDecoder().decode(stored), signal),
    limits,
  );
  const facts = { mediaType: `image/${image.format}`, meta: head.meta };
  await blobs.put(inputKey, image.bytes, facts, signal);
  return image;
}
