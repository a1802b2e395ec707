import { readConfig } from './config.ts';
import { readInstance, START, whyNoInstance } from './local-instance.ts';
import type { Logger } from './log.ts';
import { connectRedis } from './redis-check.ts';
import { StartError } from './start-error.ts';

const CONNECT_MILLIS = 5_000;

/** A command does not know which installation it is for, or cannot reach it. */
export class NoInstallationError extends StartError {}

const HOW_TO_NAME_ONE = `Start one there with "${START}", set SELVAGE_HOME to the folder of one that runs, or REDIS_URL to its Redis.`;

/** Settings that say where Redis is. */
const ADDRESSES = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER'] as const;

/**
 * Connects a command to the installation of REDIS_URL, or to the instance that runs under SELVAGE_HOME. Unlike a process
 * of the service it assumes no Redis: another one may listen there. The connection is for commands, and ready.
 * @throws ConfigError, or NoInstallationError with what to do
 */
export async function connectToInstallation(env: NodeJS.ProcessEnv, log: Logger) {
  const config = readConfig(env);
  const { SELVAGE_HOME: home } = config;
  const setting = ADDRESSES.find((name) => env[name]);
  if (!setting && !readInstance(home)?.redisUrl) {
    throw new NoInstallationError(`${whyNoInstance(home)}\n${HOW_TO_NAME_ONE}`);
  }
  const redis = await connectRedis(config, log, CONNECT_MILLIS).catch((cause) => {
    const from = setting ?? `the instance under ${home}, which was killed or stops`;
    throw new NoInstallationError(
      `${cause.message}\nThat is the address of ${from}.\n` +
        `Start the service with "${START}", or set REDIS_URL to the Redis that it uses.`,
      { cause },
    );
  });
  return { config, redis };
}
