import type { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

const START_MILLIS = 60_000;

/** Starts a Redis for the tests of a file, connects to it as the product does, and stops it after the last test. */
export async function useRedis(): Promise<{ server: RedisServer; redis: Redis }> {
  const server = await startRedis();
  const redis = commandConnection(server.url, createLog('test', 'silent'));
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  await untilReady(redis, AbortSignal.timeout(START_MILLIS));
  return { server, redis };
}
