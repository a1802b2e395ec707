import type { Logger } from '../platform/log.ts';
import { type Grant, SCOPES } from './key-record.ts';
import { KeyError, type Keys } from './keys.ts';

/** The development key allows everything, faster than anyone types. */
const DEVELOPMENT_GRANT: Grant = {
  client: 'development',
  scopes: [...SCOPES],
  allowBase64: true,
  rate: { count: 6000, periodSeconds: 60 },
  quotaPerDay: 1_000_000,
};

const DEVELOPMENT_KEY_DEAD =
  'the development key is revoked or expired, and rejected: for a new one delete dev-key under SELVAGE_HOME, or set SELVAGE_DEV_KEY to the output of "npm run -s keys -- mint", and start again';

/** Registers the key from the settings that is accepted beside the others; warns if it is rejected. */
export async function adoptDevelopmentKey(keys: Keys, key: string, log: Logger): Promise<void> {
  try {
    const isLive = await keys.adopt(key, DEVELOPMENT_GRANT);
    if (!isLive) log.warn(DEVELOPMENT_KEY_DEAD);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    log.warn(`the development key is rejected: ${error.message}`);
  }
}
