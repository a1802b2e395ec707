import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';
import { displayPrefix, hashKey, isKeyShaped, mintKey } from './api-key.ts';
import { Retention } from './client-retention.ts';
import { SCOPES } from './scopes.ts';

/** One hash holds all key records, by the key's HMAC: one HGET serves a request. */
const KEYS = `${PREFIX}:keys`;
/** Set: the HMACs of the keys that count under a meter. Records of earlier versions may be missing. */
const meterKey = (meter: string): string => `${PREFIX}:keys-of:${meter}`;

/** Limits of keys that were created without them. */
export const DEFAULT_LIMITS = {
  bytesPerDay: 50_000_000_000,
  weight: 1,
  maxFeeds: 100,
  feedIntervalSeconds: 900,
} as const;

export const MAX_WEIGHT = 16;

const KeyRecord = z.object({
  id: z.string(),
  client: z.string(),
  /** The first characters of the key, which may be shown. */
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  allowBase64: z.boolean(),
  rate: z.object({ count: z.number().int(), periodSeconds: z.number() }),
  /** Removals per UTC day. */
  quotaPerDay: z.number().int(),
  /** Bytes that may be stored for the client per UTC day. */
  bytesPerDay: z.number().int().default(DEFAULT_LIMITS.bytesPerDay),
  /** Turns of its client's jobs for each turn of a client with weight 1. */
  weight: z.number().int().min(1).max(MAX_WEIGHT).default(DEFAULT_LIMITS.weight),
  /** Feeds its client may have at a time. */
  maxFeeds: z.number().int().default(DEFAULT_LIMITS.maxFeeds),
  /** Minimum time between two scheduled runs of a feed. */
  feedIntervalSeconds: z.number().int().default(DEFAULT_LIMITS.feedIntervalSeconds),
  /** The name rate and quota are counted under. A rotated key keeps the one of its predecessor. */
  meter: z.string(),
  /** Shortens the retention its client and its requests ask for. */
  retention: Retention.optional(),
  createdAt: z.iso.datetime(),
  /** The key is rejected from then on: the end of a rotated key's grace period, or a planned end. */
  expiresAt: z.iso.datetime().optional(),
  revokedAt: z.iso.datetime().optional(),
});

/** What the operator knows about a key; never the key itself. */
export type KeyRecord = z.infer<typeof KeyRecord>;

/** What a key allows, as the operator grants it. */
export type Grant = Omit<
  z.input<typeof KeyRecord>,
  'id' | 'prefix' | 'meter' | 'createdAt' | 'expiresAt' | 'revokedAt'
>;

/** A newly created key: its only appearance in clear text. */
export interface CreatedKey {
  key: string;
  record: KeyRecord;
}

export class KeyError extends Error {}

/** Returns whether a key is accepted: neither revoked nor expired. */
export const isLive = (record: KeyRecord, nowMillis: number): boolean =>
  record.revokedAt === undefined &&
  (record.expiresAt === undefined || Date.parse(record.expiresAt) > nowMillis);

const timestamp = (millis: number): string => new Date(millis).toISOString();

/**
 * Writes a record. A revoked one never changes, even if another process writes it at the same time.
 * KEYS: all records, hashes of the meter. ARGV: hash of the key, record as JSON.
 */
const SAVE = `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and cjson.decode(known).revokedAt then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
return 1
`;

function defineSave(redis: Redis) {
  const run = defineScript<number>(redis, 'selvageKeySave', SAVE);
  return async (hash: string, record: KeyRecord): Promise<void> => {
    await run([KEYS, meterKey(record.meter)], [hash, JSON.stringify(record)]);
  };
}

/** Returns the newest of the records that is live and counts under a meter, or undefined. */
const newestLive = (
  records: readonly (string | null)[],
  meter: string,
  nowMillis: number,
): KeyRecord | undefined =>
  records
    .filter((json) => json?.includes(meter)) // parses few of many records
    .map((json) => KeyRecord.parse(JSON.parse(json!)))
    .filter((record) => record.meter === meter && isLive(record, nowMillis))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0];

/**
 * Returns the newest live record that counts under a meter, or undefined. Reads all records only if
 * those known by the meter are not live. Unlike `createKeys` it needs no pepper, which workers do not have.
 */
