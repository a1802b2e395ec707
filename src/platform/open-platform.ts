import { followClock } from './clock.ts';
import { type Config, isTraced } from './config.ts';
import { createLog } from './log.ts';
import { createRegistry } from './metrics/registry.ts';
import { checkRedis, connectRedis, endWhenStuck } from './redis-check.ts';
import { startTracing } from './tracing.ts';

/** How long a starting process waits for Redis. */
const START_MILLIS = 30_000;

interface PlatformOptions {
  process: 'gateway' | 'worker';
  config: Config;
  version: string;
}

/**
 * Starts logging, tracing and metrics, connects to Redis and follows its clock. Tracing starts first:
 * it instruments only the queues and servers created after it.
 * @throws StartError if Redis is not ready within 30 s, or cannot be used
 */
export async function openPlatform({ process, config, version }: PlatformOptions) {
  const log = createLog(process, config.LOG_LEVEL);
  const stopTracing = await startTracing({ process, version, isOn: isTraced(config) });
  const registry = createRegistry(version);
  /** For commands; ready. */
  const redis = await connectRedis(config, log, START_MILLIS);
  await checkRedis(redis, config, log);
  endWhenStuck(redis, config, log);
  /** Redis's time. */
  const now = await followClock(redis, log);
  return { version, log, registry, redis, now, stopTracing };
}

/** What every process of the service is built on. */
export type Platform = Awaited<ReturnType<typeof openPlatform>>;
