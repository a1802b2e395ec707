import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from '../log.ts';
import { PREFIX } from './redis.ts';

/**
 * One value kept in Redis and in the store alike. Where only one of them has it, the other lost its
 * data or belongs to another installation, and nothing may be deleted because the other lacks it.
 */
export const EPOCH = `${PREFIX}:epoch`;
const EPOCH_BLOB = 'epoch';

/** What of a store is needed to mark it. */
export interface MarkedStore {
  head(key: string): Promise<unknown>;
  get(key: string): Promise<Uint8Array>;
  put(key: string, body: Uint8Array): Promise<void>;
}

/** The mark of a store, or nothing where it has none. */
async function readMark(store: MarkedStore): Promise<string | undefined> {
  if (!(await store.head(EPOCH_BLOB))) return undefined;
  return new TextDecoder().decode(await store.get(EPOCH_BLOB));
}

const look = async (redis: Redis, store: MarkedStore) => {
  const [kept, mark] = await Promise.all([redis.get(EPOCH), readMark(store)]);
  return { kept: kept ?? undefined, mark };
};

/** What Redis and the store have in common; nothing where they do not belong together. */
export async function commonEpoch(redis: Redis, store: MarkedStore): Promise<string | undefined> {
  const { kept, mark } = await look(redis, store);
  return kept === mark ? kept : undefined;
}

/** Marks Redis as belonging to the store, whatever was there before. */
export async function joinEpoch(redis: Redis, store: MarkedStore): Promise<void> {
  const { kept, mark } = await look(redis, store);
  const epoch = mark ?? kept ?? randomUUID();
  if (!mark) await store.put(EPOCH_BLOB, Buffer.from(epoch));
  await redis.set(EPOCH, epoch);
}

/** Any number of processes may do this at once: the first to reach Redis decides. */
async function beginEpoch(redis: Redis, store: MarkedStore): Promise<void> {
  await redis.set(EPOCH, randomUUID(), 'NX');
  const epoch = await redis.get(EPOCH);
  if (epoch) await store.put(EPOCH_BLOB, Buffer.from(epoch));
}

/** Another process may have marked one and be about to mark the other. */
const LOOKS = 5;
const LOOK_AGAIN_MILLIS = 300;

/** For each process as it starts: marks a new installation, and warns where the two do not match. */
export async function checkEpoch(redis: Redis, store: MarkedStore, log: Logger): Promise<void> {
  for (let looks = 1; ; looks++) {
    const { kept, mark } = await look(redis, store);
    if (kept === undefined && mark === undefined) return beginEpoch(redis, store);
    if (kept === mark) return;
    if (looks === LOOKS) return warnOfEpoch(log);
    await sleep(LOOK_AGAIN_MILLIS);
  }
}

export const warnOfEpoch = (log: Logger): void =>
  log.warn(
    'Redis and the store do not belong together: one lost its data, or is that of another installation. No orphan is deleted. If they are the right ones, run: npm run recover',
  );
