import type { Redis } from 'ioredis';
import { PREFIX } from '../src/jobs/redis.ts';
import type { Logger } from '../src/log.ts';
import type { Blobs } from '../src/store/blobs.ts';
import { SYNC_ORPHAN_SECONDS, SYNC_PREFIX } from '../src/store/keys.ts';

const SWEEP_MILLIS = 60_000;
const LEASE = `${PREFIX}:sweep-lease`;

/**
 * Deletes what processes that died left of synchronous requests.
 * @param now epoch milliseconds
 * @returns how many blobs were deleted
 */
export async function sweepOrphans(blobs: Blobs, now: number): Promise<number> {
  let deleted = 0;
  for await (const { key, modifiedAt } of blobs.list(SYNC_PREFIX)) {
    if (now - modifiedAt.getTime() < SYNC_ORPHAN_SECONDS * 1000) continue;
    await blobs.delete(key);
    deleted++;
  }
  return deleted;
}

/** Sweeps every minute, in whichever worker holds the lease. Answers how to stop. */
export function startSweeper(blobs: Blobs, redis: Redis, log: Logger): () => void {
  const sweep = async () => {
    const leased = await redis.set(LEASE, '1', 'PX', SWEEP_MILLIS - 1000, 'NX');
    if (!leased) return;
    const deleted = await sweepOrphans(blobs, Date.now());
    if (deleted > 0) log.info({ deleted }, 'orphans swept');
  };
  const timer = setInterval(() => {
    sweep().catch((error) => log.warn({ reason: error.message }, 'sweep failed'));
  }, SWEEP_MILLIS);
  timer.unref();
  return () => clearInterval(timer);
}
