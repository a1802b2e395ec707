import type { BatchRetention } from '../../src/intake/batches/batch-retention.ts';
import {
  BATCH_RECHECK_MILLIS,
  BATCH_RUNNING_STATUSES,
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from '../../src/intake/batches/batches.ts';

interface BatchSweepDeps {
  batches: Batches;
  retention: Pick<BatchRetention, 'expire'>;
  /** Puts lost rows of a running batch back in the queue. */
  requeueLostRows(batch: BatchRecord): Promise<void>;
  /** Queues the ingestion of an open run, if it is missing in the queue. */
  readRun(run: BatchRecord): Promise<void>;
  /** Deletes what a feed retains for an expired run. */
  expireRun(run: BatchRecord): Promise<void>;
}

const CANCEL = { from: BATCH_RUNNING_STATUSES, to: 'canceling' } as const;

async function handleDue(
  { batches, retention, requeueLostRows, expireRun, readRun }: BatchSweepDeps,
  id: string,
  nowMillis: number,
): Promise<void> {
  const batch = await batches.get(id);
  if (!batch) return batches.remove(id);
  const isOver = ['open', 'held', ...BATCH_TERMINAL_STATUSES].includes(batch.status);
  const expiresAtMillis = Date.parse(batch.expiresAt);
  const recheckAtMillis = nowMillis + BATCH_RECHECK_MILLIS;
  if (batch.status === 'open' && batch.kind === 'feed-run' && expiresAtMillis > nowMillis) {
    await readRun(batch);
    return batches.postpone(id, Math.min(recheckAtMillis, expiresAtMillis));
  }
  if (isOver && batch.status !== 'expired' && expiresAtMillis > nowMillis) {
    // It was running when it became due, and has ended since.
    return batches.postpone(id, expiresAtMillis);
  }
  if (isOver) {
    await retention.expire(batch, nowMillis);
    if (batch.kind === 'feed-run') await expireRun(batch);
    return;
  }
  const { createdAt, inputSeconds = Number.POSITIVE_INFINITY } = batch;
  if (Date.parse(createdAt) + inputSeconds * 1000 <= nowMillis) {
    // The retention of its inputs is over: results stay, the remaining rows are canceled.
    await batches.move(id, { ...CANCEL, fields: {}, dueAtMillis: recheckAtMillis });
  } else if (BATCH_RUNNING_STATUSES.includes(batch.status)) {
    await requeueLostRows(batch);
  }
  await batches.postpone(id, recheckAtMillis);
}

/**
 * Handles every due batch: one that has ended, or was never sealed, expires; the lost rows of a running one
 * are queued again. Returns how many were due.
 */
export async function sweepBatches(deps: BatchSweepDeps, nowMillis: number): Promise<number> {
  const ids = await deps.batches.due(nowMillis);
  for (const id of ids) await handleDue(deps, id, nowMillis);
  return ids.length;
}
