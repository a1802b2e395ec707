import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { displayPrefix, hashKey, isKeyShaped, mintKey } from './api-key.ts';
import { Retention } from './client-retention.ts';
import { SCOPES } from './scopes.ts';

/** One hash holds all key records, by the key's HMAC: one HGET answers a request. */
const KEYS = '{selvage}:keys';

const KeyRecord = z.object({
  id: z.string(),
  client: z.string(),
  /** The first characters of the key, which may be shown. */
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  allowBase64: z.boolean(),
  rate: z.object({ count: z.number().int(), periodSeconds: z.number() }),
  /** Removals a UTC day. */
  quotaPerDay: z.number().int(),
  /** What rate and quota are counted under: a rotated key goes on counting where the old one was. */
  meter: z.string(),
  /** Tightens what its client and its requests say; nothing said, nothing tightened. */
  retention: Retention.optional(),
  createdAt: z.iso.datetime(),
  /** From then on the key is refused: a rotated key's grace, or a planned end. */
  expiresAt: z.iso.datetime().optional(),
  revokedAt: z.iso.datetime().optional(),
});

/** What the operator knows of a key; never the key itself. */
export type KeyRecord = z.infer<typeof KeyRecord>;

/** What a key allows, as the operator grants it. */
export type Grant = Pick<
  KeyRecord,
  'client' | 'scopes' | 'allowBase64' | 'rate' | 'quotaPerDay' | 'retention'
>;

/** A key just made: the only moment it is seen in clear. */
export interface CreatedKey {
  key: string;
  record: KeyRecord;
}

export class KeyError extends Error {}

export const isLive = (record: KeyRecord, now = new Date()): boolean =>
  record.revokedAt === undefined &&
  (record.expiresAt === undefined || new Date(record.expiresAt) > now);

/**
 * The key register in Redis.
 * @param pepper the installation's secret; keys hashed under another pepper are not found
 */
export function createKeys(redis: Redis, pepper: string) {
  const save = (hash: string, record: KeyRecord) => redis.hset(KEYS, hash, JSON.stringify(record));

  const all = async (): Promise<Map<string, KeyRecord>> =>
    new Map(
      Object.entries(await redis.hgetall(KEYS)).map(([hash, json]) => [
        hash,
        KeyRecord.parse(JSON.parse(json)),
      ]),
    );

  async function find(id: string): Promise<[hash: string, record: KeyRecord]> {
    const found = [...(await all())].find(([, record]) => record.id === id);
    if (!found) throw new KeyError(`There is no key ${id}; "keys list" shows them`);
    return found;
  }

  async function liveAt(place: string): Promise<KeyRecord | undefined> {
    const json = await redis.hget(KEYS, place);
    if (!json) return undefined;
    const record = KeyRecord.parse(JSON.parse(json));
    return isLive(record) ? record : undefined;
  }

  async function add(key: string, grant: Grant, meter?: string): Promise<CreatedKey> {
    const id = `key_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const record: KeyRecord = {
      ...grant,
      id,
      prefix: displayPrefix(key),
      meter: meter ?? id,
      createdAt: new Date().toISOString(),
    };
    await save(hashKey(pepper, key), record);
    return { key, record };
  }

  return {
    create: (grant: Grant): Promise<CreatedKey> => add(mintKey(), grant),

    /** Registers a key that the operator chose (the development key), replacing its grant. */
    async adopt(key: string, grant: Grant): Promise<void> {
      const known = await redis.hget(KEYS, hashKey(pepper, key));
      const meter = known ? KeyRecord.parse(JSON.parse(known)).meter : undefined;
      await add(key, grant, meter);
    },

    /**
     * The live record of a presented key, or nothing. A text without a key's form and check is
     * refused before Redis is asked, unless it is one of `adopted`.
     */
    async lookUp(key: string, adopted?: string): Promise<KeyRecord | undefined> {
      if (!isKeyShaped(key) && key !== adopted) return undefined;
      return liveAt(hashKey(pepper, key));
    },

    /** What a key's record is kept under; it does not tell the key. */
    placeOf: (key: string): string => hashKey(pepper, key),

    /** The live record at a place that `placeOf` told, or nothing. */
    liveAt,

    /** Every record, oldest first. */
    list: async (): Promise<KeyRecord[]> =>
      [...(await all()).values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)),

    /**
     * Makes a second key with the same grant and meter; the old one lives on for `graceSeconds`.
     * Throws `KeyError` where the key is not live or two of its line are live already.
     */
    async rotate(id: string, graceSeconds: number): Promise<CreatedKey> {
      const [hash, old] = await find(id);
      if (!isLive(old)) throw new KeyError(`Key ${id} is no longer live; create a new one`);
      const line = [...(await all()).values()].filter((r) => r.meter === old.meter && isLive(r));
      if (line.length > 1) {
        throw new KeyError(
          `Key ${id} has a second live key (${line.find((r) => r.id !== id)?.id}); revoke one of them first`,
        );
      }
      const made = await add(mintKey(), old, old.meter);
      await save(hash, {
        ...old,
        expiresAt: new Date(Date.now() + graceSeconds * 1000).toISOString(),
      });
      return made;
    },

    /** From the next request on the key is refused. */
    async revoke(id: string): Promise<KeyRecord> {
      const [hash, record] = await find(id);
      const revoked = { ...record, revokedAt: record.revokedAt ?? new Date().toISOString() };
      await save(hash, revoked);
      return revoked;
    },
  };
}

export type Keys = ReturnType<typeof createKeys>;
