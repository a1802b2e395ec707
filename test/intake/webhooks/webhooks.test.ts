import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createJobRecords,
  type JobRecord,
  type JobRecords,
  type NewJob,
} from '../../../src/intake/job-records.ts';
import {
  delayAfter,
  readDeliveryId,
  SCHEDULE_MILLIS,
} from '../../../src/intake/webhooks/delivery.ts';
import { createWebhookEvents, type WebhookEvents } from '../../../src/intake/webhooks/events.ts';
import {
  OUTBOX,
  OutboxEntry,
  outboxEntry,
  webhookBody,
} from '../../../src/intake/webhooks/outbox.ts';
import {
  createWebhookReceivers,
  type WebhookReceivers,
} from '../../../src/intake/webhooks/receivers.ts';
import { createLog } from '../../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../../src/platform/redis.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const DAY_MILLIS = 86_400_000;
const HOOK = 'https://shop.example/hooks?token=t';

let server: RedisServer;
let redis: Redis;
let records: JobRecords;
let events: WebhookEvents;
let receivers: WebhookReceivers;
beforeAll(async () => {
  const log = createLog('test', 'silent');
  server = await startRedis();
  redis = commandConnection(server.url, log);
  await untilReady(redis, AbortSignal.timeout(5000));
  records = createJobRecords(redis);
  events = createWebhookEvents(redis);
  receivers = createWebhookReceivers(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => redis.flushall());

/** A job under way, attempt 1, that wants to be told of unless said otherwise. */
async function underWay(id: string, webhook: Partial<NewJob> = { webhook: { url: HOOK } }) {
  await records.create({
    ...{ id, client: 'shop', requestId: 'r', operations: ['classify'], outputSeconds: 60 },
    createdAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + 60_000).toISOString(),
    inputKey: `in/${id}`,
    ...webhook,
  });
  await records.begin(id, new Date(NOW).toISOString());
  const job = await records.get(id);
  if (!job) throw new Error('no record');
  return job;
}

const end = (job: JobRecord, to: 'succeeded' | 'failed' | 'canceled' | 'expired') =>
  records.end(job, {
    from: ['queued', 'active'],
    to,
    fields: { finishedAt: new Date(NOW + 1500).toISOString() },
    dueAtMillis: NOW,
  });

const outbox = async () =>
  (await redis.lrange(OUTBOX, 0, -1)).map((text) => OutboxEntry.parse(JSON.parse(text)));

const entryOf = (id: string, client = 'shop') =>
  OutboxEntry.parse(
    JSON.parse(
      outboxEntry({
        ...{ client, url: HOOK, type: 'batch.completed', id, status: 'completed' },
        ...{ links: { self: `/b/${id}` }, atMillis: NOW },
      }),
    ),
  );

describe('the end of a job', () => {
  test.each(['succeeded', 'failed'] as const)('%s is one entry, whoever races', async (to) => {
    const job = await underWay('job_1');
    const won = await Promise.all(Array.from({ length: 8 }, () => end(job, to)));
    expect(won.filter(Boolean)).toHaveLength(1);
    const links = { self: '/intake/v1/jobs/job_1' };
    expect(await outbox()).toEqual([
      {
        eventId: `evt_job_1_job_${to}`,
        ...{ client: 'shop', url: HOOK, type: `job.${to}` },
        timestamp: '2026-11-20T12:00:01.500Z',
        data: { id: 'job_1', status: to, links: expect.objectContaining(links) },
      },
    ]);
  });

  test.each(['canceled', 'expired'] as const)('%s is told to nobody', async (to) => {
    expect(await end(await underWay('job_2'), to)).toBe(true);
    expect(await outbox()).toEqual([]);
  });

  test('is told to nobody who did not ask', async () => {
    expect(await end(await underWay('job_3', {}), 'succeeded')).toBe(true);
    expect(await outbox()).toEqual([]);
  });
});

describe('an entry', () => {
  test('has the same id each time, in letters that queues and receivers take', () => {
    expect(entryOf('bat_9').eventId).toBe('evt_bat_9_batch_completed');
    expect(entryOf('a:b.c-d').eventId).toMatch(/^evt_\w+$/);
  });

  test('is sent as what happened, when, and where to look, and no more', () => {
    expect(JSON.parse(webhookBody(entryOf('bat_9')))).toEqual({
      type: 'batch.completed',
      timestamp: '2026-11-20T12:00:00.000Z',
      data: { id: 'bat_9', status: 'completed', links: { self: '/b/bat_9' } },
    });
  });
});

describe('the record of an event', () => {
  test('is made once, and tells whether there is something to deliver', async () => {
    const entry = entryOf('bat_1');
    expect(await events.record(entry, NOW)).toBe(1);
    expect(await events.record({ ...entry, url: 'https://other.example/' }, NOW)).toBe(1);
    expect(await events.get(entry.eventId)).toMatchObject({ url: HOOK, status: 'pending' });
    await events.note(entry.eventId, 1, { status: 'delivered' });
    expect(await events.record(entry, NOW)).toBeUndefined();
    const ttl = await redis.ttl(`{selvage}:webhook-event:${entry.eventId}`);
    expect(ttl).toBeGreaterThan(3 * 86_400 - 60);
  });

  test('keeps the last twenty attempts and counts them all', async () => {
    const { eventId } = entryOf('bat_2');
    await events.record(entryOf('bat_2'), NOW);
    for (let i = 0; i < 25; i++) {
      const attempt = { at: new Date(NOW + i).toISOString(), status: 500 + i, millis: 1 };
      const next = { nextAttemptAtMillis: NOW + i };
      expect(await events.note(eventId, 1, { status: 'pending', attempt, ...next })).toBe(true);
    }
    const event = await events.get(eventId);
    expect(event).toMatchObject({ tries: 25, nextAttemptAt: new Date(NOW + 24).toISOString() });
    expect(event?.attempts.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, i) => 505 + i),
    );
    await events.note(eventId, 1, { status: 'delivered' });
    expect((await events.get(eventId))?.nextAttemptAt).toBeUndefined();
  });

  test('renewed, starts anew and takes no word of the round before', async () => {
    const { eventId } = entryOf('bat_3');
    await events.record(entryOf('bat_3'), NOW);
    const attempt = { at: new Date(NOW).toISOString(), status: 500, millis: 1 };
    await events.note(eventId, 1, { status: 'failed', attempt });
    expect(await events.note(eventId, 1, { status: 'delivered' })).toBe(false);
    expect(await events.renew(eventId)).toBe(2);
    expect(await events.get(eventId)).toMatchObject({ status: 'pending', tries: 0, attempts: [] });
    expect(await events.note(eventId, 1, { status: 'failed' })).toBe(false);
    expect(await events.note(eventId, 2, { status: 'delivered' })).toBe(true);
    expect(await events.renew('evt_unknown')).toBeUndefined();
  });

  test('is listed for its client, the newest first, by status, a thousand of them', async () => {
    for (let i = 0; i < 1003; i++) await events.record(entryOf(`bat_${i}`), NOW + i);
    await events.record(entryOf('bat_x', 'other'), NOW);
    await events.note('evt_bat_500_batch_completed', 1, { status: 'failed' });
    const ids = (await events.list('shop', 5000)).map(({ id }) => id);
    expect(ids).toHaveLength(1000);
    expect(ids.slice(0, 2)).toEqual([
      'evt_bat_1002_batch_completed',
      'evt_bat_1001_batch_completed',
    ]);
    expect(await events.list('shop', 3)).toHaveLength(3);
    expect(await events.list('shop', 10, 'failed')).toMatchObject([
      { id: 'evt_bat_500_batch_completed' },
    ]);
    expect(await events.get('evt_bat_0_batch_completed')).toBeDefined();
  });

  test.each(['', 'evt_', 'evt_a:b', 'job_1'])('is not looked for by "%s"', async (id) => {
    expect(await events.get(id)).toBeUndefined();
  });
});

