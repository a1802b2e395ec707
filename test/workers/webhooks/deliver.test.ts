import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { enqueueDelivery } from '../../../src/intake/webhooks/delivery.ts';
import { createWebhookEvents, type WebhookEvents } from '../../../src/intake/webhooks/events.ts';
import { OUTBOX, outboxEntry } from '../../../src/intake/webhooks/outbox.ts';
import {
  createWebhookReceivers,
  type WebhookReceivers,
} from '../../../src/intake/webhooks/receivers.ts';
import { createLog } from '../../../src/platform/log.ts';
import { blockingConnection, commandConnection, untilReady } from '../../../src/platform/redis.ts';
import { openQueue } from '../../../src/queue/queue.ts';
import type { JobFact } from '../../../workers/attempt.ts';
import { createSafeFetch } from '../../../workers/fetch/safe-fetch.ts';
import { takeJobs } from '../../../workers/take-jobs.ts';
import { deliverWebhook, failDelivery } from '../../../workers/webhooks/deliver.ts';
import { drainOutbox, startOutbox } from '../../../workers/webhooks/outbox.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { fail, plantServer, redirectTo, serve } from '../../support/servers.ts';

const log = createLog('test', 'silent');
let server: RedisServer;
let redis: Redis;
let queue: Queue;
let events: WebhookEvents;
let receivers: WebhookReceivers;
let secret: string;
beforeAll(async () => {
  server = await startRedis();
  redis = commandConnection(server.url, log);
  await untilReady(redis, AbortSignal.timeout(5000));
  queue = openQueue('webhook', redis, log);
  events = createWebhookEvents(redis);
  receivers = createWebhookReceivers(redis);
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  ({ secret } = await receivers.makeSecret('shop', Date.now()));
});

/** What arrived at a receiver. */
interface Message {
  headers: Record<string, string>;
  body: string;
}

/** A receiver that answers its requests in turn, the last answer again and again. */
async function plantReceiver(...answers: RequestListener[]) {
  const messages: Message[] = [];
  const planted = await plantServer(async (request, response) => {
    const answer = answers[Math.min(messages.length, answers.length - 1)] ?? serve('');
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    messages.push({ headers, body: await text(request) });
    answer(request, response);
  });
  return { url: `${planted.origin}/hook?token=t`, messages };
}

/** Delivers what is in the queue until the test is over. */
function startDelivery({
  schedule = [20, 20],
  allow = ['127.0.0.0/8'],
  by = receivers,
  slots = 4,
} = {}) {
  const facts: JobFact[] = [];
  const connection = blockingConnection(server.url, log);
  const resolve = async () => ['127.0.0.1']; // receivers with names are here too
  const safeFetch = createSafeFetch({ allow, userAgent: 'Selvage/test', resolve });
  const processor = deliverWebhook({ events, receivers: by, safeFetch, schedule });
  const taker = takeJobs(
    'webhook',
    { 'deliver-webhook': processor },
    {
      ...{ connection, concurrency: slots, log },
      done: (fact) => void facts.push(fact),
      givenUp: (jobId) => void failDelivery({ events }, jobId),
    },
  );
  onTestFinished(async () => {
    await taker.close();
    await safeFetch.close();
    connection.disconnect();
  });
  return facts;
}

let happened = 0;
/** Something happens that a client is to be told of; the event's id. */
async function happen(url: string, client = 'shop'): Promise<string> {
  const id = `job_${++happened}`;
  await redis.rpush(
    OUTBOX,
    outboxEntry({
      ...{ client, url, type: 'job.succeeded', id, status: 'succeeded' },
      ...{ links: { self: `/intake/v1/jobs/${id}` }, atMillis: Date.now() },
    }),
  );
  await drainOutbox({ redis, events, queue, log });
  return `evt_${id}_job_succeeded`;
}

