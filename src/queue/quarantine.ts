import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';

const REMEMBER_SECONDS = 86_400;
/** So many deaths of the inference process under one image are not chance. */
const QUARANTINE_CRASHES = 2;

/** Remembers, for a day, images under which the inference process died and died again. */
export function createQuarantine(redis: Redis) {
  const keyOf = (sha256: string) => `${PREFIX}:crashes:${sha256}`;
  return {
    /** Counts one more crash; true when the image is to be refused from now on. */
    async count(sha256: string): Promise<boolean> {
      const replies = await redis
        .multi()
        .incr(keyOf(sha256))
        .expire(keyOf(sha256), REMEMBER_SECONDS)
        .exec();
      return isQuarantined(Number(replies?.[0]?.[1]));
    },
    /** How often the engine died under this image since it last succeeded. */
    seen: async (sha256: string): Promise<number> => Number(await redis.get(keyOf(sha256))),
    /** The image succeeded: its crashes were somebody else's fault. */
    forget: async (sha256: string): Promise<void> => {
      await redis.del(keyOf(sha256));
    },
  };
}

/** Whether an image with so many crashes is refused unseen. */
export const isQuarantined = (crashes: number): boolean => crashes >= QUARANTINE_CRASHES;

export type Quarantine = ReturnType<typeof createQuarantine>;
