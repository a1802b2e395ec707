import { createHash } from 'node:crypto';
import type { Call, Reply } from '../../../http/route.ts';
import { sniffFormat } from '../../../imaging/image-header.ts';
import { batchKeys } from '../../../intake/batches/batch-files.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import type { ReviewRow } from '../../../intake/review/review-rows.ts';
import { Problem, type ProblemType } from '../../../platform/problem.ts';
import { type Blobs, ifPresent } from '../../../storage/blobs.ts';
import type { ImageRequests } from '../../removal/image-requests.ts';
import { SANDBOX_HEADERS } from '../../send-blob.ts';

/** What says that there is no such photo behind the link any more. */
const LINK_PROBLEMS: readonly ProblemType[] = [
  'invalid-request',
  'payload-too-large',
  'unprocessable-image',
  'unsupported-media-type',
];

const photoGone = (why: string, cause?: unknown): Problem =>
  new Problem('gone', `${why}; choose the file of the photo instead`, { cause });

const HEADERS = { 'cache-control': 'private, no-store', ...SANDBOX_HEADERS } as const;

export const toReply = (file: Uint8Array, mediaType: string): Reply => ({
  headers: { ...HEADERS, 'content-type': mediaType, 'content-length': String(file.length) },
  body: Buffer.from(file),
});

/** Returns the photo of a row that needs a review, if it was kept and is still the one. */
export async function readKeptPhoto(
  blobs: Pick<Blobs, 'head' | 'get'>,
  { client, id }: Pick<BatchRecord, 'client' | 'id'>,
  { row, needed, inputSha256 }: ReviewRow,
  { awaitMemory, signal }: Pick<Call, 'awaitMemory' | 'signal'>,
): Promise<Uint8Array | undefined> {
  if (!needed) return undefined;
  const key = batchKeys({ client, id }).photo(row);
  const head = await blobs.head(key, signal);
  if (!head) return undefined;
  await awaitMemory(head.bytes, signal);
  const bytes = await ifPresent(blobs.get(key, signal));
  const isSame = bytes && createHash('sha256').update(bytes).digest('hex') === inputSha256;
  return isSame ? bytes : undefined;
}

/**
 * Returns the photo of a row: the one that was kept, else what its link has.
 * @throws Problem gone if there is no link, or another photo behind it; upstream-failed if it may be there later
 */
export async function readPhoto(
  images: Pick<ImageRequests, 'fetchImage'>,
  blobs: Pick<Blobs, 'head' | 'get'>,
  batch: BatchRecord,
  row: ReviewRow,
  call: Call,
): Promise<Reply> {
  const { imageUrl, inputSha256 } = row;
  const kept = await readKeptPhoto(blobs, batch, row, call);
  if (kept) return toReply(kept, `image/${sniffFormat(kept)}`);
  if (imageUrl === undefined)
    throw photoGone('The photo was uploaded, and deleted when its cut-out was made');
  const { file, result } = await images.fetchImage(imageUrl, call).catch((error) => {
    const isGone = error instanceof Problem && LINK_PROBLEMS.includes(error.type);
    throw isGone ? photoGone(error.detail, error) : error;
  });
  if (result.sha256 !== inputSha256) throw photoGone('There is another photo behind the link now');
  return toReply(file, result.mediaType);
}
