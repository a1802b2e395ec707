import {
  BATCH_RUNNING_STATUSES,
  BATCH_TERMINAL_STATUSES,
  type BatchRecord,
} from '../../src/intake/batches/batch-record.ts';
import type { BatchRetention } from '../../src/intake/batches/batch-retention.ts';
import { BATCH_RECHECK_MILLIS } from '../../src/intake/batches/batches.ts';
import type { Services } from '../../src/services.ts';
import type { FeedRunStages } from '../feeds/run-stages.ts';

interface Swept extends Pick<Services, 'batches'> {
  batchRetention: Pick<BatchRetention, 'expire'>;
}

async function handleDue(
  { batches, batchRetention }: Swept,
  feedRuns: Pick<FeedRunStages, 'read' | 'expire'>,
  requeueLostRows: (batch: BatchRecord) => Promise<void>,
  id: string,
  nowMillis: number,
): Promise<void> {
  const batch = await batches.get(id);
  if (!batch) return batches.remove(id);
  const isOver = ['open', 'held', ...BATCH_TERMINAL_STATUSES].includes(batch.status);
  const expiresAtMillis = Date.parse(batch.expiresAt);
  const recheckAtMillis = nowMillis + BATCH_RECHECK_MILLIS;
  if (batch.status === 'open' && batch.kind === 'feed-run' && expiresAtMillis > nowMillis) {
    await feedRuns.read(batch);
    return batches.postpone(id, Math.min(recheckAtMillis, expiresAtMillis));
  }
  if (isOver && batch.status !== 'expired' && expiresAtMillis > nowMillis) {
    // It was running when it became due, and has ended since.
    return batches.postpone(id, expiresAtMillis);
  }
  if (isOver) {
    await batchRetention.expire(batch, nowMillis);
    if (batch.kind === 'feed-run') await feedRuns.expire(batch);
    return;
  }
  const { createdAt, inputSeconds = Number.POSITIVE_INFINITY } = batch;
  if (Date.parse(createdAt) + inputSeconds * 1000 <= nowMillis) {
    // The retention of its inputs is over: results stay, the remaining rows are canceled.
    await batches.stop(id, nowMillis);
  } else if (BATCH_RUNNING_STATUSES.includes(batch.status)) {
    await requeueLostRows(batch);
  }
  await batches.postpone(id, recheckAtMillis);
}

/**
 * Handles every due batch: one that has ended, or was never sealed, expires; the lost rows of a running one
 * are queued again. Returns how many were due.
 * @param requeueLostRows puts lost rows of a running batch back in the queue
 */
export async function sweepBatches(
  swept: Swept,
  feedRuns: Pick<FeedRunStages, 'read' | 'expire'>,
  requeueLostRows: (batch: BatchRecord) => Promise<void>,
  nowMillis: number,
): Promise<number> {
  const ids = await swept.batches.due(nowMillis);
  for (const id of ids) await handleDue(swept, feedRuns, requeueLostRows, id, nowMillis);
  return ids.length;
}
