import { PREFIX } from '../platform/redis.ts';

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
