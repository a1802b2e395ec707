import { type AccessRequests, createAccessRequests } from '../../auth/access-requests.ts';
import { type ClientRetention, createClientRetention } from '../../auth/client-retention.ts';
import { createKeys, type Keys } from '../../auth/keys.ts';
import { type Clock, followClock } from '../../platform/clock.ts';
import { readConfig } from '../../platform/config.ts';
import { readSecrets } from '../../platform/secrets.ts';
import { CliError, EXIT } from '../terminal/exit.ts';

/** The running installation, as operator commands use it. */
export interface Instance {
  keys: Keys;
  requests: AccessRequests;
  clientRetention: ClientRetention;
  /** Redis's time. */
  now: Clock;
}

const CONNECT_MILLIS = 5000;

/**
 * Connects to the installation the environment or SELVAGE_HOME names, does the work, disconnects.
 * @throws CliError where nothing runs there
 */
export async function withInstance(work: (instance: Instance) => Promise<void>): Promise<void> {
  // Loaded here: most commands know no Redis.
  const { connectRedis } = await import('../../platform/redis-check.ts');
  const { createLog } = await import('../../platform/log.ts');
  const config = readConfig(process.env);
  const log = createLog('cli', 'silent');
  const redis = await connectRedis(config, log, CONNECT_MILLIS).catch((cause) => {
    throw new CliError(
      `${cause.message}\nStart the service with "npm start", or set REDIS_URL to the one it uses.`,
      EXIT.unreachable,
      cause,
    );
  });
  try {
    const pepper = config.KEY_PEPPER ?? readSecrets(config.SELVAGE_HOME).keyPepper;
    const now = await followClock(redis, log);
    const keys = createKeys(redis, pepper, now);
    await work({
      keys,
      requests: createAccessRequests(redis, keys, now),
      clientRetention: createClientRetention(redis),
      now,
    });
  } finally {
    redis.disconnect();
  }
}
