import type { Redis } from 'ioredis';
import { defineScript } from '../platform/redis-script.ts';

/** Fields of a Redis hash as arguments of `HSET`: name, JSON, name, JSON, … Undefined values are left out. */
export const toHashFields = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, JSON.stringify(value)],
  );

/** Parses such fields; their values are not validated. */
export const parseHashFields = (
  fields: Readonly<Record<string, string>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, json]) => [name, JSON.parse(json)]));

/** A tombstone that was removed meanwhile must not come back: nothing would remove it again. KEYS: record. ARGV: field, value, … */
const UPDATE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
`;

/** Returns a function that adds fields to the record of a deleted job or batch, if it still exists. */
export function defineTombstoneUpdate(redis: Redis) {
  const update = defineScript<number>(redis, 'selvageTombstoneUpdate', UPDATE);
  return async (key: string, fields: object): Promise<void> => {
    await update([key], toHashFields(fields));
  };
}
