import type { Redis, Result } from 'ioredis';
import { Problem, unavailable } from '../platform/problem.ts';

/** What a caller may use, and under which name it is counted. */
export interface Allowance {
  meter: string;
  rate: { count: number; periodSeconds: number };
  quotaPerDay: number;
}

/** Where a caller stands after a request was let in. */
export interface RateLimitStatus {
  rate: { limit: number; remaining: number; resetSeconds: number; windowSeconds: number };
  quota: { limit: number; remaining: number; resetSeconds: number };
}

/** Units of a day's quota that a request has taken, and where they are counted. */
export interface Reservation {
  key: string;
  cost: number;
}

/** One request let in: the headers it earns, and its quota to give back. */
export interface Admission {
  standing: RateLimitStatus;
  /** Nothing where the request costs nothing. */
  reserved: Reservation | undefined;
  /** Gives the reserved quota back; for requests that failed. */
  refund(): Promise<void>;
}

/**
 * Rate and quota in one step, both or neither.
 *
 * Rate is GCRA (generic cell rate algorithm): the key holds the theoretical arrival time of the
 * next request, in microseconds; a request is early by more than the burst allows, or it is not.
 * KEYS: arrival time, quota of the day. ARGV: interval µs, burst µs, quota, cost, key life s.
 * Answers {verdict 0 in | 1 rate | 2 quota, µs until full again, µs to wait, quota used}.
 */
const ADMIT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local quota, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local used = tonumber(redis.call('GET', KEYS[2]) or 0)
local early = arrival + interval - now - burst
if early > 0 then return {1, arrival - now, early, used} end
if cost > 0 and used + cost > quota then return {2, arrival - now, 0, used} end
arrival = arrival + interval
redis.call('SET', KEYS[1], string.format('%.0f', arrival), 'PX', math.ceil((arrival - now) / 1000) + 1)
if cost > 0 then
  used = redis.call('INCRBY', KEYS[2], cost)
  redis.call('EXPIRE', KEYS[2], ARGV[5])
end
return {0, arrival - now, 0, used}
`;

const REFUND = `
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
if used <= 0 then return 0 end
return redis.call('DECRBY', KEYS[1], math.min(used, tonumber(ARGV[1])))
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvageAdmit(
      ...keysAndArguments: (string | number)[]
    ): Result<[verdict: number, fullMicros: number, waitMicros: number, used: number], Context>;
    selvageRefund(key: string, cost: number): Result<number, Context>;
  }
}

const DAY_SECONDS = 86_400;
const dayOf = (now: Date): string => now.toISOString().slice(0, 10);
const secondsToMidnight = (now: Date): number =>
  DAY_SECONDS - Math.floor((now.getTime() / 1000) % DAY_SECONDS);
const wholeSeconds = (micros: number): number => Math.ceil(micros / 1e6);

/** The headers of rate and quota: the well-known ones and the current IETF draft's. */
export function limitHeaders({ rate, quota }: RateLimitStatus): Record<string, string> {
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
    'ratelimit-policy': `"rate";q=${rate.limit};w=${rate.windowSeconds}, "day";q=${quota.limit};w=${DAY_SECONDS}`,
    ratelimit: `"rate";r=${rate.remaining};t=${rate.resetSeconds}, "day";r=${quota.remaining};t=${quota.resetSeconds}`,
  };
}

/** Counts requests and quota in Redis, shared by every gateway. */
export function createLimits(redis: Redis) {
  redis.defineCommand('selvageAdmit', { numberOfKeys: 2, lua: ADMIT });
  redis.defineCommand('selvageRefund', { numberOfKeys: 1, lua: REFUND });

  return {
    /**
     * Lets one request in and reserves its quota.
     * @param cost units of the daily quota, 0 for none
     * @throws Problem rate-limit-exceeded, quota-exceeded, upstream-unavailable
     */
    async admit(allowance: Allowance, cost: number): Promise<Admission> {
      const now = new Date();
      const { count, periodSeconds } = allowance.rate;
      const quotaKey = `{selvage}:quota:${allowance.meter}:${dayOf(now)}`;
      const [verdict, fullMicros, waitMicros, used] = await redis
        .selvageAdmit(
          `{selvage}:rate:${allowance.meter}`,
          quotaKey,
          Math.ceil((periodSeconds * 1e6) / count),
          periodSeconds * 1e6,
          allowance.quotaPerDay,
          cost,
          2 * DAY_SECONDS,
        )
        .catch((cause) => {
          throw unavailable('Limits cannot be counted right now; try again', 1, cause);
        });
      const standing: RateLimitStatus = {
        rate: {
          limit: count,
          remaining: Math.max(0, Math.floor(count * (1 - fullMicros / (periodSeconds * 1e6)))),
          resetSeconds: wholeSeconds(fullMicros),
          windowSeconds: periodSeconds,
        },
        quota: {
          limit: allowance.quotaPerDay,
          remaining: Math.max(0, allowance.quotaPerDay - used),
          resetSeconds: secondsToMidnight(now),
        },
      };
      refuse(verdict, standing, waitMicros);
      return {
        standing,
        reserved: cost > 0 ? { key: quotaKey, cost } : undefined,
        async refund() {
          if (cost > 0) await redis.selvageRefund(quotaKey, cost);
        },
      };
    },
  };
}

function refuse(verdict: number, standing: RateLimitStatus, waitMicros: number): void {
  if (verdict === 0) return;
  const [type, seconds, detail] =
    verdict === 1
      ? ([
          'rate-limit-exceeded',
          wholeSeconds(waitMicros),
          'Slow down; Retry-After says when',
        ] as const)
      : ([
          'quota-exceeded',
          standing.quota.resetSeconds,
          `The ${standing.quota.limit} units of today are used up; the day ends at midnight UTC`,
        ] as const);
  throw new Problem(type, detail, {
    headers: { ...limitHeaders(standing), 'retry-after': String(Math.max(1, seconds)) },
  });
}

export type Limits = ReturnType<typeof createLimits>;
