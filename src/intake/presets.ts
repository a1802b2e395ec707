import { z } from 'zod';
import type { NamedSettings, SettingsKind } from './named-settings.ts';
import { ExportPolicy } from './retention.ts';

const StoredPreset = z.object({
  /** As they were sent, validated by `api`. */
  options: z.record(z.string(), z.unknown()),
  export: ExportPolicy,
  changedAt: z.iso.datetime(),
});
type StoredPreset = z.infer<typeof StoredPreset>;

export const PRESETS: SettingsKind<StoredPreset> = {
  kind: 'presets',
  schema: StoredPreset,
  max: 100,
};

/** Work that was accepted has a copy of the options. */
export type Presets = NamedSettings<StoredPreset>;
