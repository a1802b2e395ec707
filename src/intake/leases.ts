import type { Redis } from 'ioredis';
import { defineScript } from '../platform/redis-script.ts';

/** Acquires or renews a lease. KEYS: lease. ARGV: holder, ms. */
const ACQUIRE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** KEYS: lease. ARGV: holder. */
const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`;

interface Holder {
  /** Redis key. */
  lease: string;
  /** Unique to the holder. */
  holder: string;
}

/** Leases in Redis: each has one holder at a time, who renews it or loses it. */
export function createLeases(redis: Redis) {
  const acquire = defineScript<number>(redis, 'selvageLeaseAcquire', ACQUIRE);
  const release = defineScript<number>(redis, 'selvageLeaseRelease', RELEASE);
  return {
    /** Acquires or renews a lease; returns false if another holder has it. */
    acquire: async ({ lease, holder }: Holder, millis: number): Promise<boolean> =>
      (await acquire([lease], [holder, millis])) === 1,
    async release({ lease, holder }: Holder): Promise<void> {
      await release([lease], [holder]);
    },
  };
}
