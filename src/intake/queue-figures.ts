import type { Redis } from 'ioredis';
import { hostClock } from '../platform/clock.ts';
import { readInfo } from '../platform/redis-check.ts';
import type { JobQueue, Queues } from '../queue/queue.ts';
import type { BatchRecord } from './batches/batch-record.ts';
import type { Batches } from './batches/batches.ts';

const STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;
/** Jobs wait in either: BullMQ keeps those that have a turn apart from those without one. */
const WAITING_STATES = ['waiting', 'prioritized'] as const;
/** Among so many jobs that start next the oldest one never attempted is looked for. */
const HEAD_JOBS = 20;
/** Batches whose rows are counted; there are rarely more under way. */
const MAX_BATCHES = 200;

/**
 * Waiting time of the oldest job never attempted, ms. Each client's oldest starts next of its own. A job
 * being retried says nothing: it was due now, not when it was added. BullMQ stamps a job by the clock of the host that adds it, which Redis's
 * time may be far from: this host's clock is the nearest there is.
 */
async function oldestMillis(queue: JobQueue): Promise<number> {
  const head = await queue.getJobs([...WAITING_STATES], 0, HEAD_JOBS - 1, true);
  const waits = head
    .filter((job) => job?.attemptsStarted === 0)
    .map((job) => hostClock() - job.timestamp - (job.opts.delay ?? 0));
  return Math.max(0, ...waits);
}

export const readQueueFigures = (queues: Queues) =>
  Promise.all(
    Object.entries(queues).map(async ([name, queue]) => {
      const [counts, oldest, waitingClients] = await Promise.all([
        queue.getJobCounts(...STATES),
        oldestMillis(queue),
        queue.turns.waitingClients(),
      ]);
      const { waiting = 0, prioritized = 0, ...others } = counts;
      const jobs = { waiting: waiting + prioritized, ...others };
      return { queue: name, jobs, oldestMillis: oldest, waitingClients };
    }),
  );

const sum = (batches: readonly BatchRecord[], rows: (batch: BatchRecord) => number): number =>
  batches.reduce((all, batch) => all + Math.max(0, rows(batch)), 0);

/** Reads how many batches are under way, and how many of their rows are in which state. */
export async function readBatchFigures(batches: Pick<Batches, 'underWay' | 'get'>) {
  const ids = await batches.underWay();
  const known = await Promise.all(ids.slice(0, MAX_BATCHES).map((id) => batches.get(id)));
  const all = known.filter((batch) => batch !== undefined);
  return {
    running: ids.length,
    pending: sum(all, ({ accepted, issued }) => accepted - issued),
    dispatched: sum(all, ({ issued, succeeded, failed }) => issued - succeeded - failed),
  };
}

/** Reads the memory that Redis uses and may use, bytes; a limit of 0 is none. */
export async function readRedisMemory(redis: Redis) {
  const info = await readInfo(redis);
  const read = (field: string): number => Number(info.get(field) ?? 0);
  return { usedBytes: read('used_memory'), maxBytes: read('maxmemory') };
}
