import { expiryOf } from '../job-retention.ts';
import {
  BATCH_RUNNING_STATUSES,
  type BatchManifest,
  type BatchRecord,
  batchCompletedEntry,
  endFacts,
} from './batch-record.ts';
import { BATCH_RECHECK_MILLIS, type Batches } from './batches.ts';

/**
 * Cancels a batch or run: an open one immediately, a running one after the images in progress.
 * @returns the state it has moved to, or nothing if it had ended
 */
export async function moveToCancel(
  batches: Batches,
  batch: BatchManifest | BatchRecord,
  nowMillis: number,
): Promise<'canceled' | 'canceling' | undefined> {
  const { dueAtMillis, expiresAt } = expiryOf(batch, nowMillis);
  // Of one that is restored, nothing is counted yet.
  const facts = 'succeeded' in batch ? endFacts(batch) : {};
  const wasOpen = await batches.move(batch.id, {
    from: ['open', 'held'],
    to: 'canceled',
    dueAtMillis,
    fields: { finishedAt: new Date(nowMillis).toISOString(), expiresAt },
    outboxEntry: batchCompletedEntry(batch, 'canceled', nowMillis, facts),
  });
  if (wasOpen) return 'canceled';
  const wasRunning = await batches.move(batch.id, {
    from: BATCH_RUNNING_STATUSES,
    to: 'canceling',
    fields: {},
    dueAtMillis: nowMillis + BATCH_RECHECK_MILLIS,
  });
  return wasRunning ? 'canceling' : undefined;
}
