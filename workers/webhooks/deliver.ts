import { delayAfter, readDeliveryId } from '../../src/intake/webhooks/delivery.ts';
import type {
  DeliveryAttempt,
  WebhookEvent,
  WebhookEvents,
} from '../../src/intake/webhooks/events.ts';
import type { WebhookReceivers } from '../../src/intake/webhooks/receivers.ts';
import { signWebhook } from '../../src/intake/webhooks/signature.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Processor, TryLater } from '../attempt.ts';
import { FetchError, type FetchErrorReason, type SafeFetch } from '../fetch/safe-fetch.ts';

/** One request, from the connection to the end of the answer. */
const REQUEST_MILLIS = 15_000;
/** With the wait for a place at a busy host: a signature must not grow old. */
const IN_ALL_MILLIS = 60_000;
const GONE = 410;
/** Deliveries to one client at once, so that a slow receiver holds up nobody else. */
const MOST_OF_A_CLIENT = 8;
/** About so long the others of this client wait; it is no attempt. */
const BUSY_MILLIS = 5000;

/** What webhooks are delivered with. */
export interface DeliverDeps {
  events: WebhookEvents;
  receivers: WebhookReceivers;
  safeFetch: Pick<SafeFetch, 'open'>;
  /** Delays after failed attempts, milliseconds; the usual ones unless told. */
  schedule?: readonly number[];
  /** Epoch milliseconds, as Redis has it: what is signed says when. This host's where nothing is said. */
  now?(): number;
}

/** Another attempt cannot mend these. */
const HOPELESS: readonly FetchErrorReason[] = [
  ...(['invalid-url', 'scheme', 'credentials', 'port', 'private-address'] as const),
];

interface Answer {
  verdict: 'delivered' | 'gone' | 'hopeless' | 'later';
  told: Pick<DeliveryAttempt, 'status' | 'reason'>;
  retryAfterMillis?: number;
}

/** Seconds or a date, as HTTP has it. */
function readRetryAfter(value: string): number {
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.max(0, millis || 0);
}

function answerOf(refused: FetchError): Answer {
  const { reason, status, retryAfter, message } = refused;
  // Said of a body that came with a success, and that nobody reads.
  if (reason === 'encoding') return { verdict: 'delivered', told: {} };
  if (HOPELESS.includes(reason)) return { verdict: 'hopeless', told: { reason: message } };
  if (status === undefined) return { verdict: 'later', told: { reason: message } };
  if (status === GONE) return { verdict: 'gone', told: { status } };
  const retryAfterMillis = retryAfter === undefined ? 0 : readRetryAfter(retryAfter);
  return { verdict: 'later', told: { status }, retryAfterMillis };
}

/** Sends an event once, signed with every live secret of its client. */
async function post(
  { receivers, safeFetch, now: time = Date.now }: DeliverDeps,
  { id, client, url, body }: WebhookEvent,
  signal: AbortSignal,
): Promise<Answer> {
  const now = time();
  const secrets = (await receivers.live(client, now)).map(({ secret }) => secret);
  if (secrets.length === 0) return { verdict: 'later', told: { reason: 'There is no secret' } };
  const timestampSeconds = Math.floor(now / 1000);
  const signed = signWebhook(secrets, { id, timestampSeconds, body });
  try {
    const opened = await safeFetch.open(url, {
      ...{ method: 'POST', body, maxBytes: Number.POSITIVE_INFINITY, totalMillis: REQUEST_MILLIS },
      headers: { 'content-type': 'application/json', ...signed },
      signal: AbortSignal.any([signal, AbortSignal.timeout(IN_ALL_MILLIS)]),
    });
    if (opened.notModified) throw new FetchError('protocol'); // nothing was asked on a condition
    opened.discard();
    return { verdict: 'delivered', told: { status: opened.status } };
  } catch (error) {
    if (error instanceof FetchError) return answerOf(error);
    throw error;
  }
}

/** Writes down what came of an attempt. Throws where the event is not delivered. */
async function conclude(
  { events, receivers, schedule }: DeliverDeps,
  event: WebhookEvent,
  { verdict, told, retryAfterMillis }: Answer,
  startedAtMillis: number,
): Promise<void> {
  const { id, round, client, url } = event;
  const now = Date.now();
  const attempt = {
    ...{ at: new Date(startedAtMillis).toISOString(), ...told, millis: now - startedAtMillis },
  };
  if (verdict === 'delivered') {
    await events.note(id, round, { status: 'delivered', attempt });
    return;
  }
  const tries = event.tries + 1;
  const delay = verdict === 'later' ? delayAfter(tries, retryAfterMillis, schedule) : undefined;
  if (delay !== undefined) {
    await events.note(id, round, { status: 'pending', attempt, nextAttemptAtMillis: now + delay });
    throw new TryLater(told.reason ?? `HTTP ${told.status}`, delay);
  }
  if (verdict === 'gone') await receivers.disable(client, url, now);
  await events.note(id, round, { status: 'failed', attempt });
  if (verdict === 'gone') throw new Problem('gone', 'The receiver wants no more of this');
  throw new Problem('upstream-failed', `The receiver did not take it in ${tries} attempts`);
}

/** Lets a client have only so much under way. */
function createTurns() {
  const underWay = new Map<string, number>();
  return async (client: string, work: () => Promise<void>): Promise<void> => {
    const before = underWay.get(client) ?? 0;
    if (before >= MOST_OF_A_CLIENT) {
      throw new TryLater('enough under way', BUSY_MILLIS * (0.5 + Math.random()));
    }
    underWay.set(client, before + 1);
    try {
      await work();
    } finally {
      const left = (underWay.get(client) ?? 1) - 1;
      if (left > 0) underWay.set(client, left);
      else underWay.delete(client);
    }
  };
}

/** Notes that nothing is sent. */
async function drop({ events }: DeliverDeps, { id, round }: WebhookEvent): Promise<never> {
  const reason = 'The address is off, since it once answered 410; enable it';
  const attempt = { at: new Date().toISOString(), reason, millis: 0 };
  await events.note(id, round, { status: 'dropped', attempt });
  throw new Problem('gone', 'The address is off');
}

/**
 * Delivers one event. A receiver may get it twice, where we die before its answer is written down; it
 * knows the repeat by its id.
 */
export function deliverWebhook(deps: DeliverDeps): Processor<'deliver-webhook'> {
  const { events, receivers } = deps;
  const turn = createTurns();
  return async ({ eventId, round }, signal) => {
    const event = await events.get(eventId);
    if (event?.status !== 'pending' || event.round !== round) return { millis: {} };
    if (await receivers.isDisabled(event.client, event.url)) await drop(deps, event);
    const startedAtMillis = Date.now();
    await turn(event.client, async () => {
      await conclude(deps, event, await post(deps, event, signal), startedAtMillis);
    });
    return { millis: { post: Date.now() - startedAtMillis } };
  };
}

/** Ends an event whose job the queue gave up, where nothing else did. */
export async function failDelivery({ events }: Pick<DeliverDeps, 'events'>, jobId: string) {
  const { eventId, round } = readDeliveryId(jobId);
  await events.note(eventId, round, { status: 'failed' });
}
