import { PREFIX } from '../platform/redis.ts';

/** Whose units are counted, and how many a UTC day has. */
export interface Meter {
  meter: string;
  quotaPerDay: number;
}

/** Where the units of a meter's UTC day are counted. */
export const quotaKeyOf = (meter: string, now: Date): string =>
  `${PREFIX}:quota:${meter}:${now.toISOString().slice(0, 10)}`;

/** A day's count is kept a day longer than it counts. */
export const QUOTA_KEPT_SECONDS = 2 * 86_400;
