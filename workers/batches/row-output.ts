import type { RowProblem } from '../../src/intake/batches/batch-files.ts';
import type { RowCompletion } from '../../src/intake/batches/batches.ts';
import type { Problem } from '../../src/platform/problem.ts';
import type { JobData } from '../../src/queue/catalog.ts';
import type { PreviousImage } from '../../src/queue/job-data.ts';
import type { Services } from '../../src/services.ts';
import { garmentKeys } from '../../src/storage/blob-keys.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { garmentsOf, type ResultOwner } from '../images/process-image.ts';
import { problemCode } from '../images/read-input.ts';

/** The bytes of a row's image, and the validators of its HTTP response. */
export interface RowImage {
  bytes: Uint8Array;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** Returns an earlier result if all its files still exist. */
export async function ifComplete<T extends PreviousImage>(
  blobs: Blobs,
  photo: T,
  garmentsPrefix: (sha256: string) => string,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const heads = await Promise.all(
    fileKeys(photo, garmentsPrefix).map((key) => blobs.head(key, signal)),
  );
  return heads.every((head) => head !== undefined) ? photo : undefined;
}

/** Returns the keys of all files of a result. */
export const fileKeys = (
  { results, picture, input }: PreviousImage,
  garmentsPrefix: (sha256: string) => string,
): string[] =>
  [
    results.cutout?.key,
    picture?.key,
    ...garmentKeys(garmentsPrefix(input.sha256), results.outfit),
  ].filter((key) => key !== undefined);

export type RowJob = JobData<'run-row'>;

/** The result of a row and its quota, `free` by default. */
export interface RowOutput
  extends Pick<RowCompletion, 'result'>,
    Partial<Pick<RowCompletion, 'quota'>> {
  /** Milliseconds by step. */
  millis?: Record<string, number>;
}

export const unchanged = (
  { row }: RowJob,
  { stale: _, ...previous }: PreviousImage,
  image: RowImage | undefined,
): RowOutput => ({
  result: {
    ...previous,
    ...(image && { etag: image.etag, lastModified: image.lastModified }),
    row: row.row,
    status: 'succeeded',
    unchanged: true,
  },
});

/** Whose the results of a row are. */
export const ownerOf = ({ client, batchId, feed }: RowJob): ResultOwner => ({
  client,
  id: batchId,
  feedId: feed?.id,
});

/** Returns the prefix of the cut-outs of the garments in a row's image. */
export const garmentsOfRow = (job: RowJob) => (sha256: string) => garmentsOf(ownerOf(job), sha256);

/** A result that was made for another row, at no cost; or by an earlier attempt at this one, which is charged now. */
export const reused = (
  job: RowJob,
  { charged: _, madeBy, ...made }: PreviousImage & { charged?: boolean | undefined },
  image: Partial<RowImage> = made,
): RowOutput => {
  const { row, feed } = job;
  const isOwn = feed !== undefined && madeBy === makerOf(job);
  return {
    result: {
      ...made,
      ...(isOwn && { charged: true }),
      etag: image.etag,
      lastModified: image.lastModified,
      row: row.row,
      status: 'succeeded',
      unchanged: made.stale !== undefined || row.earlier?.input.sha256 === made.input.sha256,
    },
    quota: isOwn ? { charge: feed.meter } : 'free',
  };
};

/** Names the row that makes a photo. */
export const makerOf = ({ batchId, row }: RowJob): string => `${batchId}/${row.row}`;

const failed = ({ row, feed }: RowJob, problem: RowProblem): RowOutput => ({
  result: { row: row.row, status: 'failed', problem },
  quota: feed ? 'free' : 'held',
});

export const rowProblem = (problem: Problem): RowProblem => ({
  type: problem.type,
  detail: problem.detail,
  code: problemCode(problem),
});

/** The result of a row that cannot be processed: in a feed its last good picture, if it had one, which is now stale. */
export async function withoutImage(
  { blobs, now }: Pick<Services, 'blobs' | 'now'>,
  job: RowJob,
  problem: RowProblem,
): Promise<RowOutput> {
  const { feed, row } = job;
  const photo = feed && row.earlier && (await ifComplete(blobs, row.earlier, garmentsOfRow(job)));
  if (!photo) return failed(job, problem);
  const { since = new Date(now()).toISOString() } = photo.stale ?? {};
  return {
    result: {
      ...photo,
      row: row.row,
      status: 'succeeded',
      unchanged: true,
      stale: { since, reason: problem.detail },
      ...(problem.code && { code: problem.code }),
    },
  };
}
