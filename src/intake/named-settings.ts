import type { Redis } from 'ioredis';
import { z } from 'zod';
import { RulePack } from '../output/rules/pack.ts';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, defineSwap } from '../platform/redis-script.ts';
import { SETTINGS_PREFIX, segment } from '../storage/blob-keys.ts';
import type { Blobs } from '../storage/blobs.ts';
import { putJson } from './batches/batch-files.ts';
import { type Deed, putDeed } from './deeds.ts';
import { ExportPolicy } from './retention.ts';

interface Dated {
  changedAt: string;
}

type Named<T> = T & { name: string };

/** A kind of settings that clients store under names. */
export interface SettingsKind<T extends Dated> {
  kind: string;
  schema: z.ZodType<T>;
  max: number;
  /** Returns the hash in Redis that has a setting, and the field; by default a hash for each client. */
  place?(client: string, name: string): readonly [hash: string, field: string];
}

/** Hash: the settings of a client, by name. */
const settingsKey = (kind: string, client: string): string => `${PREFIX}:${kind}:${client}`;

const placeOf = ({ kind, place }: SettingsKind<Dated>, client: string, name: string) =>
  place?.(client, name) ?? ([settingsKey(kind, client), name] as const);

/** The copy of one of a client's settings in object storage. */
const settingKey = (kind: string, client: string, name: string): string =>
  `${SETTINGS_PREFIX}${segment(client)}/${kind}/${name}.json`;

/** Returns the kind that a key in object storage is of. */
export const settingsKindOf = (key: string): string => key.split('/')[2] ?? '';

/** A copy in object storage: it must tell what its key does not. */
const StoredSetting = z.object({ client: z.string(), name: z.string(), value: z.unknown() });

/**
 * Stores a setting, unless the client has its maximum of others.
 * KEYS: settings. ARGV: name, JSON, maximum. Returns 2 if it is new, 1 if it replaces one, 0 if there are too many.
 */
const PUT = `
local isNew = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0
if isNew and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return isNew and 2 or 1
`;

/** Copies to object storage what Redis has, until it has not changed meanwhile: of two changes the later one wins. */
export async function copySetting(
  redis: Redis,
  blobs: Pick<Blobs, 'put' | 'delete'>,
  setting: SettingsKind<Dated>,
  { client, name }: { client: string; name: string },
  now: Clock,
): Promise<void> {
  const { kind } = setting;
  const key = settingKey(kind, client, name);
  let copied: string | null | undefined;
  for (;;) {
    const json = await redis.hget(...placeOf(setting, client, name));
    if (json === copied) return;
    if (json !== null) await putJson(blobs, key, { client, name, value: JSON.parse(json) });
    else {
      const at = new Date(now()).toISOString();
      await putDeed(blobs, 'setting', key, { kind, client, name, at });
      await blobs.delete(key);
    }
    copied = json;
  }
}

/**
 * Settings that clients store under names. They are read from Redis. Object storage has a copy of each, for a Redis that
 * loses its data: a change resolves once both have it.
 */
export class NamedSettings<T extends Dated> {
  readonly #redis: Redis;
  readonly #setting: SettingsKind<T>;
  readonly #now: Clock;
  readonly #put: (keys: string[], args: (string | number)[]) => Promise<number>;
  /** Copies one to object storage. */
  readonly #copy: (client: string, name: string) => Promise<void>;

  constructor(
    redis: Redis,
    blobs: Pick<Blobs, 'put' | 'delete'>,
    setting: SettingsKind<T>,
    now: Clock,
  ) {
    this.#redis = redis;
    this.#setting = setting;
    this.#now = now;
    this.#put = defineScript<number>(redis, 'putNamedSetting', PUT);
    this.#copy = (client, name) => copySetting(redis, blobs, setting, { client, name }, now);
  }

