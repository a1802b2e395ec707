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
export function createQuarantine(redis: Redis) {
  const keyOf = (sha256: string) => `${PREFIX}:crashes:${sha256}`;
  return {
    /**
     * Counts a crash; returns true if the image is quarantined from now on.
     * @param mayLackMemory whether the kernel may have killed the process, for want of memory
     */
    async recordCrash(sha256: string, mayLackMemory: boolean): Promise<boolean> {
      const replies = await redis
        .multi()
        .incrbyfloat(keyOf(sha256), mayLackMemory ? KILL_SHARE : 1)
        .expire(keyOf(sha256), TTL_SECONDS)
        .exec();
      return isQuarantined(Number(replies?.[0]?.[1]));
    },
    /** Returns the number of crashes on the image since it last succeeded, not always a whole one. */
    crashes: async (sha256: string): Promise<number> => Number(await redis.get(keyOf(sha256))),
    /** The image has succeeded: it did not cause its crashes. */
    clear: async (sha256: string): Promise<void> => {
      await redis.del(keyOf(sha256));
    },
  };
}

/** Whether an image with so many crashes is rejected without another attempt. */
export const isQuarantined = (crashes: number): boolean => crashes >= QUARANTINE_CRASHES;

export type Quarantine = ReturnType<typeof createQuarantine>;
