import type { Redis } from 'ioredis';
import { batchFiles, batchKeys, putJson, putLines } from '../../src/intake/batches/batch-files.ts';
import type {
  Batches,
  BatchRecord,
  BatchStatus,
  DuplicateCounts,
} from '../../src/intake/batches/batches.ts';
import { endFacts } from '../../src/intake/batches/counts.ts';
import { batchCompletedEntry, batchReviewedEntry } from '../../src/intake/batches/links.ts';
import { joinResults } from '../../src/intake/batches/row-reader.ts';
import { isRejected, RowLine } from '../../src/intake/batches/rows.ts';
import { putDuplicates, putFingerprints } from '../../src/intake/duplicates/duplicate-files.ts';
import { expiryOf } from '../../src/intake/job-retention.ts';
import type { ReviewDecisions } from '../../src/intake/review/decisions.ts';
import {
  type CarriedDecisions,
  putReview,
  putReviewChunk,
  type ReviewSummary,
  toStart,
} from '../../src/intake/review/review-files.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { cancelJob } from '../../src/queue/cancel.ts';
import type { AcceptedRow } from '../../src/queue/job-data.ts';
import { ensureQueued, type JobQueue } from '../../src/queue/queue.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { rowJobId, type Window } from './window.ts';

export interface BatchEndDeps {
  batches: Batches;
  blobs: Blobs;
  /** The queue `bulk`. */
  queue: JobQueue;
  redis: Redis;
  window: Pick<Window, 'rowsOf' | 'toJob'>;
  /** Redis's time. */
  now: Clock;
  reviews: Pick<ReviewDecisions, 'begin'>;
  /** Called before a run of a feed becomes `completed`. */
  finishRun(run: BatchRecord): Promise<void>;
  /** Returns what people decided in the run before. */
  carriedInto(run: BatchRecord): Promise<CarriedDecisions>;
}

/** Deletes the images that were uploaded with the rows of a chunk. */
async function deleteInputs(blobs: Blobs, lines: readonly unknown[]): Promise<void> {
  const keys = lines.flatMap((line) => {
    const row = RowLine.parse(line);
    return !isRejected(row) && 'key' in row.source ? [row.source.key] : [];
  });
  await Promise.all(keys.map((key) => blobs.delete(key)));
}

/** Writes the results of a chunk to storage, then deletes its uploaded images. Idempotent. */
async function writeChunk(
  { batches, blobs }: BatchEndDeps,
  batch: BatchRecord,
  chunk: number,
): Promise<void> {
  const { id, client } = batch;
  const results = await batches.results(id, chunk);
  const rows = await batchFiles(blobs, client, id).rows(chunk);
  // No results: they were written before, and the process died before it marked that.
  if (results.length > 0) {
    const outcomes = [...joinResults(rows, results)];
    // Before the results, by which a restored batch knows what is done.
    await putReviewChunk(blobs, batch, chunk, outcomes);
    await putFingerprints(blobs, batch, chunk, outcomes);
    await putLines(blobs, batchKeys(client, id).results(chunk), results);
  }
  // Not before: where Redis has lost the end of a row, the row is processed again.
  await deleteInputs(blobs, rows);
  await batches.markWritten(id, chunk);
}

/** Writes the results of all chunks whose rows are done. */
export async function writeFullChunks(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  for (const chunk of await deps.batches.fullChunks(batch.id)) {
    await writeChunk(deps, batch, chunk);
  }
}

/** Ends a batch, first in storage and then in Redis: a Redis that lost its data is rebuilt from storage. */
async function endBatch(
  { batches, blobs, reviews, now }: BatchEndDeps,
  batch: BatchRecord,
  from: BatchStatus,
  to: 'completed' | 'canceled',
  review: ReviewSummary,
  duplicates: DuplicateCounts,
): Promise<void> {
  const { id, client } = batch;
  const nowMillis = now();
  const { dueAtMillis, expiresAt } = expiryOf(batch, nowMillis);
  const fields = { finishedAt: new Date(nowMillis).toISOString(), expiresAt, duplicates };
  const reviewed = batchReviewedEntry(batch, to, nowMillis);
  await reviews.begin(id, toStart(review), fields.finishedAt, reviewed);
  await putJson(blobs, batchKeys(client, id).ended, { status: to, ...fields });
  const outboxEntry = batchCompletedEntry(batch, to, nowMillis, endFacts(batch));
  await batches.move(id, { from: [from], to, fields, dueAtMillis, outboxEntry });
}

/** Completes a batch whose rows are all done. */
export async function completeBatch(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  await writeFullChunks(deps, batch);
  // Before the run takes the place of the one before.
  const review = await putReview(deps.blobs, batch, () => deps.carriedInto(batch));
  const duplicates = await putDuplicates(deps.blobs, batch);
  if (batch.kind === 'feed-run') await deps.finishRun(batch);
  await endBatch(deps, batch, 'finalizing', 'completed', review, duplicates);
}

/** Returns the chunks that were started and whose results are not in storage. */
async function unwrittenChunks(
  { batches }: Pick<BatchEndDeps, 'batches'>,
  { id, cursor, chunks }: BatchRecord,
): Promise<number[]> {
  const started = Array.from({ length: Math.min(cursor.chunk + 1, chunks) }, (_, chunk) => chunk);
  const written = await Promise.all(started.map((chunk) => batches.isWritten(id, chunk)));
  return started.filter((chunk) => !written[chunk]);
}

/** Returns the rows of a chunk that have no result yet. */
async function pendingRows(
  { batches }: BatchEndDeps,
  { id }: BatchRecord,
  chunk: number,
  rows: readonly AcceptedRow[],
): Promise<AcceptedRow[]> {
  const done = new Set((await batches.results(id, chunk)).map(({ row }) => row));
  return rows.filter(({ row }) => !done.has(row));
}

/** Cancels the queued and running rows of a batch, and keeps the results it has. */
export async function cancelBatch(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  const { queue, redis, window } = deps;
  for (const chunk of await unwrittenChunks(deps, batch)) {
    const rows = await window.rowsOf(batch, chunk);
    const pending = await pendingRows(deps, batch, chunk, rows);
    await Promise.all(pending.map(({ row }) => cancelJob(queue, redis, rowJobId(batch.id, row))));
    await writeChunk(deps, batch, chunk);
  }
  const review = await putReview(deps.blobs, batch, async () => new Map());
  const duplicates = await putDuplicates(deps.blobs, batch);
  await endBatch(deps, batch, 'canceling', 'canceled', review, duplicates);
}

/** Puts issued rows without a result back in the queue if they are missing there or failed there. */
export async function requeueLostRows(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  const { queue, window } = deps;
  for (const chunk of await unwrittenChunks(deps, batch)) {
    const rows = await window.rowsOf(batch, chunk);
    const issued = chunk < batch.cursor.chunk ? rows : rows.slice(0, batch.cursor.line);
    for (const row of await pendingRows(deps, batch, chunk, issued)) {
      await ensureQueued(queue, window.toJob(batch, chunk, rows.length, row));
    }
  }
}
