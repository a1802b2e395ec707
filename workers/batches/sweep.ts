import type { BatchRetention } from '../../src/intake/batches/batch-retention.ts';
import {
  BATCH_LOOK_MILLIS,
  BATCH_RUNNING_STATUSES,
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from '../../src/intake/batches/batches.ts';

export interface BatchSweepDeps {
  batches: Batches;
  keeping: Pick<BatchRetention, 'expire'>;
  /** Sees to it that the rows at the workers are there. */
  mend(batch: BatchRecord): Promise<void>;
  /** Sees to it that the feed of an open run is read. */
  readRun(run: BatchRecord): Promise<void>;
  /** Lets go of what a feed kept for a run that has expired. */
  expireRun(run: BatchRecord): Promise<void>;
}

const CALL_OFF = { from: BATCH_RUNNING_STATUSES, to: 'canceling' } as const;

async function lookAfter(
  { batches, keeping, mend, expireRun, readRun }: BatchSweepDeps,
  id: string,
  nowMillis: number,
): Promise<void> {
  const batch = await batches.get(id);
  if (!batch) return batches.remove(id);
  const isOver = batch.status === 'open' || BATCH_TERMINAL_STATUSES.includes(batch.status);
  const expiresAtMillis = Date.parse(batch.expiresAt);
  const lookAt = nowMillis + BATCH_LOOK_MILLIS;
  if (batch.status === 'open' && batch.kind === 'feed-run' && expiresAtMillis > nowMillis) {
    await readRun(batch);
    return batches.postpone(id, Math.min(lookAt, expiresAtMillis));
  }
  if (isOver && batch.status !== 'expired' && expiresAtMillis > nowMillis) {
    // It was under way when its time to be looked at came, and has ended since.
    return batches.postpone(id, expiresAtMillis);
  }
  if (isOver) {
    await keeping.expire(batch, nowMillis);
    if (batch.kind === 'feed-run') await expireRun(batch);
    return;
  }
  const { createdAt, inputSeconds = Number.POSITIVE_INFINITY } = batch;
  if (Date.parse(createdAt) + inputSeconds * 1000 <= nowMillis) {
    // Its inputs may be kept no longer: what is done stays, the rest is called off.
    await batches.move(id, { ...CALL_OFF, fields: {}, dueAtMillis: lookAt });
  } else if (BATCH_RUNNING_STATUSES.includes(batch.status)) {
    await mend(batch);
  }
  await batches.postpone(id, lookAt);
}

/**
 * Looks at every batch whose time has come: what has ended, or was never sealed, expires; what is under
 * way is seen to be so. Answers how many.
 */
export async function sweepBatches(deps: BatchSweepDeps, nowMillis: number): Promise<number> {
  const ids = await deps.batches.due(nowMillis);
  for (const id of ids) await lookAfter(deps, id, nowMillis);
  return ids.length;
}
