import type { Redis } from 'ioredis';
import type { Logger } from './log.ts';
import { checkWrites } from './redis.ts';
import { connectRedis } from './redis-check.ts';
import type { RedisSettings } from './redis-settings.ts';

const MAX_SAMPLE_MILLIS = 10_000;
const CONNECT_MILLIS = 3000;

const takesWrites = (redis: Redis): Promise<boolean> =>
  checkWrites(redis).then(
    () => true,
    () => false,
  );

async function newOneTakesWrites(settings: RedisSettings, log: Logger): Promise<boolean> {
  const silent = log.child({}, { level: 'silent' });
  const probe = { ...settings, connectionName: 'selvage-probe' };
  const redis = await connectRedis(probe, silent, CONNECT_MILLIS).catch(() => undefined);
  if (!redis) return false;
  const takes = await takesWrites(redis);
  redis.disconnect();
  return takes;
}

/**
 * Ends the process when its connection has taken no writes for so long while new ones do: its supervisor starts it anew.
 * A Redis that takes no writes from anybody ends nobody.
 */
export function endWhenStuck(
  redis: Redis,
  settings: RedisSettings & { REDIS_STUCK_SECONDS: number },
  log: Logger,
): void {
  const limitMillis = settings.REDIS_STUCK_SECONDS * 1000;
  let stuckSince: number | undefined;
  async function sample(): Promise<void> {
    const isStuck = !(await takesWrites(redis)) && (await newOneTakesWrites(settings, log));
    if (!isStuck) {
      stuckSince = undefined;
      return;
    }
    stuckSince ??= performance.now();
    if (performance.now() - stuckSince < limitMillis) return;
    log.fatal(
      { seconds: settings.REDIS_STUCK_SECONDS },
      'this process cannot write to Redis though others can: it ends, to be started anew',
    );
    process.exit(1);
  }
  setInterval(() => void sample(), Math.min(limitMillis / 4, MAX_SAMPLE_MILLIS)).unref();
}
