import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import { displayPrefix, hashKey, isKeyShaped, mintKey } from './api-key.ts';
import { Retention } from './client-retention.ts';
import { INTAKE_RIGHTS, SCOPES } from './scopes.ts';

/** One hash holds all key records, by the key's HMAC: one HGET serves a request. */
export const KEYS = `${PREFIX}:keys`;
/** Set: the HMACs of the keys that count under a meter. Records of earlier versions may be missing. */
export const meterKey = (meter: string): string => `${PREFIX}:keys-of:${meter}`;

/** What an operator grants who says nothing else. */
export const DEFAULT_ALLOWANCE = {
  rate: { count: 60, periodSeconds: 60 },
  quotaPerDay: 1000,
} as const;

/** Limits of keys that were created without them. */
export const DEFAULT_LIMITS = {
  bytesPerDay: 50_000_000_000,
  weight: 1,
  maxFeeds: 100,
  feedIntervalSeconds: 900,
} as const;

export const MAX_WEIGHT = 16;

export const KeyRecord = z.object({
  id: z.string(),
  client: z.string(),
  /** What its client calls it. */
  name: z.string().optional(),
  /** The first characters of the key, which may be shown. */
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** Parts of `/intake` it may use; by default all. */
  intake: z.array(z.enum(INTAKE_RIGHTS)).optional(),
  /** A test key: it gets drawn answers, costs nothing, and is limited apart. */
  test: z.literal(true).optional(),
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
export const GrantFields = KeyRecord.omit({
  id: true,
  prefix: true,
  meter: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
});
export type Grant = z.input<typeof GrantFields>;

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

/** Keys that a client may have live at a time, by default. */
const DEFAULT_MAX_LIVE_KEYS = 5;

/** A key's record as it is copied to object storage. The hash does not reveal the key. */
export interface KeyCopy {
  hash: string;
  record: KeyRecord;
}

/** A record to write. */
interface Change extends KeyCopy {
  /** The JSON that was read; undefined if there was none. */
  known: string | undefined;
}

/** How a client's records have its name. */
const memberOf = (client: string): string => `"client":${JSON.stringify(client)}`;

type WriteReply = 'written' | 'overtaken' | 'too-many' | 'last';
const WRITE_REPLIES: Readonly<Record<number, WriteReply>> = {
  1: 'written',
  0: 'overtaken',
  [-1]: 'too-many',
  [-2]: 'last',
};

/** What a client's keys must be like after a change. */
interface WriteRule {
  /** Live keys, unless there were as many before. */
  max: number;
  /** The last one, and the last that is no test key and has no end, stays live. */
  keepsLast?: boolean;
}

function defineWrite(redis: Redis) {
  const run = defineScript<number>(redis, 'selvageKeysWrite', readLua('key-write'));
  return async (
    client: string,
    nowMillis: number,
    { max, keepsLast }: WriteRule,
    changes: readonly Change[],
  ) => {
    const reply = await run(
      [KEYS, ...changes.map(({ record }) => meterKey(record.meter))],
      [
        timestamp(nowMillis),
        max,
        memberOf(client),
        keepsLast ? 1 : 0,
        ...changes.flatMap(({ hash, known = '', record }) => [hash, known, JSON.stringify(record)]),
      ],
    );
    return WRITE_REPLIES[reply];
  };
}

/** Of the records that are live and count under a meter, returns the newest with the largest quota, or undefined. */
const newestLive = (
  records: readonly (string | null)[],
  meter: string,
  nowMillis: number,
): KeyRecord | undefined =>
  records
    .filter((json) => json?.includes(meter)) // parses few of many records
    .map((json) => KeyRecord.parse(JSON.parse(json!)))
    .filter((record) => record.meter === meter && isLive(record, nowMillis))
    .sort((a, b) => b.quotaPerDay - a.quotaPerDay || b.createdAt.localeCompare(a.createdAt))[0];

/**
 * Returns the newest live record with the largest quota that counts under a meter, or undefined. Reads all records only if
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

interface KeyOptions {
  maxLive?: number;
  copy?: (copies: readonly KeyCopy[]) => Promise<void>;
}

/**
 * The register of keys in Redis.
 * @param pepper the installation's secret; keys hashed under another pepper are not found
 * @param options `copy` is called with what has been written, before anyone is told; `maxLive` is how many live keys a
 *   client may have before no more are created; rotation always works
 */
export function createKeys(
  redis: Redis,
  pepper: string,
  now: Clock,
  { maxLive = DEFAULT_MAX_LIVE_KEYS, copy = async () => {} }: KeyOptions = {},
) {
  const writeRecords = defineWrite(redis);

  const readAll = async () =>
    Object.entries(await redis.hgetall(KEYS)).map(([hash, known]) => ({
      hash,
      known,
      record: KeyRecord.parse(JSON.parse(known)),
    }));

  const list = async (): Promise<KeyRecord[]> =>
    (await readAll())
      .map(({ record }) => record)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));

  async function findById(id: string): Promise<Change & { known: string }> {
    const found = (await readAll()).find(({ record }) => record.id === id);
    if (!found) throw new KeyError(`There is no key ${id}; "keys list" shows all keys`);
    return found;
  }

  async function findLive(hash: string): Promise<KeyRecord | undefined> {
    const json = await redis.hget(KEYS, hash);
    const record = json ? KeyRecord.parse(JSON.parse(json)) : undefined;
    return record && isLive(record, now()) ? record : undefined;
  }

  async function rejectTooMany(client: string): Promise<never> {
    const ids = (await list())
      .filter((record) => record.client === client && isLive(record, now()))
      .map(({ id }) => id);
    throw new KeyError(
      `Client ${client} has ${ids.length} live keys (${ids.join(', ')}), as many as MAX_LIVE_KEYS allows; revoke one of them first`,
    );
  }

  /**
   * Writes the records of one client together. Returns false if another process has changed one of them since it
   * was read. Rejects with `KeyError` if the client would have more live keys than it may.
   */
  async function write(
    client: string,
    changes: readonly Change[],
    rule: WriteRule = { max: maxLive },
  ): Promise<boolean> {
    const reply = await writeRecords(client, now(), rule, changes);
    if (reply === 'too-many') return rejectTooMany(client);
    if (reply === 'last') {
      throw new KeyError(
        'This is the last key of the client that lasts; create or rotate one first, or ask the operator',
      );
    }
    if (reply !== 'written') return false;
    await copy(changes);
    return true;
  }

  /** Repeats a change until no other process has overtaken it; each time one of them succeeds. */
  async function untilWritten<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const result = await attempt();
      if (result !== undefined) return result;
    }
  }

  function newRecord(key: string, grant: Grant, meter?: string): KeyRecord {
    const id = `key_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    return KeyRecord.parse({
      ...grant,
      id,
      prefix: displayPrefix(key),
      meter: meter ?? id,
      createdAt: timestamp(now()),
    });
  }

  const newKey = (key: string, grant: Grant, meter?: string) => ({
    hash: hashKey(pepper, key),
    known: undefined,
    record: newRecord(key, grant, meter),
  });

  return {
    /**
     * Creates a key. Rejects with `KeyError` if its client has as many live keys as it may.
     * @param meter what it is counted under, with other keys; by default it is counted by itself
     */
    async create(grant: Grant, meter?: string): Promise<CreatedKey> {
      const key = mintKey(grant.test);
      const change = newKey(key, grant, meter);
      await write(grant.client, [change]);
      return { key, record: change.record };
    },

    /**
     * Registers a key that the operator chose (the development key), replacing its grant. Returns
     * false if it is revoked or expired, which it stays. Rejects with `KeyError` if it is new and its
     * client has as many live keys as it may.
     */
    adopt: (key: string, grant: Grant): Promise<boolean> =>
      untilWritten(async () => {
        const hash = hashKey(pepper, key);
        const known = (await redis.hget(KEYS, hash)) ?? undefined;
        if (known === undefined) {
          return (await write(grant.client, [newKey(key, grant)])) || undefined;
        }
        const old = KeyRecord.parse(JSON.parse(known));
        if (!isLive(old, now())) return false;
        const { id, prefix, meter, createdAt, expiresAt } = old;
        const record = KeyRecord.parse({ ...grant, id, prefix, meter, createdAt, expiresAt });
        return (await write(grant.client, [{ hash, known, record }])) || undefined;
      }),

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
    list,

    /** Returns every record of a client, oldest first. Parses no others. */
    listOf: async (client: string): Promise<KeyRecord[]> =>
      (await redis.hvals(KEYS))
        .filter((json) => json.includes(memberOf(client)))
        .map((json) => KeyRecord.parse(JSON.parse(json)))
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /**
     * Creates another key with the same grant and meter; the old one stays live for `graceSeconds`, or until it would
     * have ended anyway. Rejects with `KeyError` if the key is not live.
     */
    rotate: (id: string, graceSeconds: number): Promise<CreatedKey> =>
      untilWritten(async () => {
        const { hash, known, record: old } = await findById(id);
        const nowMillis = now();
        if (!isLive(old, nowMillis)) {
          throw new KeyError(`Key ${id} is no longer live; create a new one`);
        }
        const key = mintKey(old.test);
        const { expiresAt = '', ...grant } = old;
        const created = newKey(key, grant, old.meter);
        const graceEnd = timestamp(nowMillis + graceSeconds * 1000);
        const isSooner = expiresAt !== '' && expiresAt < graceEnd;
        const expiring = { ...old, expiresAt: isSooner ? expiresAt : graceEnd };
        const changes = [created, { hash, known, record: expiring }];
        const isWritten = await write(old.client, changes, { max: Number.MAX_SAFE_INTEGER });
        return isWritten ? { key, record: created.record } : undefined;
      }),

    /**
     * Revokes a key: the next request with it is rejected.
     * @param rule with `keepsLast`, rejects with `KeyError` for the last key
     */
    revoke: (id: string, rule?: Pick<WriteRule, 'keepsLast'>): Promise<KeyRecord> =>
      untilWritten(async () => {
        const { hash, known, record } = await findById(id);
        const revoked = { ...record, revokedAt: record.revokedAt ?? timestamp(now()) };
        return (await write(record.client, [{ hash, known, record: revoked }], {
          max: maxLive,
          ...rule,
        }))
          ? revoked
          : undefined;
      }),
  };
}

export type Keys = ReturnType<typeof createKeys>;
