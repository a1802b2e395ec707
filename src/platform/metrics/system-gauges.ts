import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { registerGauges } from './registry.ts';

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
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, read, [
    ['selvage_queue_jobs', 'Jobs in a queue by state; finished ones are retained for minutes', (queues) => queues.flatMap(({ queue, jobs }) => Object.entries(jobs).map(([state, count]) => [count, queue, state] as const)), 'queue', 'state'],
    ['selvage_queue_oldest_seconds', 'The longest time a job has been waiting for its first attempt', (queues) => queues.map(({ queue, oldestMillis }) => [oldestMillis / 1000, queue]), 'queue'],
    ['selvage_queue_clients', 'Clients with jobs waiting in a queue, which take turns', (queues) => queues.map(({ queue, waitingClients }) => [waitingClients, queue]), 'queue'],
  ]);
}

export function watchBatches(registry: Registry, read: () => Promise<BatchState>): void {
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, read, [
    ['selvage_batches_under_way', 'Batches and feed runs that are sealed and not done', ({ running }) => running],
    ['selvage_batch_rows', 'Rows of running batches: not dispatched yet (to_come), or dispatched to workers (at_workers)', ({ pending, dispatched }) => [[pending, 'to_come'], [dispatched, 'at_workers']], 'state'],
  ]);
}

interface SourceFigures {
  sources: readonly { status: string; count: number }[];
  objects: readonly { state: string; count: number }[];
}

export function watchSources(registry: Registry, read: () => Promise<SourceFigures>): void {
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, read, [
    ['selvage_sources', 'Declared sources by status; unreachable ones are tried again', ({ sources }) => sources.map(({ status, count }) => [count, status]), 'status'],
    ['selvage_source_objects', 'Versions of objects of all sources, by what became of them', ({ objects }) => objects.map(({ state, count }) => [count, state]), 'state'],
  ]);
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
        dependency,
        ...(await runCheck(check)),
      })),
    );
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, runChecks, [
    ['selvage_dependency_up', 'Whether this process reaches Redis and object storage, 1 or 0', (all) => all.map(({ dependency, up }) => [Number(up), dependency]), 'dependency'],
    ['selvage_dependency_seconds', 'Time of the last check of Redis and object storage', (all) => all.map(({ dependency, millis }) => [millis / 1000, dependency]), 'dependency'],
  ], CHECK_CACHE_MILLIS);
}

/** Registers gauges of Redis's memory. A full Redis rejects writes; `maxBytes` is 0 if it has no limit. */
export function watchRedisMemory(
  registry: Registry,
  read: () => Promise<{ usedBytes: number; maxBytes: number }>,
): void {
  registerGauges(registry, read, [
    ['selvage_redis_memory_used_bytes', 'Memory Redis uses', ({ usedBytes }) => usedBytes],
    ['selvage_redis_memory_max_bytes', 'Memory limit of Redis, 0 for none', (all) => all.maxBytes],
  ]);
}

/** Registers gauges of the disk that holds object storage, if that is a local folder. */
export function watchDisk(
  registry: Registry,
  read: () => Promise<{ freeBytes: number; sizeBytes: number }>,
): void {
  // biome-ignore format: a table reads best with a row a line
  registerGauges(registry, read, [
    ['selvage_store_free_bytes', 'Free space on the disk of object storage', ({ freeBytes }) => freeBytes],
    ['selvage_store_size_bytes', 'Size of the disk of object storage', ({ sizeBytes }) => sizeBytes],
  ]);
}
