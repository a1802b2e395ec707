import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PREFIX } from '../../platform/redis.ts';
import { defineScript, defineScripts, readLua } from '../../platform/redis-script.ts';
import { JOBS } from '../../queue/catalog.ts';
import { addJob, type JobQueue } from '../../queue/queue.ts';
import { type OutboxEntry, WEBHOOK_TYPES, webhookBody } from './outbox.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays between attempts, ms: twelve attempts in 22 hours. */
// biome-ignore format: a table reads best aligned
export const SCHEDULE_MILLIS: readonly number[] = [
  5 * SECOND, 30 * SECOND,
  2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE,
  1 * HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 8 * HOUR,
];
/** Share of a delay, either way, so that events that failed together are not retried together. */
const JITTER = 0.2;

/**
 * Returns the delay after a failed attempt, ms, or nothing after the last one. A receiver's Retry-After may
 * lengthen it, up to the longest delay of the schedule.
 * @param tries attempts made, this one included
 */
export function delayAfter(
  tries: number,
  retryAfterMillis = 0,
  schedule = SCHEDULE_MILLIS,
): number | undefined {
  const step = schedule[tries - 1];
  if (step === undefined) return undefined;
  const delay = step * (1 - JITTER + 2 * JITTER * Math.random());
  return Math.round(Math.max(delay, Math.min(retryAfterMillis, Math.max(...schedule))));
}

/** The job id of one round of an event: letters, digits, `_`, then the round. */
const deliveryId = (eventId: string, round: number): string =>
  round === 1 ? eventId : `${eventId}-${round}`;

/** Returns the event and the round that a job delivers. */
export function parseDeliveryId(jobId: string): { eventId: string; round: number } {
  const [eventId = '', round = '1'] = jobId.split('-');
  return { eventId, round: Number(round) };
}

/** Puts an event in the queue `webhook`; one that is queued already stays as it is. */
export async function enqueueDelivery(
  queue: JobQueue,
  { id: eventId, client }: { id: string; client: string },
  round: number,
): Promise<void> {
  await addJob(queue, {
    name: 'deliver-webhook',
    // Deliveries of all clients weigh the same: they take no work that a weight could buy more of.
    data: { eventId, round, requestId: eventId, client, weight: 1 },
    opts: {
      jobId: deliveryId(eventId, round),
      attempts: JOBS['deliver-webhook'].attempts,
      backoff: { type: 'as-told' },
      stackTraceLimit: 1,
    },
  });
}

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

/** Webhook events in Redis and the outcome of their delivery, for three days. */
export class WebhookEvents {
  readonly #redis: Redis;
  readonly #record;
  readonly #scripts;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#record = defineScript<string[]>(redis, 'selvageEventRecord', RECORD);
    const recordOutcome = readLua('webhook-record-outcome');
    this.#scripts = defineScripts(redis, 'Event', { recordOutcome, renew: RENEW });
  }

  async get(id: string): Promise<WebhookEvent | undefined> {
    if (!/^evt_\w+$/.test(id)) return undefined;
    const [fields, attempts] = await Promise.all([
      this.#redis.hgetall(eventKey(id)),
      this.#redis.lrange(attemptsKey(id), 0, -1),
    ]);
    if (!fields.status) return undefined;
    return WebhookEvent.parse({
      ...fields,
      id,
      attempts: attempts.map((text) => JSON.parse(text)),
    });
  }

  /** Creates the event of an outbox entry. Returns the round to deliver, or nothing if the event has ended. */
  async record(entry: OutboxEntry, nowMillis: number): Promise<number | undefined> {
    const { eventId: id, client, url, type, timestamp: createdAt } = entry;
    const body = webhookBody(entry);
    const fields = { client, url, type, body, createdAt, status: 'pending', round: 1, tries: 0 };
    const [status, round] = await this.#record(
      [eventKey(id), indexKey(client)],
      [id, nowMillis, TTL_SECONDS, -1 - MAX_LISTED, ...Object.entries(fields).flat()],
    );
    return status === 'pending' ? Number(round) : undefined;
  }

  /** Records the outcome of an attempt; returns false if the event has ended or is in another round. */
  async recordOutcome(id: string, round: number, outcome: DeliveryOutcome): Promise<boolean> {
    const { status, attempt, nextAttemptAtMillis } = outcome;
    const nextAttemptAt =
      nextAttemptAtMillis === undefined ? '' : new Date(nextAttemptAtMillis).toISOString();
    const json = attempt ? JSON.stringify(attempt) : '';
    const reply = await this.#scripts.recordOutcome(
      [eventKey(id), attemptsKey(id)],
      [round, status, json, nextAttemptAt, -MAX_ATTEMPTS, TTL_SECONDS],
    );
    return reply === 1;
  }

  /** Begins a new round. Returns its number, or nothing if the event's record has expired. */
  async renew(id: string): Promise<number | undefined> {
    const keys = [eventKey(id), attemptsKey(id)];
    return (await this.#scripts.renew(keys, [TTL_SECONDS])) || undefined;
  }

  async list(client: string, limit: number, status?: DeliveryStatus): Promise<WebhookEvent[]> {
    const ids = await this.#redis.zrevrange(indexKey(client), 0, -1);
    const found: WebhookEvent[] = [];
    for (let start = 0; start < ids.length && found.length < limit; start += PAGE) {
      const page = ids.slice(start, start + PAGE).map((id) => this.get(id));
      const known = (await Promise.all(page)).filter((event) => event !== undefined);
      found.push(...known.filter((event) => !status || event.status === status));
    }
    return found.slice(0, limit);
  }
}
