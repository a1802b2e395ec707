import type { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { QUOTA_DAY_SECONDS, QUOTA_TTL_SECONDS, quotaKeyOf, utcDay } from './key-record.ts';

/** Hash: when each key was last used, by its id. */
const LAST_USES = `${PREFIX}:key-uses`;
/** Hash: the requests of a client on a day by operation, and under `<operation>:units` what they have cost. */
const usageKey = (client: string, nowMillis: number): string =>
  `${PREFIX}:usage:${client}:${utcDay(nowMillis)}`;

interface UsedKey {
  client: string;
  keyId: string;
  /** Such as `removeBackground`. */
  operation: string;
  /** Units of the quota that it has cost. */
  units: number;
}

function operationsOf(fields: Readonly<Record<string, string>>) {
  return Object.entries(fields)
    .filter(([field]) => !field.includes(':'))
    .map(([operation, requests]) => ({
      operation,
      requests: Number(requests),
      units: Number(fields[`${operation}:units`] ?? 0),
    }))
    .sort((a, b) => a.operation.localeCompare(b.operation));
}

/** What clients have used, counted in Redis. */
export class ClientUsage {
  readonly #redis: Redis;
  readonly #now: Clock;

  constructor(redis: Redis, now: Clock) {
    this.#redis = redis;
    this.#now = now;
  }

  async count({ client, keyId, operation, units }: UsedKey): Promise<void> {
    const nowMillis = this.#now();
    const key = usageKey(client, nowMillis);
    const counted = this.#redis.pipeline().hincrby(key, operation, 1);
    if (units > 0) counted.hincrby(key, `${operation}:units`, units);
    await counted
      .expire(key, QUOTA_TTL_SECONDS)
      .hset(LAST_USES, keyId, new Date(nowMillis).toISOString())
      .exec();
  }

  /** Returns when keys were last used, null for those that were not. */
  lastUses = (keyIds: readonly string[]): Promise<(string | null)[]> =>
    this.#redis.hmget(LAST_USES, ...keyIds);

  /**
   * Returns the last days on which a client has used anything, newest first.
   * @param meters what its keys are counted under
   * @param days at most `USAGE_DAYS`
   */
  async days(client: string, meters: readonly string[], days: number) {
    const nowMillis = this.#now();
    const times = Array.from({ length: days }, (_, i) => nowMillis - i * QUOTA_DAY_SECONDS * 1000);
    const all = times.map(async (time) => {
      const [fields, counters] = await Promise.all([
        this.#redis.hgetall(usageKey(client, time)),
        this.#redis.mget(...meters.map((meter) => quotaKeyOf(meter, time))),
      ]);
      /** What counts against the quota, refunds deducted. */
      const units = counters.reduce((sum, counter) => sum + Number(counter), 0);
      return { date: utcDay(time), units, operations: operationsOf(fields) };
    });
    return (await Promise.all(all)).filter(
      ({ units, operations }) => units + operations.length > 0,
    );
  }
}
