import { getJson } from '../../src/intake/batches/batch-files.ts';
import { DEEDS, type DeedKind, deedKindOf } from '../../src/intake/deeds.ts';
import { RESTORE_DEED } from '../../src/intake/restore-deeds.ts';
import { DEEDS_PREFIX } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverDeps } from './rebuild.ts';

/** Does again what clients and operators had done: before the jobs that they have canceled. */
export const deeds = (deps: RecoverDeps): Rebuilder => {
  async function redo<Kind extends DeedKind>(kind: Kind, stored: unknown, signal: AbortSignal) {
    const deed = DEEDS[kind].parse(stored) as Parameters<(typeof RESTORE_DEED)[Kind]>[1];
    return RESTORE_DEED[kind](deps, deed, signal);
  }
  return {
    name: 'deeds',
    prefix: DEEDS_PREFIX,
    manifestOf: (key) => key,
    recordOf: () => undefined,
    async restore(key, signal): Promise<Outcome> {
      const stored = await getJson(deps.blobs, key, signal);
      if (stored === undefined) return 'absent';
      const kind = deedKindOf(key);
      const isRestored = kind && (await redo(kind, stored, signal));
      if (isRestored === undefined) return 'unknown';
      return isRestored ? 'rebuilt' : 'known';
    },
  };
};
