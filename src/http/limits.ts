import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import {
  type Meter,
  QUOTA_DAY_SECONDS,
  QUOTA_TTL_SECONDS,
  quotaKeyOf,
  secondsToMidnight,
} from '../auth/key-record.ts';
import type { Rate } from '../auth/limit-settings.ts';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineCount, defineScript, readLua } from '../platform/redis-script.ts';

/** Parts of 16 bits that identify an IPv6 network; a host may use any address of its /64. */
const NETWORK_PARTS = 4;

/** Returns the block of addresses that counts as one client: an IPv4 address, or an IPv6 /64. */
export function addressBlock(remoteAddress: string): string {
  if (!ipaddr.isValid(remoteAddress)) return 'unknown'; // the connection is already closed
  const address = ipaddr.process(remoteAddress);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, NETWORK_PARTS);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

/** A caller's rate limit and quota, and the name they are counted under. */
interface Allowance extends Meter {
  rate: Rate;
}

/** What is left of a caller's rate limit and quota after an admitted request. */
export interface RateLimitStatus {
  rate: { limit: number; remaining: number; resetSeconds: number; windowSeconds: number };
  quota: { limit: number; remaining: number; resetSeconds: number };
}

/** Units of a day's quota that a request has reserved, and the Redis key that counts them. */
interface Reservation {
  key: string;
  cost: number;
}

export interface Admission {
  /** What is left; a refund counts from its start. */
  readonly rateLimit: RateLimitStatus;
  /** What it costs: reserved and not refunded. */
  readonly units: number;
  /** Undefined if the request costs nothing. */
  reserved: Reservation | undefined;
  /** Refunds the reserved quota; for requests that failed. */
  refund(): Promise<void>;
  /**
   * Reserves so many units in all, or refunds those beyond.
   * @throws Problem quota-exceeded, and then nothing changes
   */
  resize(units: number): Promise<void>;
}

