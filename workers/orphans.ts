import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { batchKey } from '../src/intake/batches/redis-keys.ts';
import { feedKey } from '../src/intake/feeds/feeds.ts';
import { garmentKeys } from '../src/intake/garment-files.ts';
import {
  INSTALLATION_ID_KEY,
  sharedInstallationId,
  warnOfMismatch,
} from '../src/intake/installation-id.ts';
import { type JobRecord, type JobRecords, jobKey } from '../src/intake/job-records.ts';
import type { JobRetention } from '../src/intake/job-retention.ts';
import type { Logger } from '../src/platform/log.ts';
import {
  type BlobOwner,
  blobOwner,
  garmentsPrefix,
  OWNED_PREFIXES,
} from '../src/storage/blob-keys.ts';
import type { Blobs } from '../src/storage/blobs.ts';

/** Younger blobs are skipped: their record may not exist yet. It does within seconds. */
const MIN_AGE_MILLIS = 3_600_000;
/** Blobs looked up in Redis at once, and held in memory. */
const PAGE_SIZE = 500;
const CONCURRENCY = 16;

interface OrphanDeps {
  redis: Redis;
  blobs: Blobs;
  records: JobRecords;
  retention: JobRetention;
  log: Logger;
}

const RECORD_KEYS: Readonly<Record<BlobOwner['kind'], (id: string) => string>> = {
  job: jobKey,
  batch: batchKey,
  feed: feedKey,
};

interface OwnedBlob {
  key: string;
  /** Redis key of the owner's record. */
  recordKey: string;
}

/** Yields pages of blobs that are old enough. Skips keys that name no owner. */
async function* ownedBlobs(blobs: Blobs, prefix: string, nowMillis: number, signal: AbortSignal) {
  let page: OwnedBlob[] = [];
  for await (const { key, modifiedAt } of blobs.list(prefix, signal)) {
    const owner = blobOwner(key);
    if (!owner || nowMillis - modifiedAt.getTime() < MIN_AGE_MILLIS) continue;
    page.push({ key, recordKey: RECORD_KEYS[owner.kind](owner.id) });
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/**
 * Returns the blobs of a page whose owner has no record.
 * @throws Error if Redis has lost its data meanwhile, and with it all records
 */
async function withoutRecord(redis: Redis, page: readonly OwnedBlob[], installationId: string) {
  const pipeline = redis.pipeline();
  for (const { recordKey } of page) pipeline.exists(recordKey);
  const replies = (await pipeline.get(INSTALLATION_ID_KEY).exec()) ?? [];
  const currentId = replies.pop()?.[1];
  if (currentId !== installationId) throw new Error('Redis lost its data during the sweep');
  return page.filter((_, i) => replies[i]?.[1] === 0);
}

/** Deletes blobs whose owner has no record. Returns how many. */
async function deleteOrphans(
  { redis, blobs }: Pick<OrphanDeps, 'redis' | 'blobs'>,
  installationId: string,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (const prefix of OWNED_PREFIXES) {
    for await (const page of ownedBlobs(blobs, prefix, nowMillis, signal)) {
      for (const { key } of await withoutRecord(redis, page, installationId)) {
        await blobs.delete(key, signal);
        deleted++;
      }
    }
  }
  return deleted;
}

/** Returns the keys of the cut-outs that a job has made. */
function outputKeysOf({ id, client, outputKey, input, results }: JobRecord): string[] {
  const cutOut = results?.cutout && outputKey !== undefined ? [outputKey] : [];
  if (!input) return cutOut;
  return [...cutOut, ...garmentKeys(garmentsPrefix(client, input.sha256, id), results?.outfit)];
}

/** Whether one of several blobs does not exist. */
async function isAnyMissing(
  blobs: Blobs,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const key of keys) if ((await blobs.head(key, signal)) === undefined) return true;
  return false;
}

/** Returns those of the jobs that succeeded and of whose cut-outs one does not exist. */
const withoutCutOut = (
  { records, blobs }: Pick<OrphanDeps, 'records' | 'blobs'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<JobRecord[]> =>
  Readable.from(ids)
    .map((id: string) => records.get(id), { concurrency: CONCURRENCY, signal })
    .filter(
      async (job: JobRecord | undefined) =>
        job?.status === 'succeeded' && isAnyMissing(blobs, outputKeysOf(job), signal),
      { concurrency: CONCURRENCY, signal },
    )
    .toArray({ signal });

/** Expires jobs whose cut-out does not exist. Returns how many. */
async function expireWithoutCutOut(
  deps: Omit<OrphanDeps, 'log'>,
  installationId: string,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for await (const ids of deps.records.pages()) {
    const lost = await withoutCutOut(deps, ids, signal);
    // Storage that is unavailable, or belongs to another installation, has none of them.
    if (
      lost.length > 0 &&
      (await sharedInstallationId(deps.redis, deps.blobs)) !== installationId
    ) {
      throw new Error('Object storage lost its data during the sweep');
    }
    for (const job of lost) await deps.retention.expire(job, nowMillis);
    expired += lost.length;
  }
  return expired;
}

/**
 * Deletes blobs without a record, and expires jobs without their cut-out. Does nothing if Redis and storage
 * do not belong together, as after a loss of Redis's data. Returns the sum of both.
 */
export async function reconcileOrphans(
  deps: OrphanDeps,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  const installationId = await sharedInstallationId(deps.redis, deps.blobs);
  if (installationId === undefined) {
    warnOfMismatch(deps.log);
    return 0;
  }
  const deleted = await deleteOrphans(deps, installationId, nowMillis, signal);
  return deleted + (await expireWithoutCutOut(deps, installationId, nowMillis, signal));
}
