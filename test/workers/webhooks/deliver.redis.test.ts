import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { enqueueDelivery, WebhookEvents } from '../../../src/intake/webhooks/events.ts';
import { OUTBOX, outboxEntry } from '../../../src/intake/webhooks/outbox.ts';
import { WebhookReceivers } from '../../../src/intake/webhooks/receivers.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { blockingConnection } from '../../../src/platform/redis.ts';
import { type JobQueue, openQueues, type Queues } from '../../../src/queue/queue.ts';
import { consumeJobs, type JobReport } from '../../../workers/consume-jobs.ts';
import { SafeFetch } from '../../../workers/fetch/safe-fetch.ts';
import {
  deliverWebhook,
  drainOutbox,
  failDelivery,
  startOutbox,
} from '../../../workers/webhooks/deliver.ts';
import { fail, redirectTo, serve } from '../../support/servers.ts';
import { useRedis } from '../../support/use-redis.ts';
import { plantReceiver, verify } from '../../support/webhook-receiver.ts';

const log = createLog('test', 'silent');
const { server, redis } = await useRedis();
let queue: JobQueue;
let queues: Queues;
let events: WebhookEvents;
let receivers: WebhookReceivers;
let secret: string;
beforeAll(async () => {
  queues = openQueues(redis, log);
  queue = queues.webhook;
  events = new WebhookEvents(redis);
  receivers = new WebhookReceivers(redis);
});
afterAll(async () => {
  await Promise.all(Object.values(queues).map((each) => each.close()));
});
beforeEach(async () => {
  await redis.flushall();
  ({ secret } = await receivers.createSecret('shop', Date.now()));
});

/** Delivers queued events until the test ends. */
function startDelivery({
  schedule = [20, 20],
  allow = ['127.0.0.0/8'],
  by = receivers,
  slots = 4,
  now = hostClock,
} = {}) {
  const reports: JobReport[] = [];
  const connection = blockingConnection(server.url, log);
  const resolve = async () => ['127.0.0.1']; // host names resolve to this machine too
  const safeFetch = new SafeFetch({ allow, userAgent: 'Selvage/test', resolve });
  const processor = deliverWebhook({ events, receivers: by, safeFetch, now }, schedule);
  const consumer = consumeJobs(
    'webhook',
    { 'deliver-webhook': processor },
    {
      connection,
      concurrency: slots,
      log,
      now: hostClock,
      report: (report) => void reports.push(report),
      onFailed: (jobId) => void failDelivery({ events }, jobId),
    },
  );
  onTestFinished(async () => {
    await consumer.close();
    await safeFetch.close();
    connection.disconnect();
  });
  return reports;
}

let emitted = 0;
/** Emits an event and returns its id. */
async function emit(url: string, client = 'shop'): Promise<string> {
  const id = `job_${++emitted}`;
  await redis.rpush(
    OUTBOX,
    outboxEntry({
      client,
      url,
      type: 'job.succeeded',
      id,
      status: 'succeeded',
      links: { self: `/intake/v1/jobs/${id}` },
      atMillis: Date.now(),
    }),
  );
  await drainOutbox({ redis, events, queues, log, now: hostClock });
  return `evt_${id}_job_succeeded`;
}

const statusOf = async (id: string) => (await events.get(id))?.status;
const until = (id: string, status: string) => expect.poll(() => statusOf(id)).toBe(status);
const outcomesOf = async (id: string) =>
  ((await events.get(id))?.attempts ?? []).map(({ status, reason }) => status ?? reason);

