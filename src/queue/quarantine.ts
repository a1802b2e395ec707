import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';

const TTL_SECONDS = 86_400;
/** So many crashes of the inference process on one image are not chance. */
const QUARANTINE_CRASHES = 2;

/**
 * A kill that may be the kernel's, for want of memory, counts this much of a crash: 16 in a row, over two minutes with
 * the delays between them, are not chance either. A power of two, so that Redis adds it exactly.
 */
const KILL_SHARE = 1 / 8;

/** Counts, for a day, the crashes of the inference process on an image, and quarantines it after two. */
export class Quarantine {
  readonly #redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  #keyOf(sha256: string) {
    return `${PREFIX}:crashes:${sha256}`;
  }

  /**
   * Counts a crash; returns true if the image is quarantined from now on.
   * @param mayLackMemory whether the kernel may have killed the process, for want of memory
   */
  async recordCrash(sha256: string, mayLackMemory: boolean): Promise<boolean> {
    const replies = await this.#redis
      .multi()
      .incrbyfloat(this.#keyOf(sha256), mayLackMemory ? KILL_SHARE : 1)
      .expire(this.#keyOf(sha256), TTL_SECONDS)
      .exec();
    return isQuarantined(Number(replies?.[0]?.[1]));
  }

  /** Returns the number of crashes on the image since it last succeeded, not always a whole one. */
  async crashes(sha256: string): Promise<number> {
    return Number(await this.#redis.get(this.#keyOf(sha256)));
  }

  /** The image has succeeded: it did not cause its crashes. */
  async clear(sha256: string): Promise<void> {
    await this.#redis.del(this.#keyOf(sha256));
  }
}

/** Whether an image with so many crashes is rejected without another attempt. */
export const isQuarantined = (crashes: number): boolean => crashes >= QUARANTINE_CRASHES;
