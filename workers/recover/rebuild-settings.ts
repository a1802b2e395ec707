import { getJson } from '../../src/intake/batches/batch-files.ts';
import {
  restoreSetting,
  type SettingsKind,
  settingsKindOf,
} from '../../src/intake/named-settings.ts';
import { PRESETS } from '../../src/intake/presets.ts';
import { RULE_PACKS } from '../../src/intake/rule-packs.ts';
import { SETTINGS_PREFIX } from '../../src/storage/blob-keys.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newCounts, type Outcome, type Rebuilder, type RecoverDeps } from './rebuild.ts';

const KINDS: readonly SettingsKind<object>[] = [PRESETS, RULE_PACKS];

/** Restores one preset or rule pack if Redis has none of its name. */
async function rebuildSetting(
  { redis, blobs }: RecoverDeps,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const kind = KINDS.find((each) => each.kind === settingsKindOf(key));
  if (!kind) return 'unknown';
  const restored = await restoreSetting(redis, kind, await getJson(blobs, key, signal));
  if (restored === undefined) return 'unknown';
  return restored ? 'rebuilt' : 'known';
}

/** Restores the presets and rule packs of clients. */
export const settings: Rebuilder = {
  name: 'settings',
  async rebuild(deps, forEach, signal) {
    const counts = newCounts();
    await forEach(deps.blobs.list(SETTINGS_PREFIX, signal), async ({ key }: BlobEntry) => {
      counts[await rebuildSetting(deps, key, signal)]++;
    });
    return counts;
  },
};