describe('a client', () => {
  test('has one secret, two for a day after a change, and never three', async () => {
    expect(await receivers.live('shop', NOW)).toEqual([]);
    const first = await receivers.makeSecret('shop', NOW);
    expect(first).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      createdAt: '2026-11-20T12:00:00.000Z',
    });
    const second = await receivers.makeSecret('shop', NOW + 1000);
    expect(second.previousExpiresAt).toBe('2026-11-21T12:00:01.000Z');
    expect(await receivers.live('shop', NOW + DAY_MILLIS)).toEqual([
      { secret: second.secret, createdAt: second.createdAt },
      { secret: first.secret, createdAt: first.createdAt, expiresAt: second.previousExpiresAt },
    ]);
    const third = await receivers.makeSecret('shop', NOW + 2000);
    const secrets = (await receivers.live('shop', NOW + 2000)).map(({ secret }) => secret);
    expect(secrets).toEqual([third.secret, second.secret]);
    expect(await redis.llen('{selvage}:webhook-secrets:shop')).toBe(2);
    expect(await receivers.live('other', NOW)).toEqual([]);
  });

  test('keeps no secret that has expired', async () => {
    const old = await receivers.makeSecret('shop', NOW);
    const { secret } = await receivers.makeSecret('shop', NOW + 1000);
    const later = NOW + 1000 + DAY_MILLIS;
    expect((await receivers.live('shop', later)).map((live) => live.secret)).toEqual([secret]);
    expect(await redis.lrange('{selvage}:webhook-secrets:shop', 0, -1)).toHaveLength(1);
    expect(old.secret).not.toBe(secret);
  });

  test('has addresses that are off until one is enabled or a secret made', async () => {
    for (const url of [HOOK, 'https://b.example/']) await receivers.disable('shop', url, NOW);
    expect(await receivers.isDisabled('shop', HOOK)).toBe(true);
    expect(await receivers.isDisabled('other', HOOK)).toBe(false);
    await receivers.enable('shop', HOOK);
    expect(await receivers.disabled('shop')).toEqual(['https://b.example/']);
    await receivers.makeSecret('shop', NOW);
    expect(await receivers.disabled('shop')).toEqual([]);
  });
});