const statusOf = async (id: string) => (await events.get(id))?.status;
const until = (id: string, status: string) => expect.poll(() => statusOf(id)).toBe(status);
const answersOf = async (id: string) =>
  ((await events.get(id))?.attempts ?? []).map(({ status, reason }) => status ?? reason);
const verify = (by: string, { headers, body }: Message) => new Webhook(by).verify(body, headers);

describe('an event', () => {
  test('arrives signed as Standard Webhooks says', async () => {
    const { url, messages } = await plantReceiver(serve('thanks'));
    const facts = startDelivery();
    const id = await happen(url);
    await until(id, 'delivered');
    expect(messages).toHaveLength(1);
    const [message = { headers: {}, body: '' }] = messages;
    expect(verify(secret, message)).toEqual({
      type: 'job.succeeded',
      timestamp: expect.stringMatching(/Z$/),
      data: { id: expect.any(String), status: 'succeeded', links: { self: expect.any(String) } },
    });
    expect(message.headers).toMatchObject({
      'webhook-id': id,
      'content-type': 'application/json',
      'user-agent': 'Selvage/test',
    });
    const tampered = { ...message, body: message.body.replace('succeeded', 'failed') };
    expect(() => verify(secret, tampered)).toThrow();
    expect(await answersOf(id)).toEqual([200]);
    expect(facts).toMatchObject([{ outcome: 'succeeded', steps: { post: expect.any(Number) } }]);
  });

  test.each([
    ['an error', fail(500), 500],
    ['a refusal', fail(404), 404],
    ['a busy receiver', fail(503), 503],
    ['a redirect', redirectTo('/elsewhere'), expect.stringMatching(/redirects/)],
    ['a hang-up', ((request) => void request.socket.destroy()) as RequestListener, /./],
  ])('is sent again by the same id after %s', async (_, answer, told) => {
    const { url, messages } = await plantReceiver(answer, serve('thanks'));
    const facts = startDelivery();
    const id = await happen(url);
    await until(id, 'delivered');
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    for (const message of messages) expect(verify(secret, message)).toBeDefined();
    expect(messages[0]?.body).toBe(messages[1]?.body);
    const [first, second] = await answersOf(id);
    expect(first).toEqual(told instanceof RegExp ? expect.stringMatching(told) : told);
    expect(second).toBe(200);
    await expect
      .poll(() => facts.map(({ outcome }) => outcome))
      .toEqual(['postponed', 'succeeded']);
  });

  test('has failed when the schedule is over', async () => {
    const { url, messages } = await plantReceiver(fail(500));
    const facts = startDelivery();
    const id = await happen(url);
    await until(id, 'failed');
    expect(messages).toHaveLength(3);
    expect(await answersOf(id)).toEqual([500, 500, 500]);
    await expect.poll(() => facts.at(-1)?.outcome).toBe('refused');
  });

  test('says when the next attempt comes', async () => {
    const { url } = await plantReceiver(fail(500));
    startDelivery({ schedule: [60_000] });
    const id = await happen(url);
    await expect.poll(() => answersOf(id)).toEqual([500]);
    const { nextAttemptAt, status } = (await events.get(id)) ?? {};
    expect(status).toBe('pending');
    const inMillis = Date.parse(nextAttemptAt ?? '') - Date.now();
    expect(inMillis).toBeGreaterThan(30_000);
    expect(inMillis).toBeLessThan(72_000);
  });

  test.each([
    ['seconds', () => '2'],
    ['a date', () => new Date(Date.now() + 3000).toUTCString()],
  ])('is sent no sooner than the receiver asks for in %s', async (_, retryAfter) => {
    const busy: RequestListener = (_request, response) => {
      response.writeHead(429, { 'retry-after': retryAfter() }).end();
    };
    const { url, messages } = await plantReceiver(busy, serve('thanks'));
    startDelivery({ schedule: [10, 60_000] });
    const id = await happen(url);
    await until(id, 'delivered');
    const [first = 0, second = 0] = ((await events.get(id))?.attempts ?? []).map(({ at }) =>
      Date.parse(at),
    );
    expect(second - first).toBeGreaterThanOrEqual(1900);
    expect(messages).toHaveLength(2);
  });

  test('to a private address fails at once, and nothing is asked of it', async () => {
    const { url, messages } = await plantReceiver(serve('secrets of the intranet'));
    startDelivery({ allow: [], schedule: [60_000] });
    const [planted, address] = [await happen(url), await happen('http://127.0.0.1/')];
    for (const id of [planted, address]) await until(id, 'failed');
    expect(messages).toEqual([]);
    expect(await answersOf(address)).toEqual([expect.stringMatching(/public address/)]);
  });

  test('that redirects is not followed', async () => {
    const target = await plantReceiver(serve('thanks'));
    const { url } = await plantReceiver(redirectTo(target.url, 307));
    startDelivery();
    await until(await happen(url), 'failed');
    expect(target.messages).toEqual([]);
  });

  test('is delivered whatever the answer says, or in whichever compression', async () => {
    const { url, messages } = await plantReceiver(serve('?', { 'content-encoding': 'zstd' }));
    startDelivery();
    await until(await happen(url), 'delivered');
    expect(messages).toHaveLength(1);
  });
});

