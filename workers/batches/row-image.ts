import { Problem } from '../../src/platform/problem.ts';
import type { AcceptedRow, Operation, PreviousImage } from '../../src/queue/job-data.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';

export interface RowImageDeps {
  blobs: Blobs;
  safeFetch: SafeFetch;
  maxBytes: number;
}

/** What is asked of a row now. */
export interface Wish {
  operations: readonly Operation[];
  /** `id@version` */
  model: string;
  /** Behind the subject in the pictures of a feed, `#rrggbb`. */
  background: string | undefined;
}

/** An image as it was handed in, and what its server says of it. */
export interface RowImage {
  bytes: Uint8Array;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** What was worked out before, where it still answers what is asked and is still there. */
export async function usableEarlier(
  blobs: Blobs,
  { earlier }: AcceptedRow,
  { operations, model, background }: Wish,
  signal: AbortSignal,
): Promise<PreviousImage | undefined> {
  if (!earlier) return undefined;
  const { cutout, view } = earlier.results;
  if (operations.includes('classify') && !view) return undefined;
  if (!operations.includes('remove-background')) return earlier;
  if (cutout?.model !== model || earlier.picture?.background !== background) return undefined;
  const keys = [cutout.key, ...(earlier.picture ? [earlier.picture.key] : [])];
  const heads = await Promise.all(keys.map((key) => blobs.head(key, signal)));
  return heads.every((head) => head !== undefined) ? earlier : undefined;
}

/**
 * The image of a row.
 * @returns nothing where its server says that it is still the one of before
 * @throws FetchRefused; Problem where the server's answer makes no sense
 */
export async function rowImage(
  { blobs, safeFetch, maxBytes }: RowImageDeps,
  { source }: AcceptedRow,
  earlier: PreviousImage | undefined,
  signal: AbortSignal,
): Promise<RowImage | undefined> {
  if ('key' in source) return { bytes: await blobs.get(source.key, signal) };
  const fetched = await safeFetch.fetch(source.url, {
    ...{ maxBytes, signal },
    ...(earlier?.etag && { etag: earlier.etag }),
    ...(earlier?.lastModified && { lastModified: earlier.lastModified }),
  });
  const { etag, lastModified } = fetched.headers;
  if (!fetched.notModified) return { bytes: fetched.bytes, etag, lastModified };
  if (earlier) return undefined;
  throw new Problem('upstream-failed', 'The server answered without the image');
}
