import type { Redis } from 'ioredis';
import { PREFIX } from '../../platform/redis.ts';

/** The newest of a client are listed; of older ones only their ids lead to them. */
const MOST_LISTED = 1000;
/** Longer than a batch lives, its tombstone included. */
const KEPT_SECONDS = 30 * 86_400;

const keyOf = (client: string): string => `${PREFIX}:batches-of:${client}`;

/** Which batches a client has. What it names may be gone. */
export function createBatchIndex(redis: Redis) {
  return {
    async add(client: string, id: string, createdAtMillis: number): Promise<void> {
      await redis
        .multi()
        .zadd(keyOf(client), createdAtMillis, id)
        .zremrangebyrank(keyOf(client), 0, -1 - MOST_LISTED)
        .expire(keyOf(client), KEPT_SECONDS)
        .exec();
    },

    async drop(client: string, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await redis.zrem(keyOf(client), ...ids);
    },

    /** Ids, the newest first, from the one after `before`. */
    async list(client: string, limit: number, before?: string): Promise<string[]> {
      const rank = before === undefined ? -1 : await redis.zrevrank(keyOf(client), before);
      if (rank === null) return [];
      return redis.zrevrange(keyOf(client), rank + 1, rank + limit);
    },
  };
}

export type BatchIndex = ReturnType<typeof createBatchIndex>;
