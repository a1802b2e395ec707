import { createKeys, KeyError, type Keys } from '../access/keys.ts';
import { createAccessRequests } from '../access/requests.ts';
import { type ClientRetention, createClientRetention } from '../access/retention.ts';
import { ConfigError, readConfig } from '../config.ts';
import { commandConnection, untilReady } from '../jobs/redis.ts';
import { createLog } from '../log.ts';
import { readSecrets } from '../secrets.ts';

/** The running installation, as operator commands see it. */
export interface Instance {
  keys: Keys;
  requests: ReturnType<typeof createAccessRequests>;
  clientRetention: ClientRetention;
}

const CONNECT_MILLIS = 5000;

/** Faults a person can mend: printed as one sentence, exit code 1. */
export class CliError extends Error {}

/**
 * Connects to the installation the environment or SELVAGE_HOME names, does the work, disconnects.
 * @throws CliError where nothing runs there
 */
export async function withInstance(work: (instance: Instance) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const redis = commandConnection(config.REDIS_URL, createLog('cli', 'silent'));
  try {
    await untilReady(redis, AbortSignal.timeout(CONNECT_MILLIS)).catch((cause) => {
      throw new CliError(
        'No Redis answers. Start the service with "npm start", or set REDIS_URL to the one it uses.',
        { cause },
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

/** What to print for a fault, without a stack where a person can mend it. */
export const faultText = (error: unknown): string =>
  error instanceof CliError || error instanceof KeyError || error instanceof ConfigError
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
