import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';
import { SETTINGS_PREFIX, segment } from '../storage/blob-keys.ts';
import type { Blobs } from '../storage/blobs.ts';

/** A kind of settings that clients store under names. */
export interface SettingsKind<T extends object> {
  /** In keys of Redis and of object storage. */
  kind: string;
  schema: z.ZodType<T>;
  /** Settings of one client. */
  max: number;
}

/** Hash: the settings of a client, by name. */
const settingsKey = (kind: string, client: string): string => `${PREFIX}:${kind}:${client}`;

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

/**
 * Settings that clients store under names. They are read from Redis. Object storage has a copy of each, for a Redis that
 * loses its data: a change resolves once both have it.
 */
export function createNamedSettings<T extends object>(
  redis: Redis,
  blobs: Pick<Blobs, 'put' | 'delete'>,
  { kind, schema, max }: SettingsKind<T>,
) {
  const putScript = defineScript<number>(redis, 'putNamedSetting', PUT);
  const read = (name: string, json: string): T & { name: string } => ({
    name,
    ...schema.parse(JSON.parse(json)),
  });

  /** Copies to object storage what Redis has, until it has not changed meanwhile: of two changes the later one wins. */
  async function copyToStorage(client: string, name: string): Promise<void> {
    const key = settingKey(kind, client, name);
    let copied: string | null | undefined;
    for (;;) {
      const json = await redis.hget(settingsKey(kind, client), name);
      if (json === copied) return;
      if (json === null) await blobs.delete(key);
      else {
        const stored = JSON.stringify({ client, name, value: JSON.parse(json) });
        await blobs.put(key, Buffer.from(stored), { mediaType: 'application/json' });
      }
      copied = json;
    }
  }

  return {
    /** Stores a setting under a name. Returns undefined if the client has its maximum of others. */
    async put(client: string, name: string, value: T): Promise<'new' | 'replaced' | undefined> {
      const args = [name, JSON.stringify(value), max];
      const outcome = await putScript([settingsKey(kind, client)], args);
      if (outcome === 0) return undefined;
      await copyToStorage(client, name);
      return outcome === 2 ? 'new' : 'replaced';
    },
    async get(client: string, name: string): Promise<(T & { name: string }) | undefined> {
      const json = await redis.hget(settingsKey(kind, client), name);
      return json === null ? undefined : read(name, json);
    },
    /** Returns all settings of a client, by name. */
    list: async (client: string): Promise<(T & { name: string })[]> =>
      Object.entries(await redis.hgetall(settingsKey(kind, client)))
        .map(([name, json]) => read(name, json))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    /** Returns false if there was none. */
    async remove(client: string, name: string): Promise<boolean> {
      const removed = await redis.hdel(settingsKey(kind, client), name);
      await copyToStorage(client, name);
      return removed === 1;
    },
  };
}

/**
 * Restores to Redis a setting that object storage has a copy of, unless Redis has one of this name.
 * @param copy as `getJson` reads it
 * @returns undefined if this version cannot read it; false if Redis has one
 */
export async function restoreSetting(
  redis: Redis,
  { kind, schema }: SettingsKind<object>,
  copy: unknown,
): Promise<boolean | undefined> {
  const stored = StoredSetting.safeParse(copy).data;
  if (!stored || !schema.safeParse(stored.value).success) return undefined;
  const { client, name, value } = stored;
  return (await redis.hsetnx(settingsKey(kind, client), name, JSON.stringify(value))) === 1;
}
