import type { Redis } from 'ioredis';
import { z } from 'zod';
import { RulePack, versionOf } from '../output/rules/pack.ts';
import type { Clock } from '../platform/clock.ts';
import type { Blobs } from '../storage/blobs.ts';
import { NamedSettings, type SettingsKind } from './named-settings.ts';

/** Packs of one client. */
export const MAX_PACKS = 50;

const StoredPack = z.object({ pack: RulePack, changedAt: z.iso.datetime() });
type StoredPack = z.infer<typeof StoredPack>;

export const RULE_PACKS: SettingsKind<StoredPack> = {
  kind: 'rule-packs',
  schema: StoredPack,
  max: MAX_PACKS,
};

export interface ClientPack extends StoredPack {
  name: string;
  version: string;
}

const withVersion = <T extends StoredPack>(stored: T) => ({
  ...stored,
  version: versionOf(stored.pack),
});

/** The rule packs that clients have defined. Work that was accepted has a copy of its pack. */
export class RulePacks {
  readonly #settings: NamedSettings<StoredPack>;
  readonly #now: Clock;

  constructor(redis: Redis, blobs: Pick<Blobs, 'put' | 'delete'>, now: Clock) {
    this.#settings = new NamedSettings(redis, blobs, RULE_PACKS, now);
    this.#now = now;
  }

  /** Returns undefined if the client has `MAX_PACKS` others. */
  async put(client: string, name: string, pack: RulePack) {
    const stored = { pack, changedAt: new Date(this.#now()).toISOString() };
    const outcome = await this.#settings.put(client, name, stored);
    return outcome && { isNew: outcome === 'new', pack: withVersion({ name, ...stored }) };
  }

  async get(client: string, name: string): Promise<ClientPack | undefined> {
    const stored = await this.#settings.get(client, name);
    return stored && withVersion(stored);
  }

  async list(client: string): Promise<ClientPack[]> {
    return (await this.#settings.list(client)).map(withVersion);
  }

  /** Returns false if there was none. */
  remove(client: string, name: string): Promise<boolean> {
    return this.#settings.remove(client, name);
  }
}
