import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { batchKey } from '../src/intake/batches/scripts.ts';
import { DEED_MILLIS } from '../src/intake/deeds.ts';
import { feedKey } from '../src/intake/feeds/feeds.ts';
import { sharedInstallationId, warnOfMismatch } from '../src/intake/installation.ts';
import { type JobRecord, jobKey } from '../src/intake/job-records.ts';
import { isCompared } from '../src/intake/recovery-state.ts';
import { pagesOf } from '../src/platform/pages.ts';
import type { Services } from '../src/services.ts';
import {
  type BlobOwner,
  blobOwner,
  DEEDS_PREFIX,
  garmentKeys,
  garmentsPrefix,
  manifestKeyOf,
  OWNED_PREFIXES,
} from '../src/storage/blob-keys.ts';
import { type Blobs, deleteOlder } from '../src/storage/blobs.ts';
import { type Outcome, recordsExist, restoreOne } from './recover/rebuild.ts';
import { openRebuilders } from './recover/rebuilders.ts';

/** Younger blobs are skipped: their record may not exist yet. It does within seconds. */
const MIN_AGE_MILLIS = 3_600_000;
const CONCURRENCY = 16;

/** By the kind of an owner: the keys of its records, and the name of what restores them. */
const RECORDS = {
  job: { keyOf: jobKey, rebuilder: 'jobs' },
  batch: { keyOf: batchKey, rebuilder: 'batches' },
  feed: { keyOf: feedKey, rebuilder: 'feeds' },
} satisfies Record<BlobOwner['kind'], object>;

interface OwnedBlob {
  key: string;
  owner: BlobOwner;
}

/** Yields blobs that are old enough. Skips keys that name no owner. */
async function* ownedBlobs(
  blobs: Blobs,
  prefix: string,
  nowMillis: number,
  signal: AbortSignal,
): AsyncGenerator<OwnedBlob> {
  for await (const { key, modifiedAt } of blobs.list(prefix, signal)) {
    const owner = blobOwner(key);
    if (owner && nowMillis - modifiedAt.getTime() >= MIN_AGE_MILLIS) yield { key, owner };
  }
}

/**
 * Returns the blobs of a page whose owner has no record.
 * @throws Error if Redis has lost its data meanwhile, and with it all records
 */
async function withoutRecord(redis: Redis, page: readonly OwnedBlob[], installationId: string) {
  const keys = page.map(({ owner: { kind, id } }) => RECORDS[kind].keyOf(id));
  const found = await recordsExist(redis, keys);
  if (found.installationId !== installationId) {
    throw new Error('Redis lost its data during the sweep');
  }
  return page.filter((_, i) => !found.exist[i]);
}

/** Deletes blobs whose owner has neither a record nor a manifest; puts back a record that has a manifest. */
async function settleOrphans(
  services: Services,
  installationId: string,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  const { redis, blobs, log } = services;
  const restorers = openRebuilders(services);
  let [deleted, restored] = [0, 0];
  for (const prefix of OWNED_PREFIXES) {
    for await (const page of pagesOf(ownedBlobs(blobs, prefix, nowMillis, signal))) {
      /** By manifest: a batch has many blobs. */
      const outcomes = new Map<string, Outcome>();
      for (const { key, owner } of await withoutRecord(redis, page, installationId)) {
        const manifestKey = manifestKeyOf(key) ?? key;
        const rebuilder = restorers.find(({ name }) => name === RECORDS[owner.kind].rebuilder);
        const outcome =
          outcomes.get(manifestKey) ??
          (rebuilder ? await restoreOne(rebuilder, manifestKey, log, signal) : 'unknown');
        if (outcome === 'rebuilt' && !outcomes.has(manifestKey)) restored++;
        outcomes.set(manifestKey, outcome);
        if (outcome !== 'absent') continue;
        await blobs.delete(key, signal);
        deleted++;
      }
    }
  }
  if (restored > 0) log.warn({ restored }, 'Redis had lost records; they are restored');
  return deleted + restored;
}

/** Deletes deeds that no Redis can lose any more. Returns how many. */
async function forgetDeeds(
  { redis, blobs }: Pick<Services, 'redis' | 'blobs'>,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  if (!(await isCompared(redis))) return 0;
  return deleteOlder(blobs, DEEDS_PREFIX, nowMillis - DEED_MILLIS, signal);
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
  { jobs, blobs }: Pick<Services, 'jobs' | 'blobs'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<JobRecord[]> =>
  Readable.from(ids)
    .map((id: string) => jobs.get(id), { concurrency: CONCURRENCY, signal })
    .filter(
      async (job: JobRecord | undefined) =>
        job?.status === 'succeeded' && isAnyMissing(blobs, outputKeysOf(job), signal),
      { concurrency: CONCURRENCY, signal },
    )
    .toArray({ signal });

/** Expires jobs whose cut-out does not exist. Returns how many. */
async function expireWithoutCutOut(
  services: Services,
  installationId: string,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for await (const ids of services.jobs.pages()) {
    const lost = await withoutCutOut(services, ids, signal);
    // Storage that is unavailable, or belongs to another installation, has none of them.
    if (
      lost.length > 0 &&
      (await sharedInstallationId(services.redis, services.blobs)) !== installationId
    ) {
      throw new Error('Object storage lost its data during the sweep');
    }
    for (const job of lost) await services.jobRetention.expire(job, nowMillis);
    expired += lost.length;
  }
  return expired;
}

/**
 * Puts back records that have a manifest, deletes blobs without both, and expires jobs without their cut-out. Does nothing if Redis and storage
 * do not belong together, as after a loss of Redis's data. Returns the sum of both.
 */
export async function reconcileOrphans(
  services: Services,
  nowMillis: number,
  signal: AbortSignal,
): Promise<number> {
  const installationId = await sharedInstallationId(services.redis, services.blobs);
  if (installationId === undefined) {
    warnOfMismatch(services.log);
    return 0;
  }
  const settled = await settleOrphans(services, installationId, nowMillis, signal);
  const forgotten = await forgetDeeds(services, nowMillis, signal);
  return (
    settled + forgotten + (await expireWithoutCutOut(services, installationId, nowMillis, signal))
  );
}
