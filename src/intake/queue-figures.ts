import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { QUEUES, type QueueName } from '../queue/catalog.ts';
import { openQueue } from '../queue/queue.ts';
import type { Batches, BatchRecord } from './batches/batches.ts';

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** Jobs at the end of the line among which one is looked for that has never been begun. */
const LOOKED_AT = 20;
/** Batches whose rows are counted; there are rarely more under way. */
const MOST_BATCHES = 200;

/** Reads how the queues stand. Only for looking at: nothing is added by it. */
export function createQueueFigures(redis: Redis, log: Logger) {
  const names = Object.keys(QUEUES) as QueueName[];
  const queues = names.map((name) => ({ name, queue: openQueue(name, redis, log) }));

  /** A job that is tried again was promised for now, not for when it was made: it tells nothing. */
  async function oldestMillis(queue: (typeof queues)[number]['queue']): Promise<number> {
    const line = await queue.getJobs(['waiting'], 0, LOOKED_AT - 1, true);
    const first = line.find((job) => job?.attemptsStarted === 0);
    if (!first) return 0;
    return Math.max(0, Date.now() - first.timestamp - (first.opts.delay ?? 0));
  }

  return {
    queues: queues.map(({ queue }) => queue),
    read: () =>
      Promise.all(
        queues.map(async ({ name, queue }) => {
          const [jobs, oldest] = await Promise.all([
            queue.getJobCounts(...STATES),
            oldestMillis(queue),
          ]);
          return { queue: name, jobs, oldestMillis: oldest };
        }),
      ),
    close: async (): Promise<void> => {
      await Promise.all(queues.map(({ queue }) => queue.close()));
    },
  };
}

const sum = (batches: readonly BatchRecord[], rows: (batch: BatchRecord) => number): number =>
  batches.reduce((all, batch) => all + Math.max(0, rows(batch)), 0);

/** How far the batches under way are, in rows. */
export async function readBatchFigures(batches: Pick<Batches, 'underWay' | 'get'>) {
  const ids = await batches.underWay();
  const known = await Promise.all(ids.slice(0, MOST_BATCHES).map((id) => batches.get(id)));
  const all = known.filter((batch) => batch !== undefined);
  return {
    underWay: ids.length,
    toCome: sum(all, ({ accepted, issued }) => accepted - issued),
    atWorkers: sum(all, ({ issued, succeeded, failed }) => issued - succeeded - failed),
  };
}

/** What Redis holds and may hold, bytes; a limit of 0 is none. */
export async function readRedisMemory(redis: Redis) {
  const info = await redis.info('memory');
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { usedBytes: read('used_memory'), maxBytes: read('maxmemory') };
}
