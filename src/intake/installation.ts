import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { watchDependencies, watchDisk } from '../platform/metrics/system-gauges.ts';
import type { Platform } from '../platform/open-platform.ts';
import { PREFIX } from '../platform/redis.ts';
import { type Blobs, instrumentBlobs } from '../storage/blobs.ts';
import { diskSpace, openStorage, type StorageSettings } from '../storage/open-storage.ts';

/**
 * The installation id is one value, held in Redis and in object storage alike. If only one of them has it, the other
 * lost its data or belongs to another installation; then nothing may be deleted because the other lacks it.
 */
export const INSTALLATION_ID_KEY = `${PREFIX}:epoch`;
const INSTALLATION_ID_BLOB = 'epoch';

type MarkedStorage = Pick<Blobs, 'head' | 'get' | 'put'>;

async function readStorageId(storage: MarkedStorage): Promise<string | undefined> {
  if (!(await storage.head(INSTALLATION_ID_BLOB))) return undefined;
  return new TextDecoder().decode(await storage.get(INSTALLATION_ID_BLOB));
}

/** Returns the ids that Redis and object storage have. */
export async function readInstallationIds(redis: Redis, storage: MarkedStorage) {
  const [inRedis, inStorage] = await Promise.all([
    redis.get(INSTALLATION_ID_KEY),
    readStorageId(storage),
  ]);
  return { inRedis: inRedis ?? undefined, inStorage };
}

/** Returns the id that Redis and object storage share, or nothing if they do not belong together. */
export async function sharedInstallationId(
  redis: Redis,
  storage: MarkedStorage,
): Promise<string | undefined> {
  const { inRedis, inStorage } = await readInstallationIds(redis, storage);
  return inRedis === inStorage ? inRedis : undefined;
}

/** Gives Redis the id of the object storage, replacing its own. */
export async function adoptInstallationId(redis: Redis, storage: MarkedStorage): Promise<void> {
  const { inRedis, inStorage } = await readInstallationIds(redis, storage);
  const id = inStorage ?? inRedis ?? randomUUID();
  if (!inStorage) await storage.put(INSTALLATION_ID_BLOB, Buffer.from(id));
  await redis.set(INSTALLATION_ID_KEY, id);
}

/** Any number of processes may do this at once: the first to reach Redis decides. */
async function createInstallationId(redis: Redis, storage: MarkedStorage): Promise<void> {
  await redis.set(INSTALLATION_ID_KEY, randomUUID(), 'NX');
  const id = await redis.get(INSTALLATION_ID_KEY);
  if (id) await storage.put(INSTALLATION_ID_BLOB, Buffer.from(id));
}

/** Another process may have written the id to one of them and be about to write it to the other. */
const MAX_CHECKS = 5;
const RECHECK_MILLIS = 300;

/** Called by each process at its start: creates the id of a new installation, and warns of a mismatch. */
export async function checkInstallationId(
  redis: Redis,
  storage: MarkedStorage,
  log: Logger,
): Promise<void> {
  for (let checks = 1; ; checks++) {
    const { inRedis, inStorage } = await readInstallationIds(redis, storage);
    if (inRedis === undefined && inStorage === undefined) {
      return createInstallationId(redis, storage);
    }
    if (inRedis === inStorage) return;
    if (checks === MAX_CHECKS) return inRedis === undefined ? warnOfLoss(log) : warnOfMismatch(log);
    await sleep(RECHECK_MILLIS);
  }
}

const warnOfLoss = (log: Logger): void =>
  log.warn(
    'Redis has lost its data. A worker restores it from the object storage; to do so at once, run: npm run recover',
  );

export const warnOfMismatch = (log: Logger): void =>
  log.warn(
    'Redis and the object storage do not belong together: one of them lost its data or is from another installation. No orphan is deleted. If both are the right ones, run: npm run recover',
  );

/**
 * Opens the object storage of this installation with metrics about it, and warns if Redis belongs to
 * another installation. Waits up to 30 s for a bucket that is unavailable; rejects if it stays so.
 */
export async function openInstallationStorage(
  settings: StorageSettings,
  { redis, registry, log }: Pick<Platform, 'redis' | 'registry' | 'log'>,
): Promise<Blobs> {
  const blobs = instrumentBlobs(await openStorage(settings), registry);
  const reason = blobs.kept();
  if (reason)
    log.warn({ reason }, 'deletion is not complete: deleted images may remain in storage');
  await checkInstallationId(redis, blobs, log);
  if (settings.STORE === 'fs') watchDisk(registry, () => diskSpace(settings.STORE_DIR));
  watchDependencies(registry, {
    redis: async () => void (await redis.ping()),
    store: () => blobs.check(),
  });
  return blobs;
}
