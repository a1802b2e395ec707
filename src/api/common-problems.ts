import type { LinkRule } from '../platform/links/link-rule.ts';
import { Problem, unavailable } from '../platform/problem.ts';
import { BlobMissing, type BlobStream, type Blobs, type ByteRange } from '../storage/blobs.ts';

type Resource = 'job' | 'batch' | 'feed' | 'run' | 'source' | 'key' | 'request';

/** For a resource that does not exist, or that belongs to another client. */
export const notFound = (resource: Resource): Problem =>
  new Problem('not-found', `There is no such ${resource}, or its record has expired`);

/** What is known of something after its data were deleted, until its record is. */
interface Tombstone {
  expiresAt?: string;
  buriedAt?: string | undefined;
  erasure?: { erasedAt: string } | undefined;
}

/** For what has expired or was erased: the answer to everything but a repeated DELETE. */
export function deleted(resource: Resource, tombstone: Tombstone): Problem {
  const { erasure, expiresAt, buriedAt: expiredAt = expiresAt } = tombstone;
  if (!erasure)
    return new Problem('gone', `This ${resource} has expired`, { members: { expiredAt } });
  const { erasedAt } = erasure;
  return new Problem('gone', `This ${resource} was erased`, { members: { erasedAt } });
}

/** For results that existed once. */
export const resultsGone = (resource: Resource): Problem =>
  new Problem('gone', `The results of this ${resource} have expired or were erased`);

/** For a file in the place of which there is a newer one since its record was read. */
export const replaced = (): Problem => unavailable('The file was replaced just now; try again');

/**
 * Opens a blob as a stream.
 * @param gone the problem to throw if the blob does not exist
 * @throws RangeError as `Blobs.open`; Problem as `gone` returns; upstream-unavailable if storage does not respond, or as
 *   `limitDownloads` throws
 */
export const openBlob = (
  blobs: Pick<Blobs, 'open'>,
  key: string,
  signal: AbortSignal,
  gone: () => Problem,
  range?: ByteRange,
): Promise<BlobStream> =>
  blobs.open(key, signal, range).catch((error) => {
    throw error instanceof BlobMissing ? gone() : error;
  });

/**
 * Rejects links that can never be fetched, before anything is stored.
 * @param links by the JSON Pointer of their field; those that the request does not have are undefined
 * @throws Problem invalid-request with an error for each
 */
export function checkLinks(
  rule: LinkRule,
  links: Readonly<Record<string, string | undefined>>,
): void {
  const errors = Object.entries(links).flatMap(([pointer, link]) => {
    const detail = link === undefined ? undefined : rule(link);
    return detail === undefined ? [] : [{ pointer, detail }];
  });
  const [first] = errors;
  if (!first) return;
  const detail = `The link at ${first.pointer} cannot be fetched: ${first.detail}`;
  throw new Problem('invalid-request', detail, { errors });
}
