import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';

/** The newest batches of a client are listed; older ones are found by their id alone. */
const MAX_LISTED = 1000;
/** Longer than a batch and its tombstone last. */
const TTL_SECONDS = 30 * 86_400;

const KEYS = { batches: `${PREFIX}:batches-of:`, jobs: `${PREFIX}:jobs-of:` } as const;

/** Sorted set: the ids of a client's jobs or batches by the time they were created, ms. */
export const clientIndexKey = (kind: keyof typeof KEYS, client: string): string =>
  `${KEYS[kind]}${client}`;

/** The last entry of a page. */
export interface PageEnd {
  id: string;
  /** Undefined if it is no longer known. */
  createdAtMillis: number | undefined;
}

/** Lists the jobs or batches of a client. Listed ones may no longer exist. */
export class ClientIndex {
  readonly #redis;
  readonly #kind;
  readonly #runList;

  constructor(redis: Redis, kind: keyof typeof KEYS) {
    this.#redis = redis;
    this.#kind = kind;
    this.#runList = defineScript<string[]>(
      redis,
      'selvageClientIndexList',
      readLua('client-index-list'),
    );
  }

  async add(client: string, id: string, createdAtMillis: number): Promise<void> {
    const key = clientIndexKey(this.#kind, client);
    await this.#redis
      .multi()
      .zadd(key, createdAtMillis, id)
      .zremrangebyrank(key, 0, -1 - MAX_LISTED)
      .expire(key, TTL_SECONDS)
      .exec();
  }

  async drop(client: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#redis.zrem(clientIndexKey(this.#kind, client), ...ids);
  }

  /** Returns ids, the newest first, after `end`; none if its place is no longer known. */
  list(client: string, limit: number, end?: PageEnd): Promise<string[]> {
    return this.#runList(
      [clientIndexKey(this.#kind, client)],
      [limit, end?.id ?? '', end?.createdAtMillis ?? ''],
    );
  }
}
