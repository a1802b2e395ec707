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

/**
 * Defines a Lua script on a connection. A call sends the script's hash, and its text if Redis does not know it yet.
 * Wrap the result in a function with named arguments, so that KEYS and ARGV are built in one place.
 * @param name unique on the connection: ioredis adds a method of this name
 */
export function defineScript<Reply>(redis: Redis, name: string, lua: string): Script<Reply> {
  redis.defineCommand(name, { lua });
  // Only known at run time, and so not to the types of ioredis.
  const run: Method<Reply> = Reflect.get(redis, name);
  return (keys, args) => run.call(redis, keys.length, ...keys, ...args);
}
