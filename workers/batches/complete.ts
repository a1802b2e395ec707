import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { batchKeys, putJson, putLines } from '../../src/intake/batches/batch-files.ts';
import type { Batches, BatchRecord, BatchStatus } from '../../src/intake/batches/batches.ts';
import { batchEnded } from '../../src/intake/batches/links.ts';
import { cancelJob } from '../../src/queue/cancel.ts';
import { retryFailed } from '../../src/queue/queue.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { rowJobId, type Window } from './window.ts';

export interface BatchEndDeps {
  batches: Batches;
  blobs: Blobs;
  /** The queue `bulk`. */
  queue: Queue;
  redis: Redis;
  window: Pick<Window, 'rowsOf' | 'jobOf'>;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
  /** Done before a run of a feed is called completed. */
  finishRun(run: BatchRecord): Promise<void>;
}

/** Writes the results of a chunk to the store; again writes the same. */
async function writeChunk(
  { batches, blobs }: BatchEndDeps,
  { id, client }: BatchRecord,
  chunk: number,
): Promise<void> {
  const results = await batches.results(id, chunk);
  // Without any they are there already: this step was cut off before it could say so.
  if (results.length > 0) await putLines(blobs, batchKeys(client, id).results(chunk), results);
  await batches.written(id, chunk);
}

/** Writes the results of all chunks whose rows are done. */
export async function writeFullChunks(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  for (const chunk of await deps.batches.fullChunks(batch.id)) {
    await writeChunk(deps, batch, chunk);
  }
}

/** The end is in the store before it is in Redis: a Redis that was emptied is told of it. */
async function end(
  { batches, blobs, now: time = Date.now }: BatchEndDeps,
  batch: BatchRecord,
  from: BatchStatus,
  to: 'completed' | 'canceled',
): Promise<void> {
  const { id, client, outputSeconds } = batch;
  const now = time();
  const dueAtMillis = now + outputSeconds * 1000;
  const fields = {
    finishedAt: new Date(now).toISOString(),
    expiresAt: new Date(dueAtMillis).toISOString(),
  };
  await putJson(blobs, batchKeys(client, id).ended, { status: to, ...fields });
  const outboxEntry = batchEnded(batch, to, now);
  await batches.move(id, { from: [from], to, fields, dueAtMillis, outboxEntry });
}

/** Completes a batch whose rows are all done. */
export async function complete(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  await writeFullChunks(deps, batch);
  if (batch.kind === 'feed-run') await deps.finishRun(batch);
  await end(deps, batch, 'finalizing', 'completed');
}

/** Chunks that were begun and whose results are not in the store. */
export async function openChunks(
  { batches }: Pick<BatchEndDeps, 'batches'>,
  { id, cursor, chunks }: BatchRecord,
): Promise<number[]> {
  const begun = Array.from({ length: Math.min(cursor.chunk + 1, chunks) }, (_, chunk) => chunk);
  const written = await Promise.all(begun.map((chunk) => batches.isWritten(id, chunk)));
  return begun.filter((chunk) => !written[chunk]);
}

/** Calls off what of a batch is at the workers, and keeps what they have done. */
export async function cancel(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  const { batches, queue, redis, window } = deps;
  for (const chunk of await openChunks(deps, batch)) {
    const done = new Set((await batches.results(batch.id, chunk)).map(({ row }) => row));
    const rows = await window.rowsOf(batch, chunk);
    const wanted = rows.filter(({ row }) => !done.has(row));
    await Promise.all(wanted.map(({ row }) => cancelJob(queue, redis, rowJobId(batch.id, row))));
    await writeChunk(deps, batch, chunk);
  }
  await end(deps, batch, 'canceling', 'canceled');
}

/** Sees to it that each row at the workers is in their queue, and tried again where it failed there. */
export async function mend(deps: BatchEndDeps, batch: BatchRecord): Promise<void> {
  const { batches, queue, window } = deps;
  for (const chunk of await openChunks(deps, batch)) {
    const done = new Set((await batches.results(batch.id, chunk)).map(({ row }) => row));
    const rows = await window.rowsOf(batch, chunk);
    const handedOut = chunk < batch.cursor.chunk ? rows : rows.slice(0, batch.cursor.line);
    for (const row of handedOut.filter(({ row }) => !done.has(row))) {
      const job = await queue.getJob(rowJobId(batch.id, row.row));
      if (job) await retryFailed(job);
      else await queue.addBulk([window.jobOf(batch, chunk, rows.length, row)]);
    }
  }
}
