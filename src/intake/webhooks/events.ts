import type { Redis, Result } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { type OutboxEntry, WEBHOOK_TYPES, webhookBody } from './outbox.ts';

/** How long it is known what became of an event. */
const KEEP_SECONDS = 3 * 86_400;
/** By client. */
const MOST_LISTED = 1000;
const MOST_ATTEMPTS = 20;
const READ_AT_ONCE = 100;

/** `dropped`: its address was off. The last three are ends, until the event is sent again. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DeliveryAttempt = z.object({
  at: z.iso.datetime(),
  /** What the receiver answered, where it did. */
  status: z.number().optional(),
  /** Why there is no answer, or why nothing was sent. */
  reason: z.string().optional(),
  millis: z.number(),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

const WebhookEvent = z.object({
  id: z.string(),
  client: z.string(),
  url: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  /** Exactly what is sent. */
  body: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  /** 1, and one more each time the client has it sent again. */
  round: z.coerce.number(),
  /** In this round. */
  tries: z.coerce.number(),
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  /** Of this round, the last ones. */
  attempts: z.array(DeliveryAttempt),
});
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** What an attempt, or the lack of one, comes to. */
export interface DeliveryOutcome {
  status: DeliveryStatus;
  attempt?: DeliveryAttempt;
  /** Epoch milliseconds. */
  nextAttemptAtMillis?: number;
}

/** KEYS: event, index of the client. ARGV: id, now, seconds kept, rank above which all go, field, value, … */
const RECORD = `
local known = redis.call('HMGET', KEYS[1], 'status', 'round')
if known[1] then return known end
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return redis.call('HMGET', KEYS[1], 'status', 'round')
`;

/** KEYS: event, attempts. ARGV: round, status, attempt or '', next at or '', first attempt kept, seconds kept. */
const NOTE = `
local known = redis.call('HMGET', KEYS[1], 'status', 'round')
if known[1] ~= 'pending' or known[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'status', ARGV[2])
redis.call('HDEL', KEYS[1], 'nextAttemptAt')
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'nextAttemptAt', ARGV[4]) end
if ARGV[3] ~= '' then
  redis.call('HINCRBY', KEYS[1], 'tries', 1)
  redis.call('RPUSH', KEYS[2], ARGV[3])
  redis.call('LTRIM', KEYS[2], ARGV[5], -1)
  redis.call('EXPIRE', KEYS[2], ARGV[6])
end
return 1
`;

/** KEYS: event, attempts. ARGV: seconds kept. */
const RENEW = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'status', 'pending', 'tries', 0)
redis.call('HDEL', KEYS[1], 'nextAttemptAt')
redis.call('DEL', KEYS[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'round', 1)
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    selvageEventRecord(...keysAndArguments: (string | number)[]): Result<string[], Context>;
    selvageEventNote(...keysAndArguments: (string | number)[]): Result<number, Context>;
    selvageEventRenew(event: string, attempts: string, seconds: number): Result<number, Context>;
  }
}

// Not under `webhook:`, where the queue of that name keeps its jobs by the same ids.
const keyOf = (id: string) => `${PREFIX}:webhook-event:${id}`;
const attemptsOf = (id: string) => `${PREFIX}:webhook-attempts:${id}`;
const indexOf = (client: string) => `${PREFIX}:webhook-events:${client}`;
const asText = (millis: number | undefined): string =>
  millis === undefined ? '' : new Date(millis).toISOString();

/** What clients are to be told, and what became of it, for three days. */
export function createWebhookEvents(redis: Redis) {
  redis.defineCommand('selvageEventRecord', { numberOfKeys: 2, lua: RECORD });
  redis.defineCommand('selvageEventNote', { numberOfKeys: 2, lua: NOTE });
  redis.defineCommand('selvageEventRenew', { numberOfKeys: 2, lua: RENEW });

  async function get(id: string): Promise<WebhookEvent | undefined> {
    if (!/^evt_\w+$/.test(id)) return undefined;
    const [fields, attempts] = await Promise.all([
      redis.hgetall(keyOf(id)),
      redis.lrange(attemptsOf(id), 0, -1),
    ]);
    if (!fields.status) return undefined;
    return WebhookEvent.parse({
      ...fields,
      id,
      attempts: attempts.map((text) => JSON.parse(text)),
    });
  }

  return {
    get,

    /** Writes down an entry of the outbox; the round to deliver, or nothing where the event has ended. */
    async record(entry: OutboxEntry, nowMillis: number): Promise<number | undefined> {
      const { eventId, client, url, type, timestamp } = entry;
      const facts = { client, url, type, body: webhookBody(entry), createdAt: timestamp };
      const fields = { ...facts, status: 'pending', round: 1, tries: 0 };
      const [status, round] = await redis.selvageEventRecord(
        ...[keyOf(eventId), indexOf(client), eventId, nowMillis, KEEP_SECONDS, -1 - MOST_LISTED],
        ...Object.entries(fields).flat(),
      );
      return status === 'pending' ? Number(round) : undefined;
    },

    /** Notes what came of an attempt; false where the event has ended or is in another round. */
    async note(id: string, round: number, outcome: DeliveryOutcome): Promise<boolean> {
      const { status, attempt, nextAttemptAtMillis } = outcome;
      const noted = await redis.selvageEventNote(
        ...[keyOf(id), attemptsOf(id), round, status, attempt ? JSON.stringify(attempt) : ''],
        ...[asText(nextAttemptAtMillis), -MOST_ATTEMPTS, KEEP_SECONDS],
      );
      return noted === 1;
    },

    /** Begins a new round; its number, or nothing where the event is forgotten. */
    renew: async (id: string): Promise<number | undefined> =>
      (await redis.selvageEventRenew(keyOf(id), attemptsOf(id), KEEP_SECONDS)) || undefined,

    /** A client's events, the newest first. */
    async list(client: string, limit: number, status?: DeliveryStatus): Promise<WebhookEvent[]> {
      const ids = await redis.zrevrange(indexOf(client), 0, -1);
      const found: WebhookEvent[] = [];
      for (let at = 0; at < ids.length && found.length < limit; at += READ_AT_ONCE) {
        const events = await Promise.all(ids.slice(at, at + READ_AT_ONCE).map(get));
        found.push(
          ...events.filter((e) => e !== undefined).filter((e) => !status || e.status === status),
        );
      }
      return found.slice(0, limit);
    },
  };
}

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;
