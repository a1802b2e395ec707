import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Histogram, type Registry } from 'prom-client';
import { registerSampledGauges, single } from './registry.ts';

/** Buckets from a cached file to a slow upload. */
const STORAGE_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];
/** A dependency counts as down if its check takes longer. */
const CHECK_MILLIS = 2000;
const CHECK_CACHE_MILLIS = 5000;

interface QueueState {
  queue: string;
  jobs: Readonly<Record<string, number>>;
  /** The longest time a job has been waiting, 0 if none is. */
  oldestMillis: number;
  waitingClients: number;
}

interface BatchState {
  running: number;
  /** Rows accepted but not dispatched to workers yet. */
  pending: number;
  /** Rows dispatched to workers and not done. */
  dispatched: number;
}

/** Every gateway reports them alike. */
export function watchQueues(registry: Registry, read: () => Promise<QueueState[]>): void {
  registerSampledGauges(registry, read, {
    selvage_queue_jobs: {
      help: 'Jobs in a queue by state; finished ones are retained for minutes',
      labels: ['queue', 'state'],
      values: (queues) =>
        queues.flatMap(({ queue, jobs }) =>
          Object.entries(jobs).map(([state, value]) => ({ labels: { queue, state }, value })),
        ),
    },
    selvage_queue_oldest_seconds: {
      help: 'The longest time a job has been waiting for its first attempt',
      labels: ['queue'],
      values: (queues) =>
        queues.map(({ queue, oldestMillis }) => ({
          labels: { queue },
          value: oldestMillis / 1000,
        })),
    },
    selvage_queue_clients: {
      help: 'Clients with jobs waiting in a queue, which take turns',
      labels: ['queue'],
      values: (queues) =>
        queues.map(({ queue, waitingClients }) => ({ labels: { queue }, value: waitingClients })),
    },
  });
}

export function watchBatches(registry: Registry, read: () => Promise<BatchState>): void {
  registerSampledGauges(registry, read, {
    selvage_batches_under_way: {
      help: 'Batches and feed runs that are sealed and not done',
      values: ({ running }) => single(running),
    },
    selvage_batch_rows: {
      help: 'Rows of running batches: not dispatched yet (to_come), or dispatched to workers (at_workers)',
      labels: ['state'],
      values: ({ pending, dispatched }) => [
        { labels: { state: 'to_come' }, value: pending },
        { labels: { state: 'at_workers' }, value: dispatched },
      ],
    },
  });
}

interface SourceFigures {
  sources: readonly { status: string; count: number }[];
  objects: readonly { state: string; count: number }[];
}

export function watchSources(registry: Registry, read: () => Promise<SourceFigures>): void {
  registerSampledGauges(registry, read, {
    selvage_sources: {
      help: 'Declared sources by status; unreachable ones are tried again',
      labels: ['status'],
      values: ({ sources }) =>
        sources.map(({ status, count }) => ({ labels: { status }, value: count })),
    },
    selvage_source_objects: {
      help: 'Versions of objects of all sources, by what became of them',
      labels: ['state'],
      values: ({ objects }) =>
        objects.map(({ state, count }) => ({ labels: { state }, value: count })),
    },
  });
}

/** Runs the check of a dependency: whether it succeeded, and how long it took. */
async function runCheck(check: () => Promise<void>): Promise<{ up: boolean; millis: number }> {
  const startedAt = performance.now();
  const timeout = sleep(CHECK_MILLIS, false, { ref: false });
  const succeeded = check().then(
    () => true,
    () => false,
  );
  const up = await Promise.race([succeeded, timeout]);
  return { up, millis: performance.now() - startedAt };
}

/** Registers gauges of this process's dependencies, checked at scrape time, at most every five seconds. */
export function watchDependencies(
  registry: Registry,
  checks: Readonly<Record<string, () => Promise<void>>>,
): void {
  const runChecks = () =>
    Promise.all(
      Object.entries(checks).map(async ([dependency, check]) => ({
        labels: { dependency },
        ...(await runCheck(check)),
      })),
    );
  const gauges = {
    selvage_dependency_up: {
      help: 'Whether this process reaches Redis and object storage, 1 or 0',
      labels: ['dependency'],
      values: (results: Awaited<ReturnType<typeof runChecks>>) =>
        results.map(({ labels, up }) => ({ labels, value: Number(up) })),
    },
    selvage_dependency_seconds: {
      help: 'Time of the last check of Redis and object storage',
      labels: ['dependency'],
      values: (results: Awaited<ReturnType<typeof runChecks>>) =>
        results.map(({ labels, millis }) => ({ labels, value: millis / 1000 })),
    },
  };
  registerSampledGauges(registry, runChecks, gauges, CHECK_CACHE_MILLIS);
}

/** Registers gauges of Redis's memory. A full Redis rejects writes; `maxBytes` is 0 if it has no limit. */
export function watchRedisMemory(
  registry: Registry,
  read: () => Promise<{ usedBytes: number; maxBytes: number }>,
): void {
  registerSampledGauges(registry, read, {
    selvage_redis_memory_used_bytes: {
      help: 'Memory Redis uses',
      values: ({ usedBytes }) => single(usedBytes),
    },
    selvage_redis_memory_max_bytes: {
      help: 'Memory limit of Redis, 0 for none',
      values: ({ maxBytes }) => single(maxBytes),
    },
  });
}

/** Registers gauges of the disk that holds object storage, if that is a local folder. */
export function watchDisk(
  registry: Registry,
  read: () => Promise<{ freeBytes: number; sizeBytes: number }>,
): void {
  registerSampledGauges(registry, read, {
    selvage_store_free_bytes: {
      help: 'Free space on the disk of object storage',
      values: ({ freeBytes }) => single(freeBytes),
    },
    selvage_store_size_bytes: {
      help: 'Size of the disk of object storage',
      values: ({ sizeBytes }) => single(sizeBytes),
    },
  });
}

/** Of calls to object storage. */
export class StorageMetrics {
  readonly #seconds;
  readonly #errors;

  constructor(registry: Registry) {
    this.#seconds = new Histogram({
      name: 'selvage_store_seconds',
      help: 'Time of one successful call to object storage',
      labelNames: ['operation'],
      buckets: STORAGE_BUCKETS_SECONDS,
      registers: [registry],
    });
    this.#errors = new Counter({
      name: 'selvage_store_errors_total',
      help: 'Failed calls to object storage; a missing blob or a canceled call is not a failure',
      labelNames: ['operation'],
      registers: [registry],
    });
  }

  done(operation: string, millis: number): void {
    this.#seconds.observe({ operation }, millis / 1000);
  }

  failed(operation: string): void {
    this.#errors.inc({ operation });
  }
}
