import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { batchKey } from '../src/intake/batches/batches.ts';
import { feedKey } from '../src/intake/feeds/feeds.ts';
import {
  INSTALLATION_ID_KEY,
  sharedInstallationId,
  warnOfMismatch,
} from '../src/intake/installation-id.ts';
import { type JobRecord, type JobRecords, jobKey } from '../src/intake/job-records.ts';
import type { JobRetention } from '../src/intake/job-retention.ts';
import type { Logger } from '../src/platform/log.ts';
import { HELD_PREFIXES, type Holder, holderOf } from '../src/storage/blob-keys.ts';
import type { Blobs } from '../src/storage/blobs.ts';

/** What is accepted or made at this moment has its record within seconds. */
const YOUNG_MILLIS = 3_600_000;
/** How many are asked about at once, and held in memory. */
const PAGE = 500;
const AT_ONCE = 16;

export interface OrphanDeps {
  redis: Redis;
  blobs: Blobs;
  records: JobRecords;
  keeping: JobRetention;
  log: Logger;
}

const RECORD_KEYS: Readonly<Record<Holder['kind'], (id: string) => string>> = {
  job: jobKey,
  batch: batchKey,
  feed: feedKey,
};

interface Held {
  key: string;
  recordKey: string;
}

/** Blobs old enough that have a holder, page by page. Names nobody here knows are left alone. */
async function* heldBlobs(blobs: Blobs, prefix: string, nowMillis: number, signal: AbortSignal) {
  let page: Held[] = [];
  for await (const { key, modifiedAt } of blobs.list(prefix, signal)) {
    const holder = holderOf(key);
    if (!holder || nowMillis - modifiedAt.getTime() < YOUNG_MILLIS) continue;
    page.push({ key, recordKey: RECORD_KEYS[holder.kind](holder.id) });
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/**
 * Those of a page whose holder Redis does not know.
 * @throws where Redis has lost its data meanwhile: then it knows nobody
 */
async function withoutRecord(redis: Redis, page: readonly Held[], epoch: string) {
  const asked = redis.pipeline();
  for (const { recordKey } of page) asked.exists(recordKey);
  const replies = (await asked.get(INSTALLATION_ID_KEY).exec()) ?? [];
  const kept = replies.pop()?.[1];
  if (kept !== epoch) throw new Error('Redis lost its data while orphans were looked for');
  return page.filter((_, i) => replies[i]?.[1] === 0);
}

/** Deletes blobs whose job or batch is not known any more; answers how many. */
export async function deleteOrphans(
  { redis, blobs }: Pick<OrphanDeps, 'redis' | 'blobs'>,
  epoch: string,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (const prefix of HELD_PREFIXES) {
    for await (const page of heldBlobs(blobs, prefix, nowMillis, signal)) {
      for (const { key } of await withoutRecord(redis, page, epoch)) {
        await blobs.delete(key, signal);
        deleted++;
      }
    }
  }
  return deleted;
}

/** Those of some jobs that have succeeded and lost what they made. */
const withoutBlob = (
  { records, blobs }: Pick<OrphanDeps, 'records' | 'blobs'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<JobRecord[]> =>
  Readable.from(ids)
    .map((id: string) => records.get(id), { concurrency: AT_ONCE, signal })
    .filter(
      async (job: JobRecord | undefined) =>
        job?.status === 'succeeded' &&
        job.outputKey !== undefined &&
        job.results?.cutout !== undefined &&
        (await blobs.head(job.outputKey, signal)) === undefined,
      { concurrency: AT_ONCE, signal },
    )
    .toArray({ signal });

/** Expires jobs whose cut-out is gone from the store; answers how many. */
export async function expireBlobless(
  deps: Omit<OrphanDeps, 'log'>,
  epoch: string,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for await (const ids of deps.records.pages()) {
    const lost = await withoutBlob(deps, ids, signal);
    // A store that is away, or another one, lacks them all.
    if (lost.length > 0 && (await sharedInstallationId(deps.redis, deps.blobs)) !== epoch) {
      throw new Error('The store lost its data while orphans were looked for');
    }
    for (const job of lost) await deps.keeping.expire(job, nowMillis);
    expired += lost.length;
  }
  return expired;
}

/**
 * Looks both ways: blobs that belong to nobody, and jobs whose blob is gone. Not where Redis and the
 * store do not belong together, as after Redis lost its data. Answers how many of both.
 */
export async function settleOrphans(
  deps: OrphanDeps,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  const epoch = await sharedInstallationId(deps.redis, deps.blobs);
  if (epoch === undefined) {
    warnOfMismatch(deps.log);
    return 0;
  }
  const deleted = await deleteOrphans(deps, epoch, nowMillis, signal);
  return deleted + (await expireBlobless(deps, epoch, nowMillis, signal));
}