/** Charges the rate limit, even beyond the burst. KEYS: arrival time. ARGV: µs. */
const CHARGE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', arrival), 'PX', math.ceil((arrival - now) / 1000) + 1)
return 1
`;

type Verdict = 'admitted' | 'rate-limited' | 'over-quota';
const VERDICTS: readonly Verdict[] = ['admitted', 'rate-limited', 'over-quota'];

const rateKey = (meter: string): string => `${PREFIX}:rate:${meter}`;

const intervalMicros = ({ count, periodSeconds }: Rate): number =>
  Math.ceil((periodSeconds * 1e6) / count);

const wholeSeconds = (micros: number): number => Math.ceil(micros / 1e6);

/** Returns the headers of rate limit and quota: the well-known ones and the current IETF draft's. */
export function limitHeaders({ rate, quota }: RateLimitStatus): Record<string, string> {
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
    'ratelimit-policy': `"rate";q=${rate.limit};w=${rate.windowSeconds}, "day";q=${quota.limit};w=${QUOTA_DAY_SECONDS}`,
    ratelimit: `"rate";r=${rate.remaining};t=${rate.resetSeconds}, "day";r=${quota.remaining};t=${quota.resetSeconds}`,
  };
}

/** Counts requests and quota in Redis, shared by every gateway. The day is that of Redis's time. */
export class Limits {
  readonly #now;
  readonly #runAdmit;
  readonly #runCharge;
  readonly #quota;

  constructor(redis: Redis, now: Clock) {
    this.#now = now;
    this.#runAdmit = defineScript<[verdict: number, full: number, wait: number, used: number]>(
      redis,
      'selvageAdmit',
      readLua('limits-admit'),
    );
    this.#runCharge = defineScript<number>(redis, 'selvageCharge', CHARGE);
    this.#quota = defineCount(redis);
  }

  /** Charges one request to the rate limit and the quota, or neither. */
  async #charge({ meter, rate, quotaPerDay }: Allowance, quotaKey: string, cost: number) {
    const keys = [rateKey(meter), quotaKey];
    const burstMicros = rate.periodSeconds * 1e6;
    const args = [intervalMicros(rate), burstMicros, quotaPerDay, cost, QUOTA_TTL_SECONDS];
    const [verdict, fullMicros, waitMicros, used] = await this.#runAdmit(keys, args);
    return { verdict: VERDICTS[verdict]!, fullMicros, waitMicros, used };
  }

  /** Returns the admission of a request that has reserved so many units. */
  #createAdmission(rateLimit: RateLimitStatus, key: string, cost: number): Admission {
    const { quota } = rateLimit;
    let reserved = cost;

    const reserve = async (units: number): Promise<void> => {
      const args = [units, quota.limit, QUOTA_TTL_SECONDS];
      const [isReserved, used] = await this.#quota.count([key], args);
      quota.remaining = Math.max(0, quota.limit - used);
      if (isReserved !== 0) return;
      const left = `${quota.remaining + reserved} of today's ${quota.limit} are left`;
      throw overQuota(rateLimit, `This costs ${reserved + units} units, and ${left}`);
    };

    const release = async (units: number): Promise<void> => {
      quota.remaining = Math.min(quota.limit, quota.remaining + units);
      if (units > 0) await this.#quota.uncount([key], [units]);
    };

    async function resize(units: number): Promise<void> {
      const change = units - reserved;
      if (change > 0) await reserve(change);
      reserved = units; // before the units are released: nothing else may release them too
      if (change < 0) await release(-change);
    }

    return {
      rateLimit,
      get units() {
        return reserved;
      },
      reserved: cost > 0 ? { key, cost } : undefined,
      refund: () => resize(0),
      resize,
    };
  }

  /**
   * Admits one request and reserves its quota.
   * @param cost units of the daily quota, 0 for none
   * @throws Problem rate-limit-exceeded, quota-exceeded
   */
  async admit(allowance: Allowance, cost: number): Promise<Admission> {
    const nowMillis = this.#now();
    const { count, periodSeconds } = allowance.rate;
    const quotaKey = quotaKeyOf(allowance.meter, nowMillis);
    const { verdict, fullMicros, waitMicros, used } = await this.#charge(allowance, quotaKey, cost);
    const quotaLeft = Math.max(0, allowance.quotaPerDay - used);
    const rateLimit: RateLimitStatus = {
      rate: {
        limit: count,
        remaining: Math.max(0, Math.floor(count * (1 - fullMicros / (periodSeconds * 1e6)))),
        resetSeconds: wholeSeconds(fullMicros),
        windowSeconds: periodSeconds,
      },
      quota: {
        limit: allowance.quotaPerDay,
        remaining: quotaLeft,
        resetSeconds: secondsToMidnight(nowMillis),
      },
    };
    if (verdict === 'admitted') return this.#createAdmission(rateLimit, quotaKey, cost);
    if (verdict === 'over-quota') {
      throw overQuota(rateLimit, `Today's ${allowance.quotaPerDay} units are used up`);
    }
    const detail = 'Slow down; Retry-After says how long to wait';
    const headers = retryHeaders(rateLimit, wholeSeconds(waitMicros));
    throw new Problem('rate-limit-exceeded', detail, headers);
  }

  /**
   * Charges work worth so many requests to the rate limit. Rejects nothing: work that has to be done whole could
   * else never begin. Later requests wait until the rate limit allows them.
   */
  readonly charge = async (
    { meter, rate }: Pick<Allowance, 'meter' | 'rate'>,
    requests: number,
  ): Promise<void> => {
    const micros = requests * intervalMicros(rate);
    await this.#runCharge([rateKey(meter)], [micros]);
  };

  /**
   * Counts what a caller may do seldom: a failure, such as a sign-in with a wrong key, or a new key.
   * @param name what it is counted under
   * @param detail what a caller is told that has done it too often
   * @throws Problem rate-limit-exceeded
   */
  async countFailure(
    name: string,
    rate: Rate,
    detail = 'Too many attempts failed; wait before the next',
  ): Promise<void> {
    const allowance = { meter: name, rate, quotaPerDay: 0 };
    const { verdict, waitMicros } = await this.#charge(allowance, quotaKeyOf(name, this.#now()), 0);
    if (verdict === 'admitted') return;
    throw new Problem('rate-limit-exceeded', detail, {
      headers: { 'retry-after': String(Math.max(1, wholeSeconds(waitMicros))) },
    });
  }
}

const retryHeaders = (rateLimit: RateLimitStatus, seconds: number) => ({
  headers: { ...limitHeaders(rateLimit), 'retry-after': String(Math.max(1, seconds)) },
});

const overQuota = (rateLimit: RateLimitStatus, why: string): Problem =>
  new Problem(
    'quota-exceeded',
    `${why}; the quota resets at midnight UTC`,
    retryHeaders(rateLimit, rateLimit.quota.resetSeconds),
  );
