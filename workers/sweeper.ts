import type { Redis } from 'ioredis';
import type { JobRecords } from '../src/intake/job-records.ts';
import { eraseExpired, type SweepDeps } from '../src/intake/job-retention.ts';
import type { Logger } from '../src/platform/log.ts';
import { PREFIX } from '../src/platform/redis.ts';
import { SYNC_ORPHAN_SECONDS, SYNC_PREFIX } from '../src/storage/blob-keys.ts';
import type { Blobs } from '../src/storage/blobs.ts';
import { settleOrphans } from './orphans.ts';

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;
/** A lease ends a little before the next time it is asked for. */
const SPARE_MILLIS = 100;

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

/** Something done from time to time by one of all workers. */
interface Sweep {
  name: string;
  /** Also how long no other worker does it. */
  everyMillis: number;
  /** Answers how many things it did away with. */
  deed(nowMillis: number, signal: AbortSignal): Promise<number>;
}

export interface SweeperDeps extends SweepDeps {
  blobs: Blobs;
  redis: Redis;
  records: JobRecords;
  log: Logger;
  /** Hears of each sweep that went through. */
  swept(name: string): void;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
  /** Sees after batches whose time has come; answers how many. */
  sweepBatches(nowMillis: number): Promise<number>;
}

const sweepsOf = (deps: SweeperDeps): readonly Sweep[] => [
  {
    name: 'orphans',
    everyMillis: MINUTE_MILLIS,
    deed: (now) => sweepOrphans(deps.blobs, now),
  },
  { name: 'expired', everyMillis: 1000, deed: (now) => eraseExpired(deps, now) },
  {
    name: 'strays',
    everyMillis: HOUR_MILLIS,
    deed: (now, stopped) =>
      settleOrphans(deps, now, AbortSignal.any([stopped, AbortSignal.timeout(HOUR_MILLIS)])),
  },
  { name: 'batches', everyMillis: 1000, deed: (now) => deps.sweepBatches(now) },
];

/**
 * Sweeps from time to time, in whichever worker holds the lease: jobs and batches whose time has come
 * every second, leftovers of requests every minute, and blobs and records that lost each other every
 * hour. Answers how to stop.
 */
export function startSweeper(deps: SweeperDeps): () => void {
  const { redis, log, now = Date.now } = deps;
  const stopping = new AbortController();
  const timers = sweepsOf(deps).map(({ name, everyMillis, deed }) => {
    deps.swept(name); // reckoned from now, so that one which never goes through is seen
    const sweep = async () => {
      const lease = `${PREFIX}:sweep-lease:${name}`;
      if (!(await redis.set(lease, '1', 'PX', everyMillis - SPARE_MILLIS, 'NX'))) return;
      const swept = await deed(now(), stopping.signal);
      deps.swept(name);
      if (swept > 0) log.info({ sweep: name, swept }, 'swept');
    };
    // The rarer ones are asked for each minute: the worker that would have done it may have gone.
    return setInterval(
      () => {
        sweep().catch((error) => {
          if (stopping.signal.aborted) return;
          log.warn({ sweep: name, reason: error.message }, 'sweep failed');
        });
      },
      Math.min(everyMillis, MINUTE_MILLIS),
    ).unref();
  });
  return () => {
    stopping.abort();
    timers.forEach(clearInterval);
  };
}