  /** Returns undefined if the client has its maximum of others. */
  async put(
    client: string,
    name: string,
    content: Omit<T, 'changedAt'>,
  ): Promise<{ isNew: boolean; stored: Named<T> } | undefined> {
    const json = JSON.stringify({ ...content, changedAt: new Date(this.#now()).toISOString() });
    const outcome = await this.#put([this.#key(client)], [name, json, this.#setting.max]);
    if (outcome === 0) return undefined;
    await this.#copy(client, name);
    return { isNew: outcome === 2, stored: this.#read(name, json) };
  }

  /** Changes a setting by what it is. Returns false if there is none, and the client has its maximum of others. */
  async change(client: string, name: string, next: (known?: T) => T): Promise<boolean> {
    const { schema, max } = this.#setting;
    const swap = defineSwap(this.#redis);
    const hash = this.#key(client);
    for (;;) {
      const json = await this.#redis.hget(hash, name);
      if (json === null && (await this.#redis.hlen(hash)) >= max) return false;
      const value = next(json === null ? undefined : schema.parse(JSON.parse(json)));
      if (await swap(hash, name, json, JSON.stringify(value))) break;
    }
    await this.#copy(client, name);
    return true;
  }

  async get(client: string, name: string): Promise<Named<T> | undefined> {
    const json = await this.#redis.hget(this.#key(client), name);
    return json === null ? undefined : this.#read(name, json);
  }

  async list(client: string): Promise<Named<T>[]> {
    return Object.entries(await this.#redis.hgetall(this.#key(client)))
      .map(([name, json]) => this.#read(name, json))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  names(client: string): Promise<string[]> {
    return this.#redis.hkeys(this.#key(client));
  }

  /** Returns false if there was none. */
  async remove(client: string, name: string): Promise<boolean> {
    const removed = await this.#redis.hdel(this.#key(client), name);
    await this.#copy(client, name);
    return removed === 1;
  }

  #key(client: string): string {
    return settingsKey(this.#setting.kind, client);
  }

  #read(name: string, json: string): Named<T> {
    return { name, ...this.#setting.schema.parse(JSON.parse(json)) };
  }
}

/** Replaces a setting in Redis, or deletes it, unless that is newer. Returns whether it was older, or missing. */
async function replaceOlder(
  redis: Redis,
  setting: SettingsKind<Dated>,
  { client, name }: { client: string; name: string },
  { changedAt, json }: { changedAt: string; json: string | null },
): Promise<boolean> {
  const [hash, field] = placeOf(setting, client, name);
  const swap = defineSwap(redis);
  for (;;) {
    const known = await redis.hget(hash, field);
    if (known === json) return false;
    if (known && setting.schema.parse(JSON.parse(known)).changedAt >= changedAt) return false;
    if (await swap(hash, field, known, json)) return true;
  }
}

/**
 * Restores to Redis a setting that object storage has a copy of, unless Redis has a newer one of this name.
 * @param copy as `getJson` reads it
 * @returns undefined if this version cannot read it; false if Redis has it
 */
export async function restoreSetting(
  redis: Redis,
  setting: SettingsKind<Dated>,
  copy: unknown,
): Promise<boolean | undefined> {
  const stored = StoredSetting.safeParse(copy).data;
  const value = setting.schema.safeParse(stored?.value).data;
  if (!stored || !value) return undefined;
  const json = JSON.stringify(stored.value);
  return replaceOlder(redis, setting, stored, { changedAt: value.changedAt, json });
}

/** Deletes from Redis a setting that was deleted, unless it has been stored again since. */
export const deleteSetting = (
  redis: Redis,
  setting: SettingsKind<Dated>,
  { at, ...which }: Deed<'setting'>,
): Promise<boolean> => replaceOlder(redis, setting, which, { changedAt: at, json: null });

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

const StoredPack = z.object({ pack: RulePack, changedAt: z.iso.datetime() });
type StoredPack = z.infer<typeof StoredPack>;

export const RULE_PACKS: SettingsKind<StoredPack> = {
  kind: 'rule-packs',
  schema: StoredPack,
  max: 50,
};

/** The rule packs that clients have defined. Work that was accepted has a copy of its pack. */
export type RulePacks = NamedSettings<StoredPack>;
