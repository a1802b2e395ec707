import {
  type DeliveryAttempt,
  delayAfter,
  enqueueDelivery,
  parseDeliveryId,
  SCHEDULE_MILLIS,
  type WebhookEvent,
} from '../../src/intake/webhooks/events.ts';
import { OUTBOX, OutboxEntry } from '../../src/intake/webhooks/outbox.ts';
import { jsonOr } from '../../src/platform/json.ts';
import { Problem } from '../../src/platform/problem.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import { signWebhook } from '../../src/platform/webhook-signature.ts';
import { type Processor, RetryLater } from '../consume-jobs.ts';
import { FetchPool } from '../fetch/fetch-pool.ts';
import { FetchError, type FetchErrorReason } from '../fetch/safe-fetch.ts';
import type { WorkerServices } from '../worker-services.ts';

/** One request, from the connection to the end of the response. */
const REQUEST_MILLIS = 15_000;
/** A request and the wait for a slot of a busy host: a signature must not become too old. */
const TOTAL_MILLIS = 60_000;
const HTTP_GONE = 410;
/** Concurrent deliveries of one client: a slow receiver delays no other client. */
const MAX_PER_CLIENT = 8;

type Delivery = Pick<WorkerServices, 'events' | 'receivers' | 'safeFetch' | 'now'>;

/** Errors that another attempt cannot fix. */
const PERMANENT_ERRORS: readonly FetchErrorReason[] = [
  'invalid-url',
  'scheme',
  'credentials',
  'port',
  'private-address',
];

interface Outcome {
  result: 'delivered' | 'gone' | 'permanent-error' | 'retry';
  /** Recorded with the attempt. */
  details: Pick<DeliveryAttempt, 'status' | 'reason'>;
  retryAfterMillis?: number;
}

function outcomeOf(error: FetchError, nowMillis: number): Outcome {
  const { reason, status, message } = error;
  // The receiver responded with success; its body is not read anyway.
  if (reason === 'encoding') return { result: 'delivered', details: {} };
  if (PERMANENT_ERRORS.includes(reason)) {
    return { result: 'permanent-error', details: { reason: message } };
  }
  if (status === undefined) return { result: 'retry', details: { reason: message } };
  if (status === HTTP_GONE) return { result: 'gone', details: { status } };
  const retryAfterMillis = error.retryAfterMillis(nowMillis);
  return { result: 'retry', details: { status }, retryAfterMillis };
}

/** Sends an event once, signed with every active secret of its client. */
async function post(
  { receivers, safeFetch, now }: Delivery,
  { id, client, url, body }: WebhookEvent,
  signal: AbortSignal,
): Promise<Outcome> {
  const nowMillis = now();
  const secrets = (await receivers.activeSecrets(client, nowMillis)).map(({ secret }) => secret);
  if (secrets.length === 0) return { result: 'retry', details: { reason: 'There is no secret' } };
  const timestampSeconds = Math.floor(nowMillis / 1000);
  const signature = signWebhook(secrets, { id, timestampSeconds, body });
  try {
    const response = await safeFetch.open(url, {
      client,
      method: 'POST',
      body,
      maxBytes: Number.POSITIVE_INFINITY,
      totalMillis: REQUEST_MILLIS,
      headers: { 'content-type': 'application/json', ...signature },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MILLIS)]),
    });
    if (response.notModified) throw new FetchError('protocol'); // the request was not conditional
    response.discard();
    return { result: 'delivered', details: { status: response.status } };
  } catch (error) {
    if (error instanceof FetchError) return outcomeOf(error, now());
    throw error;
  }
}

/** Records the outcome of an attempt. Throws if the event was not delivered. */
async function record(
  { events, receivers, now }: Delivery,
  schedule: readonly number[],
  { id, round, client, url, tries: previousTries }: WebhookEvent,
  { result, details, retryAfterMillis }: Outcome,
  attempt: DeliveryAttempt,
): Promise<void> {
  if (result === 'delivered') {
    await events.recordOutcome(id, round, { status: 'delivered', attempt });
    return;
  }
  const nowMillis = now();
  const tries = previousTries + 1;
  const delay = result === 'retry' ? delayAfter(tries, retryAfterMillis, schedule) : undefined;
  if (delay !== undefined) {
    const nextAttemptAtMillis = nowMillis + delay;
    await events.recordOutcome(id, round, { status: 'pending', attempt, nextAttemptAtMillis });
    throw new RetryLater(details.reason ?? `HTTP ${details.status}`, delay);
  }
  if (result === 'gone') await receivers.disable(client, url, nowMillis);
  await events.recordOutcome(id, round, { status: 'failed', attempt });
  if (result === 'gone') throw new Problem('gone', 'The receiver accepts no more events');
  throw new Problem('upstream-failed', `The receiver accepted none of ${tries} attempts`);
}

