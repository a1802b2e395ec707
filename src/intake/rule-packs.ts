import { z } from 'zod';
import { RulePack } from '../output/rules/pack.ts';
import type { NamedSettings, SettingsKind } from './named-settings.ts';

const StoredPack = z.object({ pack: RulePack, changedAt: z.iso.datetime() });
type StoredPack = z.infer<typeof StoredPack>;

export const RULE_PACKS: SettingsKind<StoredPack> = {
  kind: 'rule-packs',
  schema: StoredPack,
  max: 50,
};

/** The rule packs that clients have defined. Work that was accepted has a copy of its pack. */
export type RulePacks = NamedSettings<StoredPack>;
