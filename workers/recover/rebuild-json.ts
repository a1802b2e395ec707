import { getJson } from '../../src/intake/batches/batch-files.ts';
import { DEEDS, type DeedKind, deedKindOf } from '../../src/intake/deeds.ts';
import { restoreKey } from '../../src/intake/key-copies.ts';
import { LEARNED_CATEGORIES } from '../../src/intake/learned-categories.ts';
import {
  restoreSetting,
  type SettingsKind,
  settingsKindOf,
} from '../../src/intake/named-settings.ts';
import { PRESETS } from '../../src/intake/presets.ts';
import { RESTORE_DEED } from '../../src/intake/restore-deeds.ts';
import { RULE_PACKS } from '../../src/intake/rule-packs.ts';
import { SOURCE_SETTINGS } from '../../src/intake/sources/sources.ts';
import { DEEDS_PREFIX, KEYS_PREFIX, SETTINGS_PREFIX } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverServices } from './rebuild.ts';

/** Restores what is in a JSON blob. Returns whether Redis lacked it; undefined if this version cannot. */
type RestoreJson = (
  services: RecoverServices,
  stored: unknown,
  key: string,
  signal: AbortSignal,
) => Promise<boolean | undefined>;

/** Returns what restores records of which each is one JSON blob, and only the blob tells which. */
const ofJson =
  (name: string, prefix: string, restoreJson: RestoreJson) =>
  (services: RecoverServices): Rebuilder => ({
    name,
    prefix,
    manifestOf: (key) => key,
    recordOf: () => undefined,
    async restore(key, signal): Promise<Outcome> {
      const stored = await getJson(services.blobs, key, signal);
      if (stored === undefined) return 'absent';
      const isRestored = await restoreJson(services, stored, key, signal);
      if (isRestored === undefined) return 'unknown';
      return isRestored ? 'rebuilt' : 'known';
    },
  });

/** Restores API keys, and the revocations of keys that are known. */
export const keys = ofJson('keys', KEYS_PREFIX, ({ redis }, copy) => restoreKey(redis, copy));

const SETTINGS: readonly SettingsKind<{ changedAt: string }>[] = [
  PRESETS,
  RULE_PACKS,
  LEARNED_CATEGORIES,
  SOURCE_SETTINGS,
];

/** Restores presets, rule packs and settings of sources, unless Redis has a newer one of the same name. */
export const settings = ofJson('settings', SETTINGS_PREFIX, async ({ redis }, copy, key) => {
  const setting = SETTINGS.find(({ kind }) => kind === settingsKindOf(key));
  return setting && restoreSetting(redis, setting, copy);
});

async function redo<Kind extends DeedKind>(
  services: RecoverServices,
  kind: Kind,
  stored: unknown,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const deed = DEEDS[kind].parse(stored) as Parameters<(typeof RESTORE_DEED)[Kind]>[1];
  return RESTORE_DEED[kind](services, deed, signal);
}

/** Does again what clients and operators had done. */
export const deeds = ofJson('deeds', DEEDS_PREFIX, async (services, stored, key, signal) => {
  const kind = deedKindOf(key);
  return kind && redo(services, kind, stored, signal);
});
