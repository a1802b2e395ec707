import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** Runs a Lua script, which Redis does as one step. */
type Script<Reply> = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<Reply>;

type Method<Reply> = (
  numberOfKeys: number,
  ...keysAndArguments: readonly (string | number)[]
) => Promise<Reply>;

/** KEYS: hash. ARGV: field, value it must have or '', new value or '' to delete it. */
const SWAP = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1
`;

/** Returns a function that replaces a field of a hash, unless it is no longer as it was read; null is no field. */
export function defineSwap(redis: Redis) {
  const swap = defineScript<number>(redis, 'selvageSwap', SWAP);
  return async (key: string, field: string, known: string | null, value: string | null) =>
    (await swap([key], [field, known ?? '', value ?? ''])) === 1;
}

/** KEYS: count. ARGV: units, limit, lifetime s. Returns {1 counted | 0 not, the count}. */
const COUNT = `
local count = tonumber(redis.call('GET', KEYS[1]) or 0)
if count + ARGV[1] > tonumber(ARGV[2]) then return {0, count} end
count = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return {1, count}
`;

/** KEYS: count. ARGV: units. */
const UNCOUNT = `
local count = tonumber(redis.call('GET', KEYS[1]) or 0)
if count <= 0 then return 0 end
return redis.call('DECRBY', KEYS[1], math.min(count, ARGV[1]))
`;

/** Returns scripts that count units, all of them or, beyond a limit, none; and that take counted ones back. */
export const defineCount = (redis: Redis) => ({
  count: defineScript<[isCounted: 0 | 1, count: number]>(redis, 'selvageCount', COUNT),
  uncount: defineScript<number>(redis, 'selvageUncount', UNCOUNT),
});

/**
 * Reads a script of `src/lua`, where those of more than ten lines are; each says what its KEYS and ARGV are.
 * @param constants what the script knows by these names
 */
export function readLua(name: string, constants: Readonly<Record<string, string | number>> = {}) {
  const locals = Object.entries(constants).map(
    ([constant, value]) => `local ${constant} = ${JSON.stringify(value)}\n`,
  );
  return locals.join('') + readFileSync(new URL(`../lua/${name}.lua`, import.meta.url), 'utf8');
}

/**
 * Defines a Lua script on a connection. A call sends the script's hash, and its text if Redis does not know it yet.
 * Call it from one place, a method with named arguments, which builds KEYS and ARGV.
 * @param name unique on the connection: ioredis adds a method of this name
 */
export function defineScript<Reply>(redis: Redis, name: string, lua: string): Script<Reply> {
  redis.defineCommand(name, { lua });
  // Only known at run time, and so not to the types of ioredis.
  const run: Method<Reply> = Reflect.get(redis, name);
  return (keys, args) => run.call(redis, keys.length, ...keys, ...args);
}

/** Defines the scripts of one kind of record on a connection, all of which reply with a number. */
export const defineScripts = <Name extends string>(
  redis: Redis,
  kind: string,
  scripts: Readonly<Record<Name, string>>,
) =>
  Object.fromEntries(
    Object.entries<string>(scripts).map(([name, lua]) => [
      name,
      defineScript<number>(redis, `selvage${kind}:${name}`, lua),
    ]),
  ) as Readonly<Record<Name, Script<number>>>;
