import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';

/** Presets of one client. */
export const MAX_PRESETS = 100;

/** Hash: the presets of a client, by name. */
const presetsKey = (client: string): string => `${PREFIX}:presets:${client}`;

const StoredPreset = z.object({
  /** As they were sent, validated by `api`. */
  options: z.record(z.string(), z.unknown()),
  export: z.enum(['all', 'passed', 'approved']).optional(),
  changedAt: z.iso.datetime(),
});

/** A named set of options of a client. */
export interface Preset extends z.infer<typeof StoredPreset> {
  name: string;
}

/**
 * Stores a preset, unless the client has its maximum of others.
 * KEYS: presets. ARGV: name, JSON, maximum. Returns 0 if there are too many.
 */
const PUT = `
local isNew = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0
if isNew and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
`;

const readPreset = (name: string, json: string): Preset => ({
  name,
  ...StoredPreset.parse(JSON.parse(json)),
});

/** The presets of clients, in Redis. Work that was accepted has a copy of the options. */
export function createPresets(redis: Redis, now: Clock) {
  const put = defineScript<number>(redis, 'selvagePresetPut', PUT);
  return {
    /** Stores a preset under its name. Returns undefined if the client has `MAX_PRESETS` others. */
    async put(client: string, preset: Omit<Preset, 'changedAt'>): Promise<Preset | undefined> {
      const { name, ...content } = preset;
      const stored = { ...content, changedAt: new Date(now()).toISOString() };
      const args = [name, JSON.stringify(stored), MAX_PRESETS];
      return (await put([presetsKey(client)], args)) === 1 ? { name, ...stored } : undefined;
    },
    async get(client: string, name: string): Promise<Preset | undefined> {
      const json = await redis.hget(presetsKey(client), name);
      return json === null ? undefined : readPreset(name, json);
    },
    /** Returns all presets of a client, by name. */
    list: async (client: string): Promise<Preset[]> =>
      Object.entries(await redis.hgetall(presetsKey(client)))
        .map(([name, json]) => readPreset(name, json))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    /** Returns false if there was none. */
    remove: async (client: string, name: string): Promise<boolean> =>
      (await redis.hdel(presetsKey(client), name)) === 1,
  };
}

export type Presets = ReturnType<typeof createPresets>;
