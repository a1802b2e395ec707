import type { Redis } from 'ioredis';
import { type SweepDeps, sweepDueJobs } from '../src/intake/job-retention.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/log.ts';
import { PREFIX } from '../src/platform/redis.ts';
import { SYNC_ORPHAN_SECONDS, SYNC_PREFIX } from '../src/storage/blob-keys.ts';
import type { Blobs } from '../src/storage/blobs.ts';
import { reconcileOrphans } from './orphans.ts';
import type { Rebuilder } from './recover/rebuild.ts';
import { scrubBlobs } from './scrub.ts';

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;
/** A lease ends this much before it is requested again. */
const LEASE_MARGIN_MILLIS = 100;

/**
 * Deletes blobs of synchronous requests whose process died. Returns how many.
 * @param nowMillis epoch milliseconds
 */
export async function sweepOrphans(blobs: Blobs, nowMillis: number): Promise<number> {
  let deleted = 0;
  for await (const { key, modifiedAt } of blobs.list(SYNC_PREFIX)) {
    if (nowMillis - modifiedAt.getTime() < SYNC_ORPHAN_SECONDS * 1000) continue;
    await blobs.delete(key);
    deleted++;
  }
  return deleted;
}

/** A periodic task that one of all workers runs. */
interface Sweep {
  name: string;
  /** The interval, and how long no other worker runs it. */
  everyMillis: number;
  /** Returns how many things it removed or handled. */
  run(nowMillis: number, signal: AbortSignal): Promise<number>;
}

interface SweeperDeps extends SweepDeps {
  blobs: Blobs;
  redis: Redis;
  log: Logger;
  /** Called after each successful sweep. */
  onSwept(name: string): void;
  /** Called for each blob whose bytes are not those that were written. */
  onDamaged(): void;
  /** Redis's time. */
  now: Clock;
  /** Opens what restores records from their manifests. */
  rebuilders(): readonly Rebuilder[];
  /** Restores what Redis has lost; returns how many records. */
  recover(signal: AbortSignal): Promise<number>;
  /** Handles due batches; returns how many. */
  sweepBatches(nowMillis: number): Promise<number>;
}

const sweepsOf = (deps: SweeperDeps): readonly Sweep[] => [
  {
    name: 'orphans',
    everyMillis: MINUTE_MILLIS,
    run: (nowMillis) => sweepOrphans(deps.blobs, nowMillis),
  },
  {
    name: 'expired',
    everyMillis: 1000,
    run: (nowMillis) => sweepDueJobs(deps, nowMillis),
  },
  {
    name: 'strays',
    everyMillis: HOUR_MILLIS,
    run: (nowMillis, stopped) =>
      reconcileOrphans(
        deps,
        nowMillis,
        AbortSignal.any([stopped, AbortSignal.timeout(HOUR_MILLIS)]),
      ),
  },
  {
    name: 'recovery',
    everyMillis: 500,
    run: (_, stopped) => deps.recover(stopped),
  },
  {
    name: 'scrub',
    everyMillis: HOUR_MILLIS,
    run: (nowMillis, stopped) =>
      scrubBlobs(deps, nowMillis, AbortSignal.any([stopped, AbortSignal.timeout(HOUR_MILLIS)])),
  },
  {
    name: 'batches',
    everyMillis: 1000,
    run: (nowMillis) => deps.sweepBatches(nowMillis),
  },
];

/**
 * Runs the sweeps in whichever worker holds the lease: due jobs and batches every second, what Redis may have lost
 * every half, leftovers of synchronous requests every minute, and orphaned blobs and records and a part of all results
 * every hour. Returns a function that stops it.
 */
export function startSweeper(deps: SweeperDeps): () => void {
  const { redis, log, now, onSwept } = deps;
  const stopping = new AbortController();
  const timers = sweepsOf(deps).map(({ name, everyMillis, run }) => {
    onSwept(name); // the metric starts now, which reveals a sweep that never succeeds
    const sweep = async () => {
      const lease = `${PREFIX}:sweep-lease:${name}`;
      const leaseMillis = everyMillis - LEASE_MARGIN_MILLIS;
      if (!(await redis.set(lease, '1', 'PX', leaseMillis, 'NX'))) return;
      const swept = await run(now(), stopping.signal);
      onSwept(name);
      if (swept > 0) log.info({ sweep: name, swept }, 'swept');
    };
    // Rare sweeps are tried every minute: the worker that had the lease may be gone.
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
