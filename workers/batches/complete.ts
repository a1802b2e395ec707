import {
  batchFiles,
  batchKeys,
  isRejected,
  putLines,
  type RowLine,
} from '../../src/intake/batches/batch-files.ts';
import type { BatchRecord, BatchStatus } from '../../src/intake/batches/batch-record.ts';
import { batchReviewedEntry } from '../../src/intake/batches/batch-record.ts';
import { endBatch } from '../../src/intake/batches/batches.ts';
import { joinResults } from '../../src/intake/batches/row-reader.ts';
import { putDuplicates, putFingerprints } from '../../src/intake/duplicates.ts';
import type { ReviewSummary } from '../../src/intake/review/review-files.ts';
import { putReview, putReviewChunk } from '../../src/intake/review/review-files.ts';
import type { AcceptedRow } from '../../src/queue/job-data.ts';
import { cancelJob, ensureQueued } from '../../src/queue/queue.ts';
import type { Services } from '../../src/services.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { FeedRunStages } from '../feeds/run-stages.ts';
import { rowJobId, toJob, type Window } from './window.ts';

type Written = Pick<Services, 'batches' | 'blobs'>;

export interface Ending extends Written, Pick<Services, 'queues' | 'redis' | 'reviews' | 'now'> {
  window: Pick<Window, 'rowsOf'>;
  feedRuns: Pick<FeedRunStages, 'finish' | 'carriedInto'>;
}

async function deleteInputs(blobs: Blobs, lines: readonly RowLine[]): Promise<void> {
  const keys = lines.flatMap((row) =>
    !isRejected(row) && 'key' in row.source ? [row.source.key] : [],
  );
  await Promise.all(keys.map((key) => blobs.delete(key)));
}

/** Writes the results of a chunk to storage, then deletes its uploaded images. Idempotent. */
async function writeChunk({ batches, blobs }: Written, batch: BatchRecord, chunk: number) {
  const { id } = batch;
  const results = await batches.results(id, chunk);
  const rows = await batchFiles(blobs, batch).rows(chunk);
  // No results: they were written before, and the process died before it marked that.
  if (results.length > 0) {
    const outcomes = [...joinResults(rows, results)];
    // Before the results, by which a restored batch knows what is done.
    await putReviewChunk(blobs, batch, chunk, outcomes);
    await putFingerprints(blobs, batch, chunk, outcomes);
    await putLines(blobs, batchKeys(batch).results(chunk), results);
  }
  // Not before: where Redis has lost the end of a row, the row is processed again.
  await deleteInputs(blobs, rows);
  await batches.markWritten(id, chunk);
}

/** Writes the results of all chunks whose rows are done. */
export async function writeFullChunks(ending: Written, batch: BatchRecord): Promise<void> {
  for (const chunk of await ending.batches.fullChunks(batch.id))
    await writeChunk(ending, batch, chunk);
}

/** Ends a batch whose rows are done or canceled, and begins its review. */
async function end(
  ending: Ending,
  batch: BatchRecord,
  from: BatchStatus,
  to: 'completed' | 'canceled',
  review: ReviewSummary,
): Promise<void> {
  const duplicates = await putDuplicates(ending.blobs, batch);
  if (to === 'completed' && batch.kind === 'feed-run') await ending.feedRuns.finish(batch);
  const nowMillis = ending.now();
  const reviewed = batchReviewedEntry(batch, to, nowMillis);
  await ending.reviews.begin(batch.id, review, new Date(nowMillis).toISOString(), reviewed);
  await endBatch(ending, batch, { from: [from], to, fields: { duplicates } }, nowMillis);
}

export async function completeBatch(ending: Ending, batch: BatchRecord): Promise<void> {
  await writeFullChunks(ending, batch);
  // Before the run takes the place of the one before.
  const review = await putReview(ending.blobs, batch, () => ending.feedRuns.carriedInto(batch));
  await end(ending, batch, 'finalizing', 'completed', review);
}

/** Returns the chunks that were started and whose results are not in storage. */
async function unwrittenChunks(
  { batches }: Pick<Services, 'batches'>,
  { id, cursor, chunks }: BatchRecord,
): Promise<number[]> {
  const started = Array.from({ length: Math.min(cursor.chunk + 1, chunks) }, (_, chunk) => chunk);
  const written = await Promise.all(started.map((chunk) => batches.isWritten(id, chunk)));
  return started.filter((chunk) => !written[chunk]);
}

async function pendingRows(
  { batches }: Ending,
  { id }: BatchRecord,
  chunk: number,
  rows: readonly AcceptedRow[],
): Promise<AcceptedRow[]> {
  const done = new Set((await batches.results(id, chunk)).map(({ row }) => row));
  return rows.filter(({ row }) => !done.has(row));
}

/** Cancels the queued and running rows of a batch, and keeps the results it has. */
export async function cancelBatch(ending: Ending, batch: BatchRecord): Promise<void> {
  const { queues, redis, window } = ending;
  for (const chunk of await unwrittenChunks(ending, batch)) {
    const rows = await window.rowsOf(batch, chunk);
    const pending = await pendingRows(ending, batch, chunk, rows);
    await Promise.all(
      pending.map(({ row }) => cancelJob(queues.bulk, redis, rowJobId(batch.id, row))),
    );
    await writeChunk(ending, batch, chunk);
  }
  const review = await putReview(ending.blobs, batch, async () => new Map());
  await end(ending, batch, 'canceling', 'canceled', review);
}

/** Puts issued rows without a result back in the queue if they are missing there or failed there. */
export async function requeueLostRows(ending: Ending, batch: BatchRecord): Promise<void> {
  const { queues, window } = ending;
  for (const chunk of await unwrittenChunks(ending, batch)) {
    const rows = await window.rowsOf(batch, chunk);
    const issued = chunk < batch.cursor.chunk ? rows : rows.slice(0, batch.cursor.line);
    for (const row of await pendingRows(ending, batch, chunk, issued))
      await ensureQueued(queues.bulk, toJob(batch, chunk, rows.length, row));
  }
}
