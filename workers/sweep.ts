import type { Redis } from 'ioredis';
import { type SweepParts, sweepDue } from '../src/jobs/keeping.ts';
import { PREFIX } from '../src/jobs/redis.ts';
import type { Logger } from '../src/log.ts';
import type { Blobs } from '../src/store/blobs.ts';
import { SYNC_ORPHAN_SECONDS, SYNC_PREFIX } from '../src/store/keys.ts';

const ORPHANS_MILLIS = 60_000;
const JOBS_MILLIS = 1000;

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

export interface SweeperParts extends SweepParts {
  blobs: Blobs;
  redis: Redis;
  log: Logger;
}

/**
 * Sweeps from time to time, in whichever worker holds the lease: jobs whose time has come every second,
 * orphans every minute. Answers how to stop.
 */
export function startSweeper({ blobs, redis, log, ...jobs }: SweeperParts): () => void {
  const sweeps = [
    { name: 'orphans', millis: ORPHANS_MILLIS, deed: () => sweepOrphans(blobs, Date.now()) },
    {
      name: 'expired',
      millis: JOBS_MILLIS,
      deed: () => sweepDue(jobs, Date.now()),
    },
  ];
  const timers = sweeps.map(({ name, millis, deed }) => {
    const sweep = async () => {
      const lease = `${PREFIX}:sweep-lease:${name}`;
      if (!(await redis.set(lease, '1', 'PX', millis - 100, 'NX'))) return;
      const swept = await deed();
      if (swept > 0) log.info({ sweep: name, swept }, 'swept');
    };
    return setInterval(() => {
      sweep().catch((error) => log.warn({ sweep: name, reason: error.message }, 'sweep failed'));
    }, millis).unref();
  });
  return () => timers.forEach(clearInterval);
}
