import { getJson } from '../../src/intake/batches/batch-files.ts';
import {
  restoreSetting,
  type SettingsKind,
  settingsKindOf,
} from '../../src/intake/named-settings.ts';
import { PRESETS } from '../../src/intake/presets.ts';
import { RULE_PACKS } from '../../src/intake/rule-packs.ts';
import { SOURCE_SETTINGS } from '../../src/intake/sources/sources.ts';
import { SETTINGS_PREFIX } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverDeps } from './rebuild.ts';

const KINDS: readonly SettingsKind<{ changedAt: string }>[] = [
  PRESETS,
  RULE_PACKS,
  SOURCE_SETTINGS,
];

/** Restores presets, rule packs and settings of sources, unless Redis has a newer one of the same name. */
export const settings = ({ redis, blobs }: Pick<RecoverDeps, 'redis' | 'blobs'>): Rebuilder => ({
  name: 'settings',
  prefix: SETTINGS_PREFIX,
  manifestOf: (key) => key,
  recordOf: () => undefined,
  async restore(key, signal): Promise<Outcome> {
    const kind = KINDS.find((each) => each.kind === settingsKindOf(key));
    if (!kind) return 'unknown';
    const stored = await getJson(blobs, key, signal);
    if (stored === undefined) return 'absent';
    const isRestored = await restoreSetting(redis, kind, stored);
    if (isRestored === undefined) return 'unknown';
    return isRestored ? 'rebuilt' : 'known';
  },
});
