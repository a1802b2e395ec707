import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis, Result } from 'ioredis';
import { PREFIX } from './redis.ts';

/** A deletion under way is thought dead after this. */
const DELETION_MILLIS = 10_000;
const ASK_AGAIN_MILLIS = 50;

/** KEYS: holders, mark of a deletion. ARGV: id. */
const HOLD = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SADD', KEYS[1], ARGV[1])
return 1
`;

/** KEYS: holders, mark of a deletion. ARGV: id, ms the mark may stay. Answers 1 where none is left. */
const RELEASE = `
redis.call('SREM', KEYS[1], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
return 1
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvageHold(holders: string, mark: string, id: string): Result<number, Context>;
    selvageRelease(
      holders: string,
      mark: string,
      id: string,
      millis: number,
    ): Result<number, Context>;
  }
}

/**
 * Who needs a blob that several jobs share. Holders are a set of ids rather than a number, so that
 * holding or releasing twice changes nothing.
 */
export function createReferences(redis: Redis) {
  redis.defineCommand('selvageHold', { numberOfKeys: 2, lua: HOLD });
  redis.defineCommand('selvageRelease', { numberOfKeys: 2, lua: RELEASE });
  const holdersOf = (key: string) => `${PREFIX}:holders:${key}`;
  const markOf = (key: string) => `${PREFIX}:deleting:${key}`;

  return {
    /** Resolves when the blob will not be deleted under this job's hands. */
    async hold(key: string, id: string, signal: AbortSignal): Promise<void> {
      while ((await redis.selvageHold(holdersOf(key), markOf(key), id)) === 0) {
        await sleep(ASK_AGAIN_MILLIS, undefined, { signal });
      }
    },
    /** Lets go; where nobody else holds the blob, deletes it, and nobody may take it up meanwhile. */
    async release(key: string, id: string, deletion: () => Promise<number>): Promise<number> {
      const last = await redis.selvageRelease(holdersOf(key), markOf(key), id, DELETION_MILLIS);
      if (last === 0) return 0;
      const deleted = await deletion();
      await redis.del(markOf(key));
      return deleted;
    },
  };
}

export type References = ReturnType<typeof createReferences>;
