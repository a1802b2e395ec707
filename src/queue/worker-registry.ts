import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';
import { DEFAULT_SERVICE_TIME, ServiceTime } from './turns.ts';

/** How often a worker sends a heartbeat, and how long after the last one it counts as gone. */
export const HEARTBEAT_MILLIS = 500;
const TIMEOUT_MILLIS = 3000;

const WorkerInfo = z.object({
  id: z.string(),
  /** Images processed at once. */
  slots: z.number().int().positive(),
  /** Of one image in a slot. Workers of an older release do not send it. */
  serviceTime: ServiceTime.default(DEFAULT_SERVICE_TIME),
  /** `id@version` */
  model: z.string(),
  device: z.string(),
});

/** What a worker reports about itself. */
export type WorkerInfo = z.infer<typeof WorkerInfo>;

/** Hash: reports of workers, by id. */
const WORKERS = `${PREFIX}:workers`;
/** Sorted set: ids by time of the last heartbeat. */
const HEARTBEATS = `${PREFIX}:worker-beats`;

/** By Redis's own time, as the clocks of hosts differ. KEYS: workers, heartbeats. ARGV: id, report. */
const HEARTBEAT = `
local time = redis.call('TIME')
redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
`;

/** Removes workers that are gone, and returns the reports of the rest. KEYS: the same. ARGV: timeout ms. */
const LIVE = `
local time = redis.call('TIME')
local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[1]
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', oldest)) do
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
return redis.call('HVALS', KEYS[1])
`;

/** The registry of live workers: workers send heartbeats, gateways read it. */
export class WorkerRegistry {
  readonly #redis;
  readonly #heartbeat;
  readonly #live;
  readonly #keys = [WORKERS, HEARTBEATS];

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#heartbeat = defineScript<number>(redis, 'selvageHeartbeat', HEARTBEAT);
    this.#live = defineScript<string[]>(redis, 'selvageLive', LIVE);
  }

  async heartbeat(worker: WorkerInfo): Promise<void> {
    await this.#heartbeat(this.#keys, [worker.id, JSON.stringify(worker)]);
  }

  /** Returns the workers with a heartbeat in the last three seconds. */
  async live(): Promise<WorkerInfo[]> {
    return (await this.#live(this.#keys, [TIMEOUT_MILLIS])).map((json) =>
      WorkerInfo.parse(JSON.parse(json)),
    );
  }

  async leave(id: string): Promise<void> {
    await this.#redis.multi().hdel(WORKERS, id).zrem(HEARTBEATS, id).exec();
  }
}
