import type { Blobs } from '../../storage/blobs.ts';
import { expiryOf } from '../job-retention.ts';
import { batchKeys, putJson } from './batch-files.ts';
import {
  BATCH_RUNNING_STATUSES,
  type BatchManifest,
  type BatchRecord,
  batchCompletedEntry,
  endFacts,
} from './batch-record.ts';
import { BATCH_RECHECK_MILLIS, type Batches, type BatchMove } from './batches.ts';

/**
 * Ends a batch or run that is in one of the states `from`; returns false if it is in none.
 * @param blobs if given, has its end before Redis: a Redis that lost its data is rebuilt from storage
 */
export async function endBatch(
  { batches, blobs }: { batches: Batches; blobs?: Pick<Blobs, 'put'> },
  batch: BatchManifest | BatchRecord,
  { from, to, fields }: Pick<BatchMove, 'from' | 'to'> & { fields?: BatchMove['fields'] },
  nowMillis: number,
): Promise<boolean> {
  const { dueAtMillis, expiresAt } = expiryOf(batch, nowMillis);
  const ended = { ...fields, finishedAt: new Date(nowMillis).toISOString(), expiresAt };
  if (blobs) await putJson(blobs, batchKeys(batch).ended, { status: to, ...ended });
  // Of one that is restored, nothing is counted yet.
  const facts = 'succeeded' in batch ? endFacts(batch) : {};
  const outboxEntry = batchCompletedEntry(batch, to, nowMillis, facts);
  return batches.move(batch.id, { from, to, fields: ended, dueAtMillis, outboxEntry });
}

/**
 * Cancels a batch or run: an open one immediately, a running one after the images in progress.
 * @returns the state it has moved to, or nothing if it had ended
 */
export async function moveToCancel(
  batches: Batches,
  batch: BatchManifest | BatchRecord,
  nowMillis: number,
): Promise<'canceled' | 'canceling' | undefined> {
  const canceled = { from: ['open', 'held'], to: 'canceled' } as const;
  if (await endBatch({ batches }, batch, canceled, nowMillis)) return 'canceled';
  const wasRunning = await batches.move(batch.id, {
    from: BATCH_RUNNING_STATUSES,
    to: 'canceling',
    fields: {},
    dueAtMillis: nowMillis + BATCH_RECHECK_MILLIS,
  });
  return wasRunning ? 'canceling' : undefined;
}
