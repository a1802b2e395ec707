import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { Retention } from './client-retention.ts';

/** The scopes a key can have. Their names are part of the contract. */
export const SCOPES = [
  'background-removal:process',
  'taxonomy:classify',
  'look-engine:read',
  'look-engine:compute',
  'look-engine:calibrate',
  // Not part of the contract: a client's own keys, usage and requests.
  'account',
  // Neither, for operators: the queue dashboard, and who gets access.
  'operations:read',
  'operations:access',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Those that clients may ask for. */
export const CLIENT_SCOPES = SCOPES.filter((scope) => !scope.startsWith('operations:'));

export const CLIENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The parts of `/intake` that a key may use, besides the scopes of the operations it asks for. */
export const INTAKE_RIGHTS = ['jobs', 'review', 'sources', 'settings', 'webhooks'] as const;

export type IntakeRight = (typeof INTAKE_RIGHTS)[number];

/** Scopes of operations that `/intake` runs. */
const INTAKE_SCOPES: readonly Scope[] = ['background-removal:process', 'taxonomy:classify'];

/**
 * Returns the parts of `/intake` that a key may use: those it was given, else all, as keys of earlier versions. A key
 * with no scope of an operation there may use none.
 */
export const rightsOf = ({
  scopes,
  intake = INTAKE_RIGHTS,
}: {
  scopes: readonly Scope[];
  intake?: readonly IntakeRight[] | undefined;
}): readonly IntakeRight[] => (scopes.some((scope) => INTAKE_SCOPES.includes(scope)) ? intake : []);

/**
 * API keys: `slv_`, 30 random base62 characters (178 bits), and 6 base62 characters of CRC-32 over
 * everything before them. The checksum rejects junk without a lookup and lets secret scanners
 * recognise a key. Those of test keys begin with `slv_test_`.
 */
const LIVE_PREFIX = 'slv_';
const TEST_PREFIX = `${LIVE_PREFIX}test_`;
const RANDOM_CHARS = 30;
const CHECKSUM_CHARS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = new RegExp(
  `^(${TEST_PREFIX}|${LIVE_PREFIX})[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`,
);

function base62(value: number, width: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = ALPHABET[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const checksum = (body: string): string => base62(crc32(body), CHECKSUM_CHARS);

export function mintKey(test = false): string {
  const prefix = test ? TEST_PREFIX : LIVE_PREFIX;
  const random = Array.from({ length: RANDOM_CHARS }, () => ALPHABET[randomInt(62)]!).join('');
  return prefix + random + checksum(prefix + random);
}

/** Returns whether the text has the format and checksum of a key. The key may still be unknown. */
export function isKeyShaped(text: string): boolean {
  return KEY.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_CHARS)));
}

/** Returns what is stored in place of a key: HMAC-SHA-256 under the installation's pepper, hex. */
export const hashKey = (pepper: string, key: string): string =>
  createHmac('sha256', pepper).update(key).digest('hex');

/** Returns the part of a key that may be shown and logged: a quarter, which keeps short keys secret. */
export const displayPrefix = (key: string): string => key.slice(0, Math.floor(key.length / 4));

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

/**
 * Returns an authenticated caller: the record of its key, without the key.
 * @param person who has signed in, if it was not by the key
 */
export const toCaller = ({ id, intake, ...record }: KeyRecord, person?: string) => ({
  keyId: id,
  ...record,
  rights: rightsOf({ ...record, intake }),
  ...(person && { person }),
});

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

/** The counter that a key's quota is charged to, and its units per UTC day. */
export interface Meter {
  meter: string;
  quotaPerDay: number;
}

/** Quotas are counted by the UTC day. */
export const QUOTA_DAY_SECONDS = 86_400;

/** Returns the date, such as `2026-11-26`. */
export const utcDay = (nowMillis: number): string => new Date(nowMillis).toISOString().slice(0, 10);

/** Returns the Redis key that counts a meter's units of the current UTC day. */
export const quotaKeyOf = (meter: string, nowMillis: number): string =>
  `${PREFIX}:quota:${meter}:${utcDay(nowMillis)}`;

/** Returns the Redis key that counts the bytes stored for a meter on the current UTC day. */
export const storedBytesKeyOf = (meter: string, nowMillis: number): string =>
  `${PREFIX}:stored-bytes:${meter}:${utcDay(nowMillis)}`;

/** Days that a client sees its usage of, today included. */
export const USAGE_DAYS = 90;

/** A day's counter outlives its day: units can still be refunded, and the client sees its usage. */
export const QUOTA_TTL_SECONDS = (USAGE_DAYS + 1) * QUOTA_DAY_SECONDS;

/** Returns the seconds until quotas reset at midnight UTC, 1 to 86,400. */
export const secondsToMidnight = (nowMillis: number): number =>
  QUOTA_DAY_SECONDS - Math.floor((nowMillis / 1000) % QUOTA_DAY_SECONDS);