describe('an event', () => {
  test('is signed according to Standard Webhooks', async () => {
    const { url, messages } = await plantReceiver(serve('thanks'));
    const reports = startDelivery();
    const id = await emit(url);
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
    expect(await outcomesOf(id)).toEqual([200]);
    expect(reports).toMatchObject([{ outcome: 'succeeded', steps: { post: expect.any(Number) } }]);
  });

  test('is signed and recorded by the time of Redis and not of this host', async () => {
    const redisMillis = Date.now() - 3_600_000; // this host is an hour ahead
    const { url, messages } = await plantReceiver(serve('thanks'));
    startDelivery({ now: () => redisMillis });
    const id = await emit(url);
    await until(id, 'delivered');
    expect(messages[0]?.headers).toMatchObject({
      'webhook-timestamp': String(Math.floor(redisMillis / 1000)),
    });
    expect((await events.get(id))?.attempts).toMatchObject([
      { at: new Date(redisMillis).toISOString(), millis: expect.toSatisfy(Number.isInteger) },
    ]);
  });

  test.each([
    ['an error', fail(500), 500],
    ['a client error', fail(404), 404],
    ['a busy receiver', fail(503), 503],
    ['a redirect', redirectTo('/elsewhere'), expect.stringMatching(/redirects/)],
    ['a closed connection', ((request) => void request.socket.destroy()) as RequestListener, /./],
  ])('is sent again with the same id after %s', async (_, respond, expected) => {
    const { url, messages } = await plantReceiver(respond, serve('thanks'));
    const reports = startDelivery();
    const id = await emit(url);
    await until(id, 'delivered');
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    for (const message of messages) expect(verify(secret, message)).toBeDefined();
    expect(messages[0]?.body).toBe(messages[1]?.body);
    const [first, second] = await outcomesOf(id);
    expect(first).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
    expect(second).toBe(200);
    await expect
      .poll(() => reports.map(({ outcome }) => outcome))
      .toEqual(['postponed', 'succeeded']);
  });

  test('fails after the last attempt of the schedule', async () => {
    const { url, messages } = await plantReceiver(fail(500));
    const reports = startDelivery();
    const id = await emit(url);
    await until(id, 'failed');
    expect(messages).toHaveLength(3);
    expect(await outcomesOf(id)).toEqual([500, 500, 500]);
    await expect.poll(() => reports.at(-1)?.outcome).toBe('refused');
  });

  test('has the time of the next attempt', async () => {
    const { url } = await plantReceiver(fail(500));
    startDelivery({ schedule: [60_000] });
    const id = await emit(url);
    await expect.poll(() => outcomesOf(id)).toEqual([500]);
    const { nextAttemptAt, status } = (await events.get(id)) ?? {};
    expect(status).toBe('pending');
    const inMillis = Date.parse(nextAttemptAt ?? '') - Date.now();
    expect(inMillis).toBeGreaterThan(30_000);
    expect(inMillis).toBeLessThan(72_000);
  });

  test.each([
    ['seconds', () => '2'],
    ['a date', () => new Date(Date.now() + 3000).toUTCString()],
  ])('respects Retry-After in %s', async (_, retryAfter) => {
    const busy: RequestListener = (_request, response) => {
      response.writeHead(429, { 'retry-after': retryAfter() }).end();
    };
    const { url, messages } = await plantReceiver(busy, serve('thanks'));
    startDelivery({ schedule: [10, 60_000] });
    const id = await emit(url);
    await until(id, 'delivered');
    const [first = 0, second = 0] = ((await events.get(id))?.attempts ?? []).map(({ at }) =>
      Date.parse(at),
    );
    expect(second - first).toBeGreaterThanOrEqual(1900);
    expect(messages).toHaveLength(2);
  });

  test('to a private address fails at once, without a request', async () => {
    const { url, messages } = await plantReceiver(serve('secrets of the intranet'));
    startDelivery({ allow: [], schedule: [60_000] });
    const [planted, address] = [await emit(url), await emit('http://127.0.0.1/')];
    for (const id of [planted, address]) await until(id, 'failed');
    expect(messages).toEqual([]);
    expect(await outcomesOf(address)).toEqual([expect.stringMatching(/public address/)]);
  });

  test('that redirects is not followed', async () => {
    const target = await plantReceiver(serve('thanks'));
    const { url } = await plantReceiver(redirectTo(target.url, 307));
    startDelivery();
    await until(await emit(url), 'failed');
    expect(target.messages).toEqual([]);
  });

  test('is delivered whatever the body or the compression of the response', async () => {
    const { url, messages } = await plantReceiver(serve('?', { 'content-encoding': 'zstd' }));
    startDelivery();
    await until(await emit(url), 'delivered');
    expect(messages).toHaveLength(1);
  });
});

test('an address that answers 410 gets no more events until it is enabled', async () => {
  const { url, messages } = await plantReceiver(fail(410), serve('thanks'));
  const other = await plantReceiver(serve('thanks'));
  startDelivery();
  const first = await emit(url);
  await until(first, 'failed');
  expect(await outcomesOf(first)).toEqual([410]);
  expect(await receivers.disabled('shop')).toEqual([url]);

  const second = await emit(url);
  await until(second, 'dropped');
  expect(await outcomesOf(second)).toEqual([expect.stringMatching(/410/)]);
  await until(await emit(other.url), 'delivered');
  expect(messages).toHaveLength(1);

  await receivers.enable('shop', url);
  await until(await emit(url), 'delivered');
  expect(messages).toHaveLength(2);
});

describe('a change of secrets', () => {
  test('signs with both for a day', async () => {
    const { secret: next } = await receivers.createSecret('shop', Date.now());
    const { url, messages } = await plantReceiver(serve('thanks'));
    startDelivery();
    await until(await emit(url), 'delivered');
    const [message = { headers: {}, body: '' }] = messages;
    expect(message.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const by of [secret, next]) expect(verify(by, message)).toBeDefined();
  });

  test('signs a retry with the secrets active then', async () => {
    const { url, messages } = await plantReceiver(fail(500), serve('thanks'));
    const id = await emit(url);
    let made = '';
    const by = Object.assign(new WebhookReceivers(redis), {
      async activeSecrets(client: string, nowMillis: number) {
        if (messages.length === 1) made = (await receivers.createSecret(client, nowMillis)).secret;
        return receivers.activeSecrets(client, nowMillis);
      },
    });
    startDelivery({ by });
    await until(id, 'delivered');
    expect(() => verify(made, messages[0])).toThrow();
    expect(verify(made, messages[1])).toBeDefined();
  });
});

