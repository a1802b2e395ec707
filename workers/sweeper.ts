import type { JobRecord } from '../src/intake/job-records.ts';
import { sweepDueJobs } from '../src/intake/job-retention.ts';
import { PREFIX } from '../src/platform/redis.ts';
import { requeueJob } from '../src/queue/queue.ts';
import { SYNC_ORPHAN_SECONDS, SYNC_PREFIX } from '../src/storage/blob-keys.ts';
import { type Blobs, deleteOlder } from '../src/storage/blobs.ts';
import { reconcileOrphans } from './orphans.ts';
import { scrubBlobs } from './scrub.ts';
import type { WorkerServices } from './worker-services.ts';

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;
/** A lease ends this much before it is requested again. */
const LEASE_MARGIN_MILLIS = 100;

/** Deletes blobs of synchronous requests whose process died. Returns how many. @param nowMillis epoch milliseconds */
export const sweepOrphans = (blobs: Blobs, nowMillis: number): Promise<number> =>
  deleteOlder(blobs, SYNC_PREFIX, nowMillis - SYNC_ORPHAN_SECONDS * 1000);

/** A periodic task that one of all workers runs. */
interface Sweep {
  name: string;
  /** The interval, and how long no other worker runs it. */
  everyMillis: number;
  /** Returns how many things it removed or handled. */
  run(nowMillis: number, signal: AbortSignal): Promise<number>;
}

/** What a worker handles besides expiry and orphans; each returns how many things it handled. */
interface OtherSweeps {
  /** Restores what Redis has lost. */
  recover(signal: AbortSignal): Promise<number>;
  /** Handles due batches. */
  sweepBatches(nowMillis: number): Promise<number>;
}

const withinHour = (stopped: AbortSignal): AbortSignal =>
  AbortSignal.any([stopped, AbortSignal.timeout(HOUR_MILLIS)]);

function sweepsOf(
  worker: WorkerServices,
  { recover, sweepBatches }: OtherSweeps,
): readonly Sweep[] {
  const { blobs, jobs, jobRetention, queues, log, metrics } = worker;
  const due = {
    records: jobs,
    retention: jobRetention,
    enqueue: (job: JobRecord) => requeueJob(queues.async, job),
  };
  const scrubbed = { blobs, log, onDamaged: metrics.damaged };
  return [
    { name: 'orphans', everyMillis: MINUTE_MILLIS, run: (now) => sweepOrphans(blobs, now) },
    { name: 'expired', everyMillis: 1000, run: (now) => sweepDueJobs(due, now) },
    {
      name: 'strays',
      everyMillis: HOUR_MILLIS,
      run: (now, stopped) => reconcileOrphans(worker, now, withinHour(stopped)),
    },
    { name: 'recovery', everyMillis: 500, run: (_, stopped) => recover(stopped) },
    {
      name: 'scrub',
      everyMillis: HOUR_MILLIS,
      run: (now, stopped) => scrubBlobs(scrubbed, now, withinHour(stopped)),
    },
    { name: 'batches', everyMillis: 1000, run: sweepBatches },
  ];
}

/**
 * Runs the sweeps in whichever worker holds the lease: due jobs and batches every second, what Redis may have lost
 * every half, leftovers of synchronous requests every minute, and orphaned blobs and records and a part of all results
 * every hour. Returns a function that stops it.
 */
export function startSweeper(worker: WorkerServices, others: OtherSweeps): () => void {
  const { redis, log, now } = worker;
  const { swept: onSwept } = worker.metrics;
  const stopping = new AbortController();
  const timers = sweepsOf(worker, others).map(({ name, everyMillis, run }) => {
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