describe('an address that answers 410', () => {
  test('gets nothing more until it is enabled', async () => {
    const { url, messages } = await plantReceiver(fail(410), serve('thanks'));
    const other = await plantReceiver(serve('thanks'));
    startDelivery();
    const first = await happen(url);
    await until(first, 'failed');
    expect(await answersOf(first)).toEqual([410]);
    expect(await receivers.disabled('shop')).toEqual([url]);

    const second = await happen(url);
    await until(second, 'dropped');
    expect(await answersOf(second)).toEqual([expect.stringMatching(/410/)]);
    await until(await happen(other.url), 'delivered');
    expect(messages).toHaveLength(1);

    await receivers.enable('shop', url);
    await until(await happen(url), 'delivered');
    expect(messages).toHaveLength(2);
  });
});

describe('a change of secrets', () => {
  test('signs with both for a day', async () => {
    const { secret: next } = await receivers.makeSecret('shop', Date.now());
    const { url, messages } = await plantReceiver(serve('thanks'));
    startDelivery();
    await until(await happen(url), 'delivered');
    const [message = { headers: {}, body: '' }] = messages;
    expect(message.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const by of [secret, next]) expect(verify(by, message)).toBeDefined();
  });

  test('signs a repeat with the secret of the day', async () => {
    const { url, messages } = await plantReceiver(fail(500), serve('thanks'));
    const id = await happen(url);
    let made = '';
    const by: WebhookReceivers = {
      ...receivers,
      async live(client, nowMillis) {
        if (messages.length === 1) made = (await receivers.makeSecret(client, nowMillis)).secret;
        return receivers.live(client, nowMillis);
      },
    };
    startDelivery({ by });
    await until(id, 'delivered');
    expect(() => verify(made, messages[0] ?? { headers: {}, body: '' })).toThrow();
    expect(verify(made, messages[1] ?? { headers: {}, body: '' })).toBeDefined();
  });
});

