import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';

/** How often a worker says that it lives, and after what silence it counts as gone. */
export const HEARTBEAT_MILLIS = 500;
const SILENCE_MILLIS = 3000;

const WorkerInfo = z.object({
  id: z.string(),
  /** Images worked on at once. */
  slots: z.number().int().positive(),
  /** Mean time one image takes in a slot; absent before the first. */
  serviceMillis: z.number().positive().optional(),
  /** `id@version` */
  model: z.string(),
  device: z.string(),
});

/** What a worker says of itself. */
export type WorkerInfo = z.infer<typeof WorkerInfo>;

const FACTS = `${PREFIX}:workers`;
const BEATS = `${PREFIX}:worker-beats`;

/** Time is Redis's own, so that hosts need not agree on it. */
const BEAT = `
local time = redis.call('TIME')
redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
`;

const LIVE = `
local time = redis.call('TIME')
local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[1]
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', oldest)) do
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
return redis.call('HVALS', KEYS[1])
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvageBeat(facts: string, beats: string, id: string, json: string): Result<number, Context>;
    selvageLive(facts: string, beats: string, silenceMillis: number): Result<string[], Context>;
  }
}

/** The register of live workers: they beat, gateways read. */
export function createWorkerRegistry(redis: Redis) {
  redis.defineCommand('selvageBeat', { numberOfKeys: 2, lua: BEAT });
  redis.defineCommand('selvageLive', { numberOfKeys: 2, lua: LIVE });
  return {
    beat: async (facts: WorkerInfo): Promise<void> => {
      await redis.selvageBeat(FACTS, BEATS, facts.id, JSON.stringify(facts));
    },
    /** Workers heard of in the last three seconds. */
    live: async (): Promise<WorkerInfo[]> =>
      (await redis.selvageLive(FACTS, BEATS, SILENCE_MILLIS)).map((json) =>
        WorkerInfo.parse(JSON.parse(json)),
      ),
    leave: async (id: string): Promise<void> => {
      await redis.multi().hdel(FACTS, id).zrem(BEATS, id).exec();
    },
  };
}

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>;
