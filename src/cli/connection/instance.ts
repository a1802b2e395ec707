import { AccessRequests } from '../../auth/access-requests.ts';
import { ClientRetention } from '../../auth/client-retention.ts';
import { Keys } from '../../auth/keys.ts';
import { type Clock, followClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { findSecrets } from '../../platform/secrets.ts';
import { deedKey, keyCopyKey } from '../../storage/blob-keys.ts';
import type { StorageSettings } from '../../storage/open-storage.ts';
import { CliError, EXIT } from '../terminal/output.ts';

/** The running installation, as operator commands use it. */
export interface Instance {
  keys: Keys;
  requests: AccessRequests;
  clientRetention: ClientRetention;
  /** Redis's time. */
  now: Clock;
}

/**
 * Returns the pepper of the gateway's keys. A command creates none: no gateway would accept its keys.
 * @throws CliError if this environment has none
 */
function pepperOf({ KEY_PEPPER, SELVAGE_HOME: home }: Config): string {
  const pepper = KEY_PEPPER ?? findSecrets(home)?.keyPepper;
  if (pepper) return pepper;
  throw new CliError(
    `There is no secrets.json in ${home}, with which the gateway stores keys.\n` +
      'Set SELVAGE_HOME to the folder of the gateway, or KEY_PEPPER as for the gateway.',
    EXIT.unreachable,
  );
}

/**
 * Copies changes to object storage: Redis writes its file every second, and a power cut must not undo a revocation. The
 * change is in force in any case.
 * @param copies by key
 */
async function copyToStorage(
  settings: StorageSettings,
  copies: readonly (readonly [key: string, copy: object])[],
): Promise<void> {
  const { openStorage } = await import('../../storage/open-storage.ts');
  try {
    const blobs = await openStorage(settings);
    for (const [key, copy] of copies) await blobs.put(key, Buffer.from(JSON.stringify(copy)));
    blobs.close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    console.error(
      `The change is in force, but object storage has no copy of it, which a Redis that loses data needs (${reason}). Repeat the command when it responds.`,
    );
  }
}

/**
 * Connects to the installation the environment or SELVAGE_HOME names, does the work, disconnects.
 * @throws CliError where nothing runs there
 */
export async function withInstance(work: (instance: Instance) => Promise<void>): Promise<void> {
  // Loaded here: most commands know no Redis.
  const { connectToInstallation, NoInstallationError } = await import(
    '../../platform/installation.ts'
  );
  const { createLog } = await import('../../platform/log.ts');
  const log = createLog('cli', 'silent');
  const { config, redis } = await connectToInstallation(process.env, log).catch((error) => {
    if (!(error instanceof NoInstallationError)) throw error;
    throw new CliError(error.message, EXIT.unreachable, error);
  });
  try {
    const pepper = pepperOf(config);
    const now = await followClock(redis, log);
    const keys = new Keys(redis, pepper, now, {
      maxLive: config.MAX_LIVE_KEYS,
      copy: (copies) =>
        copyToStorage(
          config,
          copies.map((copy) => [keyCopyKey(copy.hash), copy]),
        ),
    });
    await work({
      keys,
      requests: new AccessRequests(redis, keys, now),
      clientRetention: new ClientRetention(redis, (changed) =>
        copyToStorage(config, [[deedKey('retention', changed.client), changed]]),
      ),
      now,
    });
  } finally {
    redis.disconnect();
  }
}
