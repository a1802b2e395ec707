import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { PREFIX } from '../platform/redis.ts';

/**
 * One value kept in Redis and in the store alike. Where only one of them has it, the other lost its
 * data or belongs to another installation, and nothing may be deleted because the other lacks it.
 */
export const INSTALLATION_ID_KEY = `${PREFIX}:epoch`;
const INSTALLATION_ID_BLOB = 'epoch';

/** What of a store is needed to mark it. */
export interface MarkedStorage {
  head(key: string): Promise<unknown>;
  get(key: string): Promise<Uint8Array>;
  put(key: string, body: Uint8Array): Promise<void>;
}

/** The mark of a store, or nothing where it has none. */
async function readMark(store: MarkedStorage): Promise<string | undefined> {
  if (!(await store.head(INSTALLATION_ID_BLOB))) return undefined;
  return new TextDecoder().decode(await store.get(INSTALLATION_ID_BLOB));
}

const look = async (redis: Redis, store: MarkedStorage) => {
  const [kept, mark] = await Promise.all([redis.get(INSTALLATION_ID_KEY), readMark(store)]);
  return { kept: kept ?? undefined, mark };
};

/** What Redis and the store have in common; nothing where they do not belong together. */
export async function sharedInstallationId(
  redis: Redis,
  store: MarkedStorage,
): Promise<string | undefined> {
  const { kept, mark } = await look(redis, store);
  return kept === mark ? kept : undefined;
}

/** Marks Redis as belonging to the store, whatever was there before. */
export async function adoptInstallationId(redis: Redis, store: MarkedStorage): Promise<void> {
  const { kept, mark } = await look(redis, store);
  const epoch = mark ?? kept ?? randomUUID();
  if (!mark) await store.put(INSTALLATION_ID_BLOB, Buffer.from(epoch));
  await redis.set(INSTALLATION_ID_KEY, epoch);
}

/** Any number of processes may do this at once: the first to reach Redis decides. */
async function createInstallationId(redis: Redis, store: MarkedStorage): Promise<void> {
  await redis.set(INSTALLATION_ID_KEY, randomUUID(), 'NX');
  const epoch = await redis.get(INSTALLATION_ID_KEY);
  if (epoch) await store.put(INSTALLATION_ID_BLOB, Buffer.from(epoch));
}

/** Another process may have marked one and be about to mark the other. */
const LOOKS = 5;
const LOOK_AGAIN_MILLIS = 300;

/** For each process as it starts: marks a new installation, and warns where the two do not match. */
export async function checkInstallationId(
  redis: Redis,
  store: MarkedStorage,
  log: Logger,
): Promise<void> {
  for (let looks = 1; ; looks++) {
    const { kept, mark } = await look(redis, store);
    if (kept === undefined && mark === undefined) return createInstallationId(redis, store);
    if (kept === mark) return;
    if (looks === LOOKS) return warnOfMismatch(log);
    await sleep(LOOK_AGAIN_MILLIS);
  }
}

export const warnOfMismatch = (log: Logger): void =>
  log.warn(
    'Redis and the store do not belong together: one lost its data, or is that of another installation. No orphan is deleted. If they are the right ones, run: npm run recover',
  );
