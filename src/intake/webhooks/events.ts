import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { defineScript, readLua } from '../../platform/redis-script.ts';
import { type OutboxEntry, WEBHOOK_TYPES, webhookBody } from './outbox.ts';

/** How long the record of an event lasts. */
const TTL_SECONDS = 3 * 86_400;
/** Events listed per client. */
const MAX_LISTED = 1000;
/** Attempts stored per event. */
const MAX_ATTEMPTS = 20;
const PAGE = 100;

/** `dropped`: its address was disabled. The last three are final until the event is redelivered. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dropped'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DeliveryAttempt = z.object({
  at: z.iso.datetime(),
  /** The receiver's response status, if it responded. */
  status: z.number().optional(),
  /** Why there is no response, or why nothing was sent. */
  reason: z.string().optional(),
  millis: z.number(),
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

const WebhookEvent = z.object({
  id: z.string(),
  client: z.string(),
  url: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  /** The exact body that is sent. */
  body: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  /** 1, and one more for each redelivery the client requests. */
  round: z.coerce.number(),
  /** Attempts in this round. */
  tries: z.coerce.number(),
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  /** The last ones of this round. */
  attempts: z.array(DeliveryAttempt),
});
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** The outcome of an attempt, or of dropping the event. */
interface DeliveryOutcome {
  status: DeliveryStatus;
  attempt?: DeliveryAttempt;
  /** Epoch milliseconds. */
  nextAttemptAtMillis?: number;
}

/** KEYS: event, index of the client. ARGV: id, now, lifetime s, last rank removed, field, value, … */
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

/** KEYS: event, attempts. ARGV: lifetime s. */
const RENEW = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'status', 'pending', 'tries', 0)
redis.call('HDEL', KEYS[1], 'nextAttemptAt')
redis.call('DEL', KEYS[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'round', 1)
`;

// Not under `webhook:`, where the queue of that name has its jobs by the same ids.
const eventKey = (id: string) => `${PREFIX}:webhook-event:${id}`;
const attemptsKey = (id: string) => `${PREFIX}:webhook-attempts:${id}`;
const indexKey = (client: string) => `${PREFIX}:webhook-events:${client}`;

const toText = (millis: number | undefined): string =>
  millis === undefined ? '' : new Date(millis).toISOString();

/** The scripts of webhook events, each with KEYS and ARGV built from named arguments. */
function defineEventScripts(redis: Redis) {
  const record = defineScript<string[]>(redis, 'selvageEventRecord', RECORD);
  const recordOutcome = defineScript<number>(
    redis,
    'selvageEventOutcome',
    readLua('webhook-record-outcome'),
  );
  const renew = defineScript<number>(redis, 'selvageEventRenew', RENEW);
  return {
    record(args: {
      id: string;
      client: string;
      nowMillis: number;
      fields: Record<string, string | number>;
    }) {
      return record(
        [eventKey(args.id), indexKey(args.client)],
        [
          args.id,
          args.nowMillis,
          TTL_SECONDS,
          -1 - MAX_LISTED,
          ...Object.entries(args.fields).flat(),
        ],
      );
    },

    recordOutcome({ id, round, outcome }: { id: string; round: number; outcome: DeliveryOutcome }) {
      const { status, attempt, nextAttemptAtMillis } = outcome;
      return recordOutcome(
        [eventKey(id), attemptsKey(id)],
        [
          round,
          status,
          attempt ? JSON.stringify(attempt) : '',
          toText(nextAttemptAtMillis),
          -MAX_ATTEMPTS,
          TTL_SECONDS,
        ],
      );
    },

    renew: ({ id }: { id: string }) => renew([eventKey(id), attemptsKey(id)], [TTL_SECONDS]),
  };
}

/** Webhook events in Redis and the outcome of their delivery, for three days. */
export function createWebhookEvents(redis: Redis) {
  const scripts = defineEventScripts(redis);

  async function get(id: string): Promise<WebhookEvent | undefined> {
    if (!/^evt_\w+$/.test(id)) return undefined;
    const [fields, attempts] = await Promise.all([
      redis.hgetall(eventKey(id)),
      redis.lrange(attemptsKey(id), 0, -1),
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

    /** Creates the event of an outbox entry. Returns the round to deliver, or nothing if the event has ended. */
    async record(entry: OutboxEntry, nowMillis: number): Promise<number | undefined> {
      const { eventId: id, client, url, type, timestamp } = entry;
      const [status, round] = await scripts.record({
        id,
        client,
        nowMillis,
        fields: {
          client,
          url,
          type,
          body: webhookBody(entry),
          createdAt: timestamp,
          status: 'pending',
          round: 1,
          tries: 0,
        },
      });
      return status === 'pending' ? Number(round) : undefined;
    },

    /** Records the outcome of an attempt; returns false if the event has ended or is in another round. */
    recordOutcome: async (id: string, round: number, outcome: DeliveryOutcome): Promise<boolean> =>
      (await scripts.recordOutcome({ id, round, outcome })) === 1,

    /** Begins a new round. Returns its number, or nothing if the event's record has expired. */
    renew: async (id: string): Promise<number | undefined> =>
      (await scripts.renew({ id })) || undefined,

    /** Returns a client's events, the newest first. */
    async list(client: string, limit: number, status?: DeliveryStatus): Promise<WebhookEvent[]> {
      const ids = await redis.zrevrange(indexKey(client), 0, -1);
      const found: WebhookEvent[] = [];
      for (let start = 0; start < ids.length && found.length < limit; start += PAGE) {
        const events = await Promise.all(ids.slice(start, start + PAGE).map(get));
        found.push(
          ...events
            .filter((event) => event !== undefined)
            .filter((event) => !status || event.status === status),
        );
      }
      return found.slice(0, limit);
    },
  };
}

export type WebhookEvents = ReturnType<typeof createWebhookEvents>;
