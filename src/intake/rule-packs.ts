import type { Redis } from 'ioredis';
import { z } from 'zod';
import { RulePack, versionOf } from '../output/rules/pack.ts';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript } from '../platform/redis-script.ts';

/** Packs of one client. */
export const MAX_PACKS = 50;

/** Hash: the packs of a client, by name. */
const packsKey = (client: string): string => `${PREFIX}:rule-packs:${client}`;

const StoredPack = z.object({ pack: RulePack, changedAt: z.iso.datetime() });

/** A client's own pack. */
export interface ClientPack extends z.infer<typeof StoredPack> {
  name: string;
  version: string;
}

/**
 * Stores a pack, unless the client has its maximum of others.
 * KEYS: packs. ARGV: name, JSON, maximum. Returns 2 if it is new, 1 if it replaces one, 0 if there are too many.
 */
const PUT = `
local isNew = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0
if isNew and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return isNew and 2 or 1
`;

const readPack = (name: string, json: string): ClientPack => {
  const stored = StoredPack.parse(JSON.parse(json));
  return { name, version: versionOf(stored.pack), ...stored };
};

/** The rule packs that clients have defined, in Redis. Work that was accepted has a copy of its pack. */
export function createRulePacks(redis: Redis, now: Clock) {
  const putScript = defineScript<number>(redis, 'putRulePack', PUT);
  return {
    /** Stores a pack under a name. Returns undefined if the client has `MAX_PACKS` others. */
    async put(client: string, name: string, pack: RulePack) {
      const changedAt = new Date(now()).toISOString();
      const json = JSON.stringify({ pack, changedAt });
      const outcome = await putScript([packsKey(client)], [name, json, MAX_PACKS]);
      if (outcome === 0) return undefined;
      return { isNew: outcome === 2, pack: { name, version: versionOf(pack), pack, changedAt } };
    },
    /** Returns a pack of the client's own; undefined if there is none of this name. */
    async get(client: string, name: string): Promise<ClientPack | undefined> {
      const json = await redis.hget(packsKey(client), name);
      return json === null ? undefined : readPack(name, json);
    },
    /** Returns all packs of the client's own, by name. */
    list: async (client: string): Promise<ClientPack[]> =>
      Object.entries(await redis.hgetall(packsKey(client)))
        .map(([name, json]) => readPack(name, json))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    /** Returns false if there was none. */
    remove: async (client: string, name: string): Promise<boolean> =>
      (await redis.hdel(packsKey(client), name)) === 1,
  };
}

export type RulePacks = ReturnType<typeof createRulePacks>;
