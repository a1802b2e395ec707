import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { adoptInstallationId } from '../../src/intake/installation-id.ts';
import type { JobRecords } from '../../src/intake/job-records.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { JobQueue } from '../../src/queue/queue.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

/** Counts of one kind of record, by outcome. */
export interface Counts {
  /** Restored to Redis. */
  rebuilt: number;
  /** Already in Redis. */
  known: number;
  /** Not readable by this version; skipped. */
  unknown: number;
}
export const newCounts = (): Counts => ({ rebuilt: 0, known: 0, unknown: 0 });

export type Outcome = keyof Counts;

export interface RecoverDeps {
  redis: Redis;
  blobs: Blobs;
  records: JobRecords;
  /** The queue `async`. */
  queue: JobQueue;
  log: Logger;
  /** Redis's time. */
  now: Clock;
}

/** Runs the work for each item with bounded concurrency; the first error ends it. */
type ForEach = <T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>) => Promise<void>;

/** Restores one kind of record to Redis. Idempotent. */
export interface Rebuilder {
  name: string;
  rebuild(deps: RecoverDeps, forEach: ForEach, signal: AbortSignal): Promise<Counts>;
}

/**
 * Restores all records that storage has manifests of, and only then lets sweeps delete orphans again.
 * @param concurrency records restored at a time
 */
export async function rebuildAll(
  rebuilders: readonly Rebuilder[],
  deps: RecoverDeps,
  concurrency: number,
  signal: AbortSignal,
): Promise<Record<string, Counts>> {
  const forEach: ForEach = (items, work) =>
    Readable.from(items).forEach(work, { concurrency, signal });
  const counts: Record<string, Counts> = {};
  for (const { name, rebuild } of rebuilders) {
    counts[name] = await rebuild(deps, forEach, signal);
  }
  await adoptInstallationId(deps.redis, deps.blobs);
  return counts;
}