describe('the next attempt', () => {
  test('comes at longer and longer distances, twelve times in about a day', () => {
    const hours = SCHEDULE_MILLIS.reduce((sum, millis) => sum + millis, 0) / 3_600_000;
    expect(SCHEDULE_MILLIS).toHaveLength(11);
    expect(hours).toBeGreaterThan(20);
    expect(hours).toBeLessThan(24);
    for (const [i, step] of SCHEDULE_MILLIS.entries()) {
      const delays = Array.from({ length: 50 }, () => delayAfter(i + 1) ?? 0);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(0.8 * step);
      expect(Math.max(...delays)).toBeLessThanOrEqual(1.2 * step);
      expect(new Set(delays).size).toBeGreaterThan(10);
    }
    expect(delayAfter(12)).toBeUndefined();
  });

  test.each([
    { asked: 60_000, least: 60_000, most: 60_000 }, // more than the first step of 5 s
    { asked: 1000, least: 4000, most: 6000 }, // less than it
    { asked: 7 * DAY_MILLIS, least: 28_800_000, most: 28_800_000 }, // the longest step
  ])('waits $asked ms where the receiver asks for it', ({ asked, least, most }) => {
    const delay = delayAfter(1, asked) ?? 0;
    expect(delay).toBeGreaterThanOrEqual(least);
    expect(delay).toBeLessThanOrEqual(most);
  });

  test('is told from the name of its job', () => {
    expect(readDeliveryId('evt_a_b')).toEqual({ eventId: 'evt_a_b', round: 1 });
    expect(readDeliveryId('evt_a_b-3')).toEqual({ eventId: 'evt_a_b', round: 3 });
  });
});
