import { Counter, Histogram, type Registry } from 'prom-client';
import { one, sampledGauges } from './sampled-gauges.ts';

/** From a file that is at hand to an upload that takes its time. */
const STORE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** What a check of a dependency may take; it counts as down after that. */
const CHECK_MILLIS = 2000;
const CHECK_FRESH_MILLIS = 5000;

/** How one queue stands. */
export interface QueueFigures {
  queue: string;
  /** Jobs by state. */
  jobs: Readonly<Record<string, number>>;
  /** How long the job waits that has waited longest, 0 where none does. */
  oldestMillis: number;
}

/** How the batches and feed runs under way stand, in rows. */
export interface BatchFigures {
  underWay: number;
  /** Accepted, and not handed to the workers yet. */
  toCome: number;
  /** Handed to the workers, and not done. */
  atWorkers: number;
}

/** Queues and batches, as every gateway sees them. */
export function watchQueues(registry: Registry, read: () => Promise<QueueFigures[]>): void {
  sampledGauges(registry, read, {
    selvage_queue_jobs: {
      help: 'Jobs in a queue by state; finished ones are kept for minutes',
      labels: ['queue', 'state'],
      of: (queues) =>
        queues.flatMap(({ queue, jobs }) =>
          Object.entries(jobs).map(([state, value]) => ({ labels: { queue, state }, value })),
        ),
    },
    selvage_queue_oldest_seconds: {
      help: 'How long the job waits that has waited longest for its first attempt',
      labels: ['queue'],
      of: (queues) =>
        queues.map(({ queue, oldestMillis }) => ({
          labels: { queue },
          value: oldestMillis / 1000,
        })),
    },
  });
}

/** The rows behind the queue `bulk`. */
export function watchBatches(registry: Registry, read: () => Promise<BatchFigures>): void {
  sampledGauges(registry, read, {
    selvage_batches_under_way: {
      help: 'Batches and feed runs that are sealed and not done',
      of: ({ underWay }) => one(underWay),
    },
    selvage_batch_rows: {
      help: 'Rows of batches under way: still to come, or in the window at the workers',
      labels: ['state'],
      of: ({ toCome, atWorkers }) => [
        { labels: { state: 'to_come' }, value: toCome },
        { labels: { state: 'at_workers' }, value: atWorkers },
      ],
    },
  });
}

/** One try of a dependency: whether it answered, and how soon. */
async function tryOut(check: () => Promise<void>): Promise<{ up: boolean; millis: number }> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_MILLIS);
  });
  const answered = check().then(
    () => true,
    () => false,
  );
  const up = await Promise.race([answered, late]);
  clearTimeout(timer);
  return { up, millis: performance.now() - startedAt };
}

/** Whether this process reaches what it needs; tried at scrape, at most every five seconds. */
export function watchDependencies(
  registry: Registry,
  checks: Readonly<Record<string, () => Promise<void>>>,
): void {
  const look = () =>
    Promise.all(
      Object.entries(checks).map(async ([dependency, check]) => ({
        labels: { dependency },
        ...(await tryOut(check)),
      })),
    );
  const gauges = {
    selvage_dependency_up: {
      help: 'Whether this process reaches Redis and the store, 1 or 0',
      labels: ['dependency'],
      of: (seen: Awaited<ReturnType<typeof look>>) =>
        seen.map(({ labels, up }) => ({ labels, value: Number(up) })),
    },
    selvage_dependency_seconds: {
      help: 'How soon Redis and the store answered a check',
      labels: ['dependency'],
      of: (seen: Awaited<ReturnType<typeof look>>) =>
        seen.map(({ labels, millis }) => ({ labels, value: millis / 1000 })),
    },
  };
  sampledGauges(registry, look, gauges, CHECK_FRESH_MILLIS);
}

/** Redis refuses writes when it is full: `maxBytes` is 0 where it has no limit of its own. */
export function watchRedisMemory(
  registry: Registry,
  read: () => Promise<{ usedBytes: number; maxBytes: number }>,
): void {
  sampledGauges(registry, read, {
    selvage_redis_memory_used_bytes: {
      help: 'Memory Redis uses',
      of: ({ usedBytes }) => one(usedBytes),
    },
    selvage_redis_memory_max_bytes: {
      help: 'Memory Redis may use, 0 for no limit',
      of: ({ maxBytes }) => one(maxBytes),
    },
  });
}

/** Room in the store where it is a folder of this machine. */
export function watchDisk(
  registry: Registry,
  read: () => Promise<{ freeBytes: number; sizeBytes: number }>,
): void {
  sampledGauges(registry, read, {
    selvage_store_free_bytes: {
      help: 'Room left on the disk of the store',
      of: ({ freeBytes }) => one(freeBytes),
    },
    selvage_store_size_bytes: {
      help: 'Size of the disk of the store',
      of: ({ sizeBytes }) => one(sizeBytes),
    },
  });
}

/** What is done with the store: how long it takes, and what fails. */
export function createStoreMetrics(registry: Registry) {
  const seconds = new Histogram({
    name: 'selvage_store_seconds',
    help: 'Time of one successful call of the store',
    labelNames: ['operation'],
    buckets: STORE_SECONDS,
    registers: [registry],
  });
  const errors = new Counter({
    name: 'selvage_store_errors_total',
    help: 'Calls of the store that failed; a missing blob and a caller who left are no failures',
    labelNames: ['operation'],
    registers: [registry],
  });
  return {
    done: (operation: string, millis: number) => seconds.observe({ operation }, millis / 1000),
    failed: (operation: string) => errors.inc({ operation }),
  };
}
