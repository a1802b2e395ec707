import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
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

/** Returns whether a key is accepted: neither revoked nor expired. */
export const isLive = (record: KeyRecord, nowMillis: number): boolean =>
  record.revokedAt === undefined &&
  (record.expiresAt === undefined || Date.parse(record.expiresAt) > nowMillis);

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
 * those known by the meter are not live. Unlike `Keys` it needs no pepper, which workers do not have.
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
