import type { Redis } from 'ioredis';
import {
  type KeyRecord,
  QUOTA_TTL_SECONDS,
  secondsToMidnight,
  storedBytesKeyOf,
} from '../auth/key-record.ts';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../platform/problem.ts';
import { defineScript } from '../platform/redis-script.ts';

/** Whose bytes are counted, and how many a UTC day allows. */
export type BytesAllowance = Pick<KeyRecord, 'meter' | 'bytesPerDay'>;

/** Bytes that were counted, and the Redis key that counts them. */
export interface BytesReservation {
  key: string;
  bytes: number;
}

/**
 * Counts bytes, or none if the day's limit would be exceeded. Returns {1 counted | 0 not, bytes counted before}.
 * KEYS: bytes of the day. ARGV: bytes, limit, lifetime s.
 */
const RESERVE = `
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
if used + ARGV[1] > tonumber(ARGV[2]) then return {0, used} end
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return {1, used}
`;

/** KEYS: bytes of a day. ARGV: bytes. */
const RELEASE = `
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
if used <= 0 then return 0 end
return redis.call('DECRBY', KEYS[1], math.min(used, ARGV[1]))
`;

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
  readonly #reserve;
  readonly #release;

  constructor(redis: Redis, now: Clock) {
    this.#redis = redis;
    this.#now = now;
    this.#reserve = defineScript<[isCounted: 0 | 1, used: number]>(
      redis,
      'selvageBytesReserve',
      RESERVE,
    );
    this.#release = defineScript<number>(redis, 'selvageBytesRelease', RELEASE);
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
    const [isCounted, before] = await this.#reserve([key], args);
    if (isCounted) return { key, bytes };
    throw usedUp(allowance, before, nowMillis);
  }

  /** Takes back the count of bytes that are not stored after all. */
  readonly release = async ({ key, bytes }: BytesReservation): Promise<void> => {
    await this.#release([key], [bytes]);
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