/** Records that an event is not sent because its address is disabled. */
async function drop({ events, now }: Delivery, { id, round }: WebhookEvent): Promise<never> {
  const reason = 'The address is disabled because it answered 410; enable it';
  const attempt = { at: new Date(now()).toISOString(), reason, millis: 0 };
  await events.recordOutcome(id, round, { status: 'dropped', attempt });
  throw new Problem('gone', 'The address is disabled');
}

/**
 * Delivers one event, at least once: a receiver may get it again if the worker dies before the outcome is
 * recorded, and recognizes it by its id.
 * @param schedule delays after failed attempts, milliseconds
 */
export function deliverWebhook(
  services: Delivery,
  schedule = SCHEDULE_MILLIS,
): Processor<'deliver-webhook'> {
  const { events, receivers, now } = services;
  // What finds no permit waits in the queue.
  const pool = new FetchPool({ perClient: MAX_PER_CLIENT, maxWaiting: 0 });
  return async ({ eventId, round }, signal) => {
    const event = await events.get(eventId);
    if (event?.status !== 'pending' || event.round !== round) return { millis: {} };
    if (await receivers.isDisabled(event.client, event.url)) await drop(services, event);
    const at = new Date(now()).toISOString();
    const startedAt = performance.now();
    const elapsedMillis = () => Math.round(performance.now() - startedAt);
    const release = await pool.acquire({ client: event.client, host: '' }, signal);
    try {
      const outcome = await post(services, event, signal);
      const attempt = { at, ...outcome.details, millis: elapsedMillis() };
      await record(services, schedule, event, outcome, attempt);
    } finally {
      release();
    }
    return { millis: { post: elapsedMillis() } };
  };
}

/** Fails an event whose job failed for good in the queue, unless its outcome is recorded already. */
export async function failDelivery({ events }: Pick<Delivery, 'events'>, jobId: string) {
  const { eventId, round } = parseDeliveryId(jobId);
  await events.recordOutcome(eventId, round, { status: 'failed' });
}

const POLL_MILLIS = 200;
/** A lease ends this much before it is requested again. */
const LEASE_MARGIN_MILLIS = 20;
const LEASE = `${PREFIX}:webhook-outbox-lease`;
const PAGE_SIZE = 100;

type Outbox = Pick<WorkerServices, 'redis' | 'events' | 'queues' | 'log' | 'now'>;

/**
 * Moves every entry of the outbox to the queue. An entry leaves the outbox last, so it may be processed twice,
 * by another worker or after a crash; that makes the same event and the same job.
 * @returns how many entries were processed
 */
export async function drainOutbox({ redis, events, queues, log, now }: Outbox): Promise<number> {
  let processed = 0;
  for (;;) {
    const texts = await redis.lrange(OUTBOX, 0, PAGE_SIZE - 1);
    for (const text of texts) {
      const entry = OutboxEntry.safeParse(jsonOr(text)).data;
      if (!entry) log.error({ length: text.length }, 'invalid outbox entry');
      const round = entry && (await events.record(entry, now()));
      if (round) {
        await enqueueDelivery(queues.webhook, { id: entry.eventId, client: entry.client }, round);
      }
      await redis.lrem(OUTBOX, 1, text);
    }
    processed += texts.length;
    if (texts.length === 0) return processed;
  }
}

/** Drains the outbox regularly, in whichever worker holds the lease. Returns a function that stops it. */
export function startOutbox(services: Outbox): () => Promise<void> {
  const { redis, log } = services;
  let draining: Promise<unknown> | undefined;
  const drain = async () => {
    const leaseMillis = POLL_MILLIS - LEASE_MARGIN_MILLIS;
    if (await redis.set(LEASE, '1', 'PX', leaseMillis, 'NX')) await drainOutbox(services);
  };
  const timer = setInterval(() => {
    draining ??= drain()
      .catch((error) => log.warn({ reason: error.message }, 'outbox not drained'))
      .finally(() => {
        draining = undefined;
      });
  }, POLL_MILLIS).unref();
  return async () => {
    clearInterval(timer);
    await draining;
  };
}
