import type { Redis } from 'ioredis';
import { PREFIX } from '../../platform/redis.ts';

/** The newest of a client are listed; older ones are found by their id alone. */
const MAX_LISTED = 1000;
/** Longer than a batch and its tombstone last. */
const TTL_SECONDS = 30 * 86_400;

const indexKey = (client: string): string => `${PREFIX}:batches-of:${client}`;

/** Lists the batches of a client. Listed batches may no longer exist. */
export function createBatchIndex(redis: Redis) {
  return {
    async add(client: string, id: string, createdAtMillis: number): Promise<void> {
      const key = indexKey(client);
      await redis
        .multi()
        .zadd(key, createdAtMillis, id)
        .zremrangebyrank(key, 0, -1 - MAX_LISTED)
        .expire(key, TTL_SECONDS)
        .exec();
    },

    async drop(client: string, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await redis.zrem(indexKey(client), ...ids);
    },

    /** Returns ids, the newest first, starting after `before`. */
    async list(client: string, limit: number, before?: string): Promise<string[]> {
      const key = indexKey(client);
      const rank = before === undefined ? -1 : await redis.zrevrank(key, before);
      if (rank === null) return [];
      return redis.zrevrange(key, rank + 1, rank + limit);
    },
  };
}

export type BatchIndex = ReturnType<typeof createBatchIndex>;
