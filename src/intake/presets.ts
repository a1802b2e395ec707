import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { Blobs } from '../storage/blobs.ts';
import { createNamedSettings, type SettingsKind } from './named-settings.ts';

/** Presets of one client. */
export const MAX_PRESETS = 100;

const StoredPreset = z.object({
  /** As they were sent, validated by `api`. */
  options: z.record(z.string(), z.unknown()),
  export: z.enum(['all', 'passed', 'approved']).optional(),
  changedAt: z.iso.datetime(),
});
type StoredPreset = z.infer<typeof StoredPreset>;

export const PRESETS: SettingsKind<StoredPreset> = {
  kind: 'presets',
  schema: StoredPreset,
  max: MAX_PRESETS,
};

/** A named set of options of a client. */
export interface Preset extends StoredPreset {
  name: string;
}

/** The presets of clients. Work that was accepted has a copy of the options. */
export function createPresets(redis: Redis, blobs: Pick<Blobs, 'put' | 'delete'>, now: Clock) {
  const { put, ...settings } = createNamedSettings(redis, blobs, PRESETS, now);
  return {
    ...settings,
    /** Stores a preset under its name. Returns undefined if the client has `MAX_PRESETS` others. */
    async put(client: string, preset: Omit<Preset, 'changedAt'>): Promise<Preset | undefined> {
      const { name, ...content } = preset;
      const stored = { ...content, changedAt: new Date(now()).toISOString() };
      return (await put(client, name, stored)) && { name, ...stored };
    },
  };
}

export type Presets = ReturnType<typeof createPresets>;
