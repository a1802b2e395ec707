import { restoreKeyCopy } from '../../src/intake/key-copies.ts';
import { KEYS_PREFIX } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverDeps } from './rebuild.ts';

/** Restores API keys, and the revocations of keys that are known. */
export const keys = ({ redis, blobs }: Pick<RecoverDeps, 'redis' | 'blobs'>): Rebuilder => ({
  name: 'keys',
  prefix: KEYS_PREFIX,
  manifestOf: (key) => key,
  recordOf: () => undefined,
  async restore(key, signal): Promise<Outcome> {
    const isRestored = await restoreKeyCopy(redis, blobs, key, signal);
    if (isRestored === undefined) return 'absent';
    return isRestored ? 'rebuilt' : 'known';
  },
});
