import { randomUUID } from 'node:crypto';
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

/** A lease in Redis: it has one holder at a time, who renews it or loses it. */
export class Lease {
  readonly #keys;
  readonly #holder;
  readonly #acquire;
  readonly #release;

  /** @param key in Redis @param holder unique to the holder */
  constructor(redis: Redis, key: string, holder: string = randomUUID()) {
    this.#keys = [key];
    this.#holder = holder;
    this.#acquire = defineScript<number>(redis, 'selvageLeaseAcquire', ACQUIRE);
    this.#release = defineScript<number>(redis, 'selvageLeaseRelease', RELEASE);
  }

  /** Acquires or renews it; returns false if another holder has it. */
  async acquire(millis: number): Promise<boolean> {
    return (await this.#acquire(this.#keys, [this.#holder, millis])) === 1;
  }

  /** Without Redis it ends by itself. */
  async release(): Promise<void> {
    await this.#release(this.#keys, [this.#holder]).catch(() => {});
  }

  /** Runs work while it is renewed, once it is acquired. */
  async whileRenewed<T>(millis: number, work: () => Promise<T>): Promise<T> {
    const renewing = setInterval(() => void this.acquire(millis).catch(() => {}), millis / 3);
    return work().finally(() => clearInterval(renewing));
  }

  /** The same, and releases it. */
  whileHeld<T>(millis: number, work: () => Promise<T>): Promise<T> {
    return this.whileRenewed(millis, work).finally(() => this.release());
  }
}
