import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { Blobs } from '../storage/blobs.ts';
import { NamedSettings, type SettingsKind } from './named-settings.ts';

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

export interface Preset extends StoredPreset {
  name: string;
}

export class Presets {
  readonly #settings: NamedSettings<StoredPreset>;
  readonly #now: Clock;

  constructor(redis: Redis, blobs: Pick<Blobs, 'put' | 'delete'>, now: Clock) {
    this.#settings = new NamedSettings(redis, blobs, PRESETS, now);
    this.#now = now;
  }

  /** Returns undefined if the client has `MAX_PRESETS` others. */
  async put(client: string, preset: Omit<Preset, 'changedAt'>): Promise<Preset | undefined> {
    const { name, ...content } = preset;
    const stored = { ...content, changedAt: new Date(this.#now()).toISOString() };
    return (await this.#settings.put(client, name, stored)) && { name, ...stored };
  }

  get(client: string, name: string): Promise<Preset | undefined> {
    return this.#settings.get(client, name);
  }

  list(client: string): Promise<Preset[]> {
    return this.#settings.list(client);
  }

  /** Returns false if there was none. */
  remove(client: string, name: string): Promise<boolean> {
    return this.#settings.remove(client, name);
  }
}
