import type { Redis } from 'ioredis';
import { batchKeys, putJson, putLines } from '../../src/intake/batches/batch-files.ts';
import type { Batches, BatchRecord, BatchStatus } from '../../src/intake/batches/batches.ts';
import { batchCompletedEntry } from '../../src/intake/batches/links.ts';
import { expiryOf } from '../../src/intake/job-retention.ts';
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
  /** Called before a run of a feed becomes `completed`. */
  finishRun(run: BatchRecord): Promise<void>;
}

/** Writes the results of a chunk to storage. Idempotent. */
async function writeChunk(
  { batches, blobs }: BatchEndDeps,
  { id, client }: BatchRecord,
  chunk: number,
): Promise<void> {
  const results = await batches.results(id, chunk);
  // No results: they were written before, and the process died before it marked that.
  if (results.length > 0) await putLines(blobs, batchKeys(client, id).results(chunk), results);
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
  { batches, blobs, now }: BatchEndDeps,
  batch: BatchRecord,
  from: BatchStatus,
  to: 'completed' | 'canceled',
): Promise<void> {
  const { id, client } = batch;
  const nowMillis = now();
  const { dueAtMillis, expiresAt } = expiryOf(batch, nowMillis);
  const fields = { finishedAt: new Date(nowMillis).toISOString(), expiresAt };
  await putJson(blobs, batchKeys(client, id).ended, { status: to, ...fields });
  const outboxEntry = batchCompletedEntry(batch, to, nowMillis);
  await batches.move(id, { from: [from], to, fields, dueAtMillis, outboxEntry });
}

/** Completes a batch whose rows are all done. */
export async function completeBatch(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  await writeFullChunks(deps, batch);
  if (batch.kind === 'feed-run') await deps.finishRun(batch);
  await endBatch(deps, batch, 'finalizing', 'completed');
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
  await endBatch(deps, batch, 'canceling', 'canceled');
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
