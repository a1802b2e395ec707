import { Readable } from 'node:stream';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { adoptInstallationId } from '../../src/intake/installation-id.ts';
import type { JobRecords } from '../../src/intake/job-records.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

/** What came of the things of one kind that the store keeps. */
export interface Tally {
  /** Entered in Redis again. */
  rebuilt: number;
  /** Redis knew them. */
  known: number;
  /** Not written by this version, or by nobody of ours; left as they are. */
  unknown: number;
}
export const newTally = (): Tally => ({ rebuilt: 0, known: 0, unknown: 0 });

export interface RecoverDeps {
  redis: Redis;
  blobs: Blobs;
  records: JobRecords;
  /** The queue `async`. */
  queue: Queue;
  log: Logger;
}

/** Does the work for each item, a bounded number at a time; the first fault ends it. */
export type EachOf = <T>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<void>,
) => Promise<void>;

/** Enters what is kept of one kind of thing in Redis again. Doing it twice changes nothing. */
export interface Rebuilder {
  name: string;
  rebuild(deps: RecoverDeps, eachOf: EachOf, signal: AbortSignal): Promise<Tally>;
}

/**
 * Rebuilds all that can be told from the store, and only then lets sweeps run again.
 * @param atOnce how many things are worked on at a time
 */
export async function rebuildAll(
  rebuilders: readonly Rebuilder[],
  deps: RecoverDeps,
  atOnce: number,
  signal: AbortSignal,
): Promise<Record<string, Tally>> {
  const eachOf: EachOf = (items, work) =>
    Readable.from(items).forEach(work, { concurrency: atOnce, signal });
  const tallies: Record<string, Tally> = {};
  for (const { name, rebuild } of rebuilders) {
    tallies[name] = await rebuild(deps, eachOf, signal);
  }
  await adoptInstallationId(deps.redis, deps.blobs);
  return tallies;
}
