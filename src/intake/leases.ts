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
export class Leases {
  readonly #acquireScript;
  readonly #releaseScript;

  constructor(redis: Redis) {
    this.#acquireScript = defineScript<number>(redis, 'selvageLeaseAcquire', ACQUIRE);
    this.#releaseScript = defineScript<number>(redis, 'selvageLeaseRelease', RELEASE);
  }

  /** Acquires or renews a lease; returns false if another holder has it. */
  async acquire({ lease, holder }: Holder, millis: number): Promise<boolean> {
    return (await this.#acquireScript([lease], [holder, millis])) === 1;
  }

  async release({ lease, holder }: Holder): Promise<void> {
    await this.#releaseScript([lease], [holder]);
  }

  /** Runs work while an acquired lease is renewed, and releases it. Without Redis it ends by itself. */
  async whileHeld<T>(held: Holder, millis: number, work: () => Promise<T>): Promise<T> {
    const renewing = setInterval(() => void this.acquire(held, millis).catch(() => {}), millis / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewing);
      await this.release(held).catch(() => {});
    }
  }
}
