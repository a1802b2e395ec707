import { createKeys, type Keys } from '../access/keys.ts';
import { createAccessRequests } from '../access/requests.ts';
import { type ClientRetention, createClientRetention } from '../access/retention.ts';
import { readConfig } from '../config.ts';
import { readSecrets } from '../secrets.ts';
import { CliError, EXIT } from './exit.ts';

/** The running installation, as operator commands see it. */
export interface Instance {
  keys: Keys;
  requests: ReturnType<typeof createAccessRequests>;
  clientRetention: ClientRetention;
}

const CONNECT_MILLIS = 5000;

/**
 * Connects to the installation the environment or SELVAGE_HOME names, does the work, disconnects.
 * @throws CliError where nothing runs there
 */
export async function withInstance(work: (instance: Instance) => Promise<void>): Promise<void> {
  // Loaded here: most commands know no Redis.
  const { commandConnection, untilReady } = await import('../jobs/redis.ts');
  const { createLog } = await import('../log.ts');
  const config = readConfig(process.env);
  const redis = commandConnection(config.REDIS_URL, createLog('cli', 'silent'));
  try {
    await untilReady(redis, AbortSignal.timeout(CONNECT_MILLIS)).catch((cause) => {
      throw new CliError(
        'No Redis answers. Start the service with "npm start", or set REDIS_URL to the one it uses.',
        EXIT.unreachable,
        cause,
      );
    });
    const pepper = config.KEY_PEPPER ?? readSecrets(config.SELVAGE_HOME).keyPepper;
    const keys = createKeys(redis, pepper);
    await work({
      keys,
      requests: createAccessRequests(redis, keys),
      clientRetention: createClientRetention(redis),
    });
  } finally {
    redis.disconnect();
  }
}