describe('the outbox', () => {
  test('sends a duplicate entry once', async () => {
    const { url, messages } = await plantReceiver(serve('thanks'));
    startDelivery();
    const id = await emit(url);
    await until(id, 'delivered');
    await queue.remove(id); // as happens by itself, minutes later
    emitted--;
    expect(await emit(url)).toBe(id);
    const next = await emit(url);
    await until(next, 'delivered');
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([id, next]);
  });

  test('neither loses nor duplicates an event if its worker dies half-way', async () => {
    const { url, messages } = await plantReceiver(serve('thanks'));
    const killed = { add: { value: () => Promise.reject(new Error('killed')) } };
    const dead = { ...queues, webhook: Object.create(queue, killed) };
    const dying = { redis, events, log, now: hostClock, queues: dead };
    const id = `evt_job_${emitted + 1}_job_succeeded`;
    const entry = outboxEntry({
      client: 'shop',
      url,
      type: 'job.succeeded',
      id: `job_${++emitted}`,
      status: 'succeeded',
      links: {},
      atMillis: 0,
    });
    await redis.rpush(OUTBOX, entry);
    await expect(drainOutbox(dying)).rejects.toThrow('killed');
    expect(await statusOf(id)).toBe('pending');
    expect(await redis.llen(OUTBOX)).toBe(1);

    // Several workers take over at once.
    await Promise.all(
      Array.from({ length: 4 }, () => drainOutbox({ redis, events, queues, log, now: hostClock })),
    );
    expect(await redis.llen(OUTBOX)).toBe(0);
    startDelivery();
    await until(id, 'delivered');
    const ended = { completed: 1, active: 0, prioritized: 0, delayed: 0 };
    await expect.poll(() => queue.getJobCounts()).toMatchObject(ended);
    expect(messages).toHaveLength(1);
  });

  test('skips invalid entries', async () => {
    const { url } = await plantReceiver(serve('thanks'));
    await redis.rpush(OUTBOX, 'noise', '{"eventId":1}');
    startDelivery();
    await until(await emit(url), 'delivered');
    expect(await redis.llen(OUTBOX)).toBe(0);
  });

  test('is drained regularly, until it is stopped', async () => {
    const stop = startOutbox({ redis, events, queues, log, now: hostClock });
    const entry = outboxEntry({
      client: 'shop',
      url: 'http://a.example/',
      type: 'job.failed',
      id: 'job_w',
      status: 'failed',
      links: {},
      atMillis: 0,
    });
    await redis.rpush(OUTBOX, entry);
    await expect.poll(() => queue.getJobState('evt_job_w_job_failed')).toBe('prioritized');
    await stop();
    expect(await redis.llen(OUTBOX)).toBe(0);
  });
});

test('a receiver that does not respond delays only its own client', async () => {
  await receivers.createSecret('other', Date.now());
  const held: (() => void)[] = [];
  const hold: RequestListener = (_request, response) => void held.push(() => response.end());
  let respond = hold;
  const slow = await plantReceiver((...both) => respond(...both));
  const quick = await plantReceiver(serve('thanks'));
  const reports = startDelivery({ slots: 16 });
  const ids = [];
  for (let i = 0; i < 40; i++) ids.push(await emit(slow.url));
  const theirs = await emit(quick.url.replace('127.0.0.1', 'quick.example'), 'other');
  await until(theirs, 'delivered');
  const postponed = () => reports.filter(({ outcome }) => outcome === 'postponed').length;
  await expect.poll(postponed).toBeGreaterThanOrEqual(32);
  expect(held).toHaveLength(4);
  for (const id of ids) expect(await events.get(id)).toMatchObject({ status: 'pending', tries: 0 });
  respond = serve('thanks');
  for (const end of held) end();
  for (const id of ids) await until(id, 'delivered');
});

test('a redelivered event replaces the previous round', async () => {
  const { url, messages } = await plantReceiver(fail(500), serve('thanks'));
  startDelivery({ schedule: [300] });
  const id = await emit(url);
  await expect.poll(() => outcomesOf(id)).toEqual([500]);
  const round = (await events.renew(id)) ?? 0;
  await enqueueDelivery(queue, { id, client: 'shop' }, round);
  await until(id, 'delivered');
  // The delayed attempt of the first round runs too, and has nothing to do.
  await expect.poll(() => queue.getCompletedCount()).toBe(2);
  expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
  expect(await outcomesOf(id)).toEqual([200]);
});

test('an event whose job failed for good fails', async () => {
  const id = await emit('http://a.example/');
  await failDelivery({ events }, `${id}-2`);
  expect(await statusOf(id)).toBe('pending');
  await failDelivery({ events }, id);
  expect(await statusOf(id)).toBe('failed');
});