export async function findLiveByMeter(
  redis: Redis,
  meter: string,
  nowMillis: number,
): Promise<KeyRecord | undefined> {
  const hashes = await redis.smembers(meterKey(meter));
  const known = hashes.length > 0 ? await redis.hmget(KEYS, ...hashes) : [];
  return (
    newestLive(known, meter, nowMillis) ?? newestLive(await redis.hvals(KEYS), meter, nowMillis)
  );
}

/**
 * The register of keys in Redis.
 * @param pepper the installation's secret; keys hashed under another pepper are not found
 */
export function createKeys(redis: Redis, pepper: string, now: Clock) {
  const save = defineSave(redis);

  const readAll = async (): Promise<Map<string, KeyRecord>> =>
    new Map(
      Object.entries(await redis.hgetall(KEYS)).map(([hash, json]) => [
        hash,
        KeyRecord.parse(JSON.parse(json)),
      ]),
    );

  async function findById(id: string): Promise<[hash: string, record: KeyRecord]> {
    const found = [...(await readAll())].find(([, record]) => record.id === id);
    if (!found) throw new KeyError(`There is no key ${id}; "keys list" shows all keys`);
    return found;
  }

  async function find(hash: string): Promise<KeyRecord | undefined> {
    const json = await redis.hget(KEYS, hash);
    return json ? KeyRecord.parse(JSON.parse(json)) : undefined;
  }

  async function findLive(hash: string): Promise<KeyRecord | undefined> {
    const record = await find(hash);
    return record && isLive(record, now()) ? record : undefined;
  }

  async function add(key: string, grant: Grant, meter?: string): Promise<CreatedKey> {
    const id = `key_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const record = KeyRecord.parse({
      ...grant,
      id,
      prefix: displayPrefix(key),
      meter: meter ?? id,
      createdAt: timestamp(now()),
    });
    await save(hashKey(pepper, key), record);
    return { key, record };
  }

  return {
    create: (grant: Grant): Promise<CreatedKey> => add(mintKey(), grant),

    /**
     * Registers a key that the operator chose (the development key), replacing its grant. Returns
     * false if it is revoked or expired, which it stays.
     */
    async adopt(key: string, grant: Grant): Promise<boolean> {
      const hash = hashKey(pepper, key);
      const known = await find(hash);
      if (!known) await add(key, grant);
      else if (isLive(known, now())) {
        const { id, prefix, meter, createdAt, expiresAt } = known;
        await save(hash, KeyRecord.parse({ ...grant, id, prefix, meter, createdAt, expiresAt }));
      }
      return (await findLive(hash)) !== undefined;
    },

    /**
     * Returns the live record of a presented key, or undefined. Rejects a text without the format and
     * checksum of a key before asking Redis, unless it is `adopted`.
     */
    async lookUp(key: string, adopted?: string): Promise<KeyRecord | undefined> {
      if (!isKeyShaped(key) && key !== adopted) return undefined;
      return findLive(hashKey(pepper, key));
    },

    /** Returns the hash a key's record is stored under. It does not reveal the key. */
    hash: (key: string): string => hashKey(pepper, key),

    /** Returns the live record stored under a hash, or undefined. */
    findLive,

    /** Returns every record, oldest first. */
    list: async (): Promise<KeyRecord[]> =>
      [...(await readAll()).values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /**
     * Creates a second key with the same grant and meter; the old one stays live for `graceSeconds`.
     * Rejects with `KeyError` if the key is not live or its meter already has two live keys.
     */
    async rotate(id: string, graceSeconds: number): Promise<CreatedKey> {
      const [hash, old] = await findById(id);
      const nowMillis = now();
      if (!isLive(old, nowMillis)) {
        throw new KeyError(`Key ${id} is no longer live; create a new one`);
      }
      const others = [...(await readAll()).values()].filter(
        (record) => record.id !== id && record.meter === old.meter && isLive(record, nowMillis),
      );
      if (others[0]) {
        throw new KeyError(
          `Key ${id} has a second live key (${others[0].id}); revoke one of them first`,
        );
      }
      const created = await add(mintKey(), old, old.meter);
      await save(hash, { ...old, expiresAt: timestamp(nowMillis + graceSeconds * 1000) });
      return created;
    },

    /** Revokes a key: the next request with it is rejected. */
    async revoke(id: string): Promise<KeyRecord> {
      const [hash, record] = await findById(id);
      const revoked = { ...record, revokedAt: record.revokedAt ?? timestamp(now()) };
      await save(hash, revoked);
      return revoked;
    },
  };
}

export type Keys = ReturnType<typeof createKeys>;
