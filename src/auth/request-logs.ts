import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import { QUOTA_DAY_SECONDS, QUOTA_TTL_SECONDS, quotaKeyOf, utcDay } from './key-record.ts';

/** Requests of a day that are kept, of all clients and of one: some 25 MB and 2.5 MB. */
const MAX_OF_DAY = 50_000;
const MAX_OF_CLIENT = 5000;
/** Requests with the same id. */
const MAX_ATTEMPTS = 5;

/** Hash: the requests of a day by client and id, a line of JSON each, newest first. */
const dayKey = (date: string): string => `${PREFIX}:requests:${date}`;
const fieldOf = (client: string, requestId: string): string => `${client} ${requestId}`;

/** What is kept of a request: nothing that it carried. */
export const LoggedRequest = z.object({
  requestId: z.string(),
  client: z.string(),
  keyId: z.string(),
  /** Who had signed in to the console without a key: e-mail and subject at the provider. */
  person: z.string().optional(),
  method: z.string(),
  /** With `:name` for parameters. */
  route: z.string(),
  operation: z.string(),
  status: z.number(),
  /** The type of its problem. */
  problem: z.string().optional(),
  /** What the first error points at. */
  pointer: z.string().optional(),
  millis: z.number(),
  /** Units of the quota. */
  units: z.number(),
  answeredAt: z.iso.datetime(),
});
export type LoggedRequest = z.infer<typeof LoggedRequest>;

/** The requests of the last days, in a bounded part of Redis. A client that sends many loses its own oldest. */
export class RequestLog {
  readonly #redis: Redis;
  readonly #now: Clock;
  /** How long it goes back; 0 if nothing is kept. */
  readonly days: number;
  readonly #write: (keys: string[], args: (string | number)[]) => Promise<number>;

  constructor(redis: Redis, now: Clock, days: number) {
    this.#redis = redis;
    this.#now = now;
    this.days = days;
    const limits = { MAX_OF_DAY, MAX_OF_CLIENT, MAX_ATTEMPTS };
    this.#write = defineScript(redis, 'selvageRequestWrite', readLua('request-write', limits));
  }

  async write(request: Omit<LoggedRequest, 'answeredAt'>): Promise<void> {
    if (this.days === 0) return;
    const answeredAt = new Date(this.#now()).toISOString();
    const { client, requestId } = request;
    const key = dayKey(answeredAt.slice(0, 10));
    const line = JSON.stringify({ ...request, answeredAt });
    const lifetimeSeconds = this.days * QUOTA_DAY_SECONDS;
    await this.#write(
      [key, `${key}:${client}`],
      [fieldOf(client, requestId), line, lifetimeSeconds],
    );
  }

  /** Returns the requests of these clients with an id, newest first. */
  async find(requestId: string, clients: readonly string[]): Promise<LoggedRequest[]> {
    const fields = clients.map((client) => fieldOf(client, requestId));
    const dates = Array.from({ length: this.days + 1 }, (_, i) =>
      utcDay(this.#now() - i * QUOTA_DAY_SECONDS * 1000),
    );
    const found = await Promise.all(
      dates.map((date) => this.#redis.hmget(dayKey(date), ...fields)),
    );
    return found
      .flat()
      .flatMap((lines) => lines?.split('\n') ?? [])
      .map((line) => LoggedRequest.parse(JSON.parse(line)))
      .sort((a, b) => b.answeredAt.localeCompare(a.answeredAt));
  }
}

/** Some 20 MB. */
const MAX_ENTRIES = 50_000;
const ENTRIES_AT_ONCE = 1000;
const DAY_MILLIS = 86_400_000;

/** Stream: what was done, a line of JSON each; the time is in the ids. */
const KEY = `${PREFIX}:audit`;

const Line = LoggedRequest.pick({
  requestId: true,
  client: true,
  keyId: true,
  person: true,
  operation: true,
  method: true,
  route: true,
  status: true,
  problem: true,
}).extend({ params: z.record(z.string(), z.string()), made: z.string().optional() });
type Line = z.infer<typeof Line>;

/** Who did what: nothing that the request carried but the parameters of its path. */
export const AuditEntry = Line.extend({ id: z.string(), answeredAt: z.iso.datetime() });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Which entries to return; times in ms since 1970. */
interface AuditQuery {
  limit: number;
  /** The id of an entry: only older ones. */
  before?: string | undefined;
  sinceMillis?: number | undefined;
  untilMillis?: number | undefined;
  client?: string | undefined;
  person?: string | undefined;
  keyId?: string | undefined;
}

const FILTERS = ['client', 'person', 'keyId'] as const;

const millisOf = (id: string): number => Number(id.split('-', 1)[0]);

function entryOf([id, [, line = '']]: [id: string, fields: string[]]): AuditEntry {
  const answeredAt = new Date(millisOf(id)).toISOString();
  return { id, answeredAt, ...Line.parse(JSON.parse(line)) };
}

/** What people and programs have changed in the last days, of all clients, in a bounded part of Redis. */
export class AuditLog {
  readonly #redis: Redis;
  readonly #now: Clock;
  /** How long it goes back; 0 if nothing is kept. */
  readonly days: number;

  constructor(redis: Redis, now: Clock, days: number) {
    this.#redis = redis;
    this.#now = now;
    this.days = days;
  }

  #oldestMillis = (): number => this.#now() - this.days * DAY_MILLIS;

  async write(line: Line): Promise<void> {
    if (this.days === 0) return;
    await this.#redis
      .pipeline()
      .xadd(KEY, 'MAXLEN', '~', MAX_ENTRIES, '*', 'line', JSON.stringify(Line.parse(line)))
      .xtrim(KEY, 'MINID', this.#oldestMillis())
      .expire(KEY, (this.days * DAY_MILLIS) / 1000)
      .exec()
      .then((results) => {
        const failed = results?.find(([error]) => error);
        if (failed) throw failed[0];
      });
  }

  /** Returns the entries that fit, the newest first: as many as asked for, if there are. */
  async list(query: AuditQuery): Promise<AuditEntry[]> {
    const { limit, before, sinceMillis = 0, untilMillis } = query;
    const isBefore = before && (untilMillis === undefined || millisOf(before) <= untilMillis);
    const oldest = Math.max(sinceMillis, this.#oldestMillis(), 0);
    const found: AuditEntry[] = [];
    let newest: string | undefined = isBefore
      ? `(${before}`
      : String(untilMillis === undefined ? '+' : Math.max(untilMillis, 0));
    while (newest && found.length < limit) {
      const read: [id: string, fields: string[]][] = await this.#redis.xrevrange(
        KEY,
        newest,
        oldest,
        'COUNT',
        ENTRIES_AT_ONCE,
      );
      const fitting = read
        .map(entryOf)
        .filter((entry) => FILTERS.every((name) => (query[name] ?? entry[name]) === entry[name]));
      found.push(...fitting);
      const last = read.at(-1);
      newest = last && read.length === ENTRIES_AT_ONCE ? `(${last[0]}` : undefined;
    }
    return found.slice(0, limit);
  }
}

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