describe('the outbox', () => {
  test('told of the same thing twice sends it once', async () => {
    const { url, messages } = await plantReceiver(serve('thanks'));
    startDelivery();
    const id = await happen(url);
    await until(id, 'delivered');
    await queue.remove(id); // as it goes by itself, minutes later
    happened--;
    expect(await happen(url)).toBe(id);
    const next = await happen(url);
    await until(next, 'delivered');
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([id, next]);
  });

  test('loses nothing and doubles nothing where its worker dies half-way', async () => {
    const { url, messages } = await plantReceiver(serve('thanks'));
    const killed = { add: { value: () => Promise.reject(new Error('killed')) } };
    const dying = { redis, events, log, queue: Object.create(queue, killed) };
    const id = `evt_job_${happened + 1}_job_succeeded`;
    const entry = outboxEntry({
      ...{
        client: 'shop',
        url,
        type: 'job.succeeded',
        id: `job_${++happened}`,
        status: 'succeeded',
      },
      ...{ links: {}, atMillis: 0 },
    });
    await redis.rpush(OUTBOX, entry);
    await expect(drainOutbox(dying)).rejects.toThrow('killed');
    expect(await statusOf(id)).toBe('pending');
    expect(await redis.llen(OUTBOX)).toBe(1);

    // Several take over at once.
    await Promise.all(Array.from({ length: 4 }, () => drainOutbox({ redis, events, queue, log })));
    expect(await redis.llen(OUTBOX)).toBe(0);
    startDelivery();
    await until(id, 'delivered');
    expect(await queue.getJobCounts()).toMatchObject({ completed: 1, waiting: 0, delayed: 0 });
    expect(messages).toHaveLength(1);
  });

  test('is not held up by what nobody understands', async () => {
    const { url } = await plantReceiver(serve('thanks'));
    await redis.rpush(OUTBOX, 'noise', '{"eventId":1}');
    startDelivery();
    await until(await happen(url), 'delivered');
    expect(await redis.llen(OUTBOX)).toBe(0);
  });

  test('is looked at by itself, and no more once stopped', async () => {
    const stop = startOutbox({ redis, events, queue, log });
    const entry = outboxEntry({
      ...{ client: 'shop', url: 'http://a.example/', type: 'job.failed', id: 'job_w' },
      ...{ status: 'failed', links: {}, atMillis: 0 },
    });
    await redis.rpush(OUTBOX, entry);
    await expect.poll(() => queue.getJobState('evt_job_w_job_failed')).toBe('waiting');
    await stop();
    expect(await redis.llen(OUTBOX)).toBe(0);
  });
});

test('a receiver that does not answer holds up its own client alone', async () => {
  await receivers.makeSecret('other', Date.now());
  const held: (() => void)[] = [];
  const hold: RequestListener = (_request, response) => void held.push(() => response.end());
  let answer = hold;
  const slow = await plantReceiver((...both) => answer(...both));
  const quick = await plantReceiver(serve('thanks'));
  const facts = startDelivery({ slots: 16 });
  const ids = [];
  for (let i = 0; i < 40; i++) ids.push(await happen(slow.url));
  const theirs = await happen(quick.url.replace('127.0.0.1', 'quick.example'), 'other');
  await until(theirs, 'delivered');
  const postponed = () => facts.filter(({ outcome }) => outcome === 'postponed').length;
  await expect.poll(postponed).toBeGreaterThanOrEqual(32);
  expect(held).toHaveLength(4);
  for (const id of ids) expect(await events.get(id)).toMatchObject({ status: 'pending', tries: 0 });
  answer = serve('thanks');
  for (const end of held) end();
  for (const id of ids) await until(id, 'delivered');
});

test('an event sent again takes the place of the round before', async () => {
  const { url, messages } = await plantReceiver(fail(500), serve('thanks'));
  startDelivery({ schedule: [300] });
  const id = await happen(url);
  await expect.poll(() => answersOf(id)).toEqual([500]);
  const round = (await events.renew(id)) ?? 0;
  await enqueueDelivery(queue, id, round);
  await until(id, 'delivered');
  // The attempt of the first round that was put off comes, and finds nothing to do.
  await expect.poll(() => queue.getCompletedCount()).toBe(2);
  expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
  expect(await answersOf(id)).toEqual([200]);
});

test('an event whose job the queue gave up has failed', async () => {
  const id = await happen('http://a.example/');
  await failDelivery({ events }, `${id}-2`);
  expect(await statusOf(id)).toBe('pending');
  await failDelivery({ events }, id);
  expect(await statusOf(id)).toBe('failed');
});
