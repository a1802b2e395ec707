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

/**
 * A record that was removed meanwhile must not come back: nothing would remove it again.
 * KEYS: record. ARGV: number of fields that must be as they follow, field, value, …
 */
const UPDATE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local first = 2 + 2 * ARGV[1]
for i = 2, first - 1, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
redis.call('HSET', KEYS[1], unpack(ARGV, first))
return 1
`;

/**
 * Returns a function that adds fields to a record, and returns whether it did: not if the record is gone, or if others of
 * its fields are not stored with these values.
 */
export function defineRecordUpdate(redis: Redis) {
  const update = defineScript<number>(redis, 'selvageRecordUpdate', UPDATE);
  return async (
    key: string,
    fields: object,
    expected: Readonly<Record<string, string | number>> = {},
  ): Promise<boolean> => {
    const guards = Object.entries(expected);
    return (await update([key], [guards.length, ...guards.flat(), ...toHashFields(fields)])) === 1;
  };
}
