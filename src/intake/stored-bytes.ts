import type { Redis } from 'ioredis';
import type { KeyRecord } from '../auth/key-record.ts';
import { QUOTA_TTL_SECONDS, secondsToMidnight, storedBytesKeyOf } from '../auth/key-record.ts';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../platform/problem.ts';
import { defineCount } from '../platform/redis-script.ts';

/** Whose bytes are counted, and how many a UTC day allows. */
export type BytesAllowance = Pick<KeyRecord, 'meter' | 'bytesPerDay'>;

/** Bytes that were counted, and the Redis key that counts them. */
export interface BytesReservation {
  key: string;
  bytes: number;
}

const usedUp = ({ bytesPerDay }: BytesAllowance, used: number, nowMillis: number): Problem =>
  new Problem(
    'quota-exceeded',
    `${used} of today's ${bytesPerDay} bytes are stored, too many to store this too; the limit resets at midnight UTC`,
    { headers: { 'retry-after': String(secondsToMidnight(nowMillis)) } },
  );

/**
 * Counts the bytes that are stored for clients: images of jobs and batches, rows and feeds. Counted by the UTC day
 * of Redis's time, and under the meter of the key, like the quota.
 */
export class StoredBytes {
  readonly #redis;
  readonly #now;
  readonly #bytes;

  constructor(redis: Redis, now: Clock) {
    this.#redis = redis;
    this.#now = now;
    this.#bytes = defineCount(redis);
  }

  /** Returns the bytes counted today. */
  async used({ meter }: Pick<BytesAllowance, 'meter'>): Promise<number> {
    return Number(await this.#redis.get(storedBytesKeyOf(meter, this.#now())));
  }

  /** Counts bytes before they are stored. @throws Problem quota-exceeded */
  async reserve(allowance: BytesAllowance, bytes: number): Promise<BytesReservation> {
    const nowMillis = this.#now();
    const { meter, bytesPerDay } = allowance;
    const key = storedBytesKeyOf(meter, nowMillis);
    const args = [bytes, bytesPerDay, QUOTA_TTL_SECONDS];
    const [isCounted, before] = await this.#bytes.count([key], args);
    if (isCounted) return { key, bytes };
    throw usedUp(allowance, before, nowMillis);
  }

  /** Takes back the count of bytes that are not stored after all. */
  readonly release = async ({ key, bytes }: BytesReservation): Promise<void> => {
    await this.#bytes.uncount([key], [bytes]);
  };

  /** @throws Problem quota-exceeded if the day's bytes are used up */
  async check(allowance: BytesAllowance): Promise<void> {
    const before = await this.used(allowance);
    if (before >= allowance.bytesPerDay) throw usedUp(allowance, before, this.#now());
  }

  /** Counts bytes that are stored already, even beyond the limit. */
  async add({ meter }: Pick<BytesAllowance, 'meter'>, bytes: number): Promise<void> {
    const key = storedBytesKeyOf(meter, this.#now());
    await this.#redis.multi().incrby(key, bytes).expire(key, QUOTA_TTL_SECONDS).exec();
  }
}
