import { beforeEach, describe, expect, test } from 'vitest';
import { type JobRecord, JobRecords, type NewJob } from '../../../src/intake/job-records.ts';
import {
  delayAfter,
  parseDeliveryId,
  SCHEDULE_MILLIS,
  WebhookEvents,
} from '../../../src/intake/webhooks/events.ts';
import {
  OUTBOX,
  OutboxEntry,
  outboxEntry,
  webhookBody,
} from '../../../src/intake/webhooks/outbox.ts';
import { WebhookReceivers } from '../../../src/intake/webhooks/receivers.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { useRedis } from '../../support/use-redis.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const DAY_MILLIS = 86_400_000;
const HOOK = 'https://shop.example/hooks?token=t';

const { redis } = await useRedis();
const records = new JobRecords(redis, hostClock);
const events = new WebhookEvents(redis);
const receivers = new WebhookReceivers(redis);
beforeEach(() => redis.flushall());

/** An active job, attempt 1, with a webhook by default. */
async function activeJob(id: string, webhook: Partial<NewJob> = { webhook: { url: HOOK } }) {
  await records.create({
    id,
    client: 'shop',
    requestId: 'r',
    operations: ['classify'],
    outputSeconds: 60,
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
        client,
        url: HOOK,
        type: 'batch.completed',
        id,
        status: 'completed',
        links: { self: `/b/${id}` },
        atMillis: NOW,
      }),
    ),
  );

describe('the end of a job', () => {
  const ENDS = ['succeeded', 'failed'] as const;
  test.each(ENDS)('%s pushes one entry, however many race', async (to) => {
    const job = await activeJob('job_1');
    const won = await Promise.all(Array.from({ length: 8 }, () => end(job, to)));
    expect(won.filter(Boolean)).toHaveLength(1);
    const links = { self: '/intake/v1/jobs/job_1' };
    expect(await outbox()).toEqual([
      {
        eventId: `evt_job_1_job_${to}`,
        client: 'shop',
        url: HOOK,
        type: `job.${to}`,
        timestamp: '2026-11-20T12:00:01.500Z',
        data: { id: 'job_1', status: to, links: expect.objectContaining(links) },
      },
    ]);
  });

  test.each(['canceled', 'expired'] as const)('%s pushes no entry', async (to) => {
    expect(await end(await activeJob('job_2'), to)).toBe(true);
    expect(await outbox()).toEqual([]);
  });

  test('without a webhook pushes no entry', async () => {
    expect(await end(await activeJob('job_3', {}), 'succeeded')).toBe(true);
    expect(await outbox()).toEqual([]);
  });
});

describe('an outbox entry', () => {
  test('has the same id each time, in characters that queues and receivers accept', () => {
    expect(entryOf('bat_9').eventId).toBe('evt_bat_9_batch_completed');
    expect(entryOf('a:b.c-d').eventId).toMatch(/^evt_\w+$/);
  });

  test('is sent as type, time, id, status and links only', () => {
    expect(JSON.parse(webhookBody(entryOf('bat_9')))).toEqual({
      type: 'batch.completed',
      timestamp: '2026-11-20T12:00:00.000Z',
      data: { id: 'bat_9', status: 'completed', links: { self: '/b/bat_9' } },
    });
  });
});

describe('the record of an event', () => {
  test('is created once, and returns the round to deliver', async () => {
    const entry = entryOf('bat_1');
    expect(await events.record(entry, NOW)).toBe(1);
    expect(await events.record({ ...entry, url: 'https://other.example/' }, NOW)).toBe(1);
    expect(await events.get(entry.eventId)).toMatchObject({ url: HOOK, status: 'pending' });
    await events.recordOutcome(entry.eventId, 1, { status: 'delivered' });
    expect(await events.record(entry, NOW)).toBeUndefined();
    const ttl = await redis.ttl(`{selvage}:webhook-event:${entry.eventId}`);
    expect(ttl).toBeGreaterThan(3 * 86_400 - 60);
  });

  test('stores the last twenty attempts and counts them all', async () => {
    const { eventId } = entryOf('bat_2');
    await events.record(entryOf('bat_2'), NOW);
    for (let i = 0; i < 25; i++) {
      const attempt = { at: new Date(NOW + i).toISOString(), status: 500 + i, millis: 1 };
      const next = { nextAttemptAtMillis: NOW + i };
      expect(await events.recordOutcome(eventId, 1, { status: 'pending', attempt, ...next })).toBe(
        true,
      );
    }
    const event = await events.get(eventId);
    expect(event).toMatchObject({ tries: 25, nextAttemptAt: new Date(NOW + 24).toISOString() });
    expect(event?.attempts.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, i) => 505 + i),
    );
    await events.recordOutcome(eventId, 1, { status: 'delivered' });
    expect((await events.get(eventId))?.nextAttemptAt).toBeUndefined();
  });

  test('starts a new round, and ignores outcomes of the round before', async () => {
    const { eventId } = entryOf('bat_3');
    await events.record(entryOf('bat_3'), NOW);
    const attempt = { at: new Date(NOW).toISOString(), status: 500, millis: 1 };
    await events.recordOutcome(eventId, 1, { status: 'failed', attempt });
    expect(await events.recordOutcome(eventId, 1, { status: 'delivered' })).toBe(false);
    expect(await events.renew(eventId)).toBe(2);
    expect(await events.get(eventId)).toMatchObject({ status: 'pending', tries: 0, attempts: [] });
    expect(await events.recordOutcome(eventId, 1, { status: 'failed' })).toBe(false);
    expect(await events.recordOutcome(eventId, 2, { status: 'delivered' })).toBe(true);
    expect(await events.renew('evt_unknown')).toBeUndefined();
  });

  test('is listed for its client, the newest first, by status, a thousand of them', async () => {
    for (let i = 0; i < 1003; i++) await events.record(entryOf(`bat_${i}`), NOW + i);
    await events.record(entryOf('bat_x', 'other'), NOW);
    await events.recordOutcome('evt_bat_500_batch_completed', 1, { status: 'failed' });
    const ids = (await events.list('shop', 5000)).map(({ id }) => id);
    expect(ids).toHaveLength(1000);
    const expected = ['evt_bat_1002_batch_completed', 'evt_bat_1001_batch_completed'];
    expect(ids.slice(0, 2)).toEqual(expected);
    expect(await events.list('shop', 3)).toHaveLength(3);
    expect(await events.list('shop', 10, 'failed')).toMatchObject([
      { id: 'evt_bat_500_batch_completed' },
    ]);
    expect(await events.get('evt_bat_0_batch_completed')).toBeDefined();
  });

  const IDS = ['', 'evt_', 'evt_a:b', 'job_1'];
  test.each(IDS)('is not looked up by the malformed id "%s"', async (id) => {
    expect(await events.get(id)).toBeUndefined();
  });
});

describe('a client', () => {
  test('has one secret, two for a day after a change, and never three', async () => {
    expect(await receivers.activeSecrets('shop', NOW)).toEqual([]);
    const first = await receivers.createSecret('shop', NOW);
    expect(first).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      createdAt: '2026-11-20T12:00:00.000Z',
    });
    const second = await receivers.createSecret('shop', NOW + 1000);
    expect(second.previousExpiresAt).toBe('2026-11-21T12:00:01.000Z');
    expect(await receivers.activeSecrets('shop', NOW + DAY_MILLIS)).toEqual([
      { secret: second.secret, createdAt: second.createdAt },
      { secret: first.secret, createdAt: first.createdAt, expiresAt: second.previousExpiresAt },
    ]);
    const third = await receivers.createSecret('shop', NOW + 2000);
    const secrets = (await receivers.activeSecrets('shop', NOW + 2000)).map(({ secret }) => secret);
    expect(secrets).toEqual([third.secret, second.secret]);
    expect(await redis.llen('{selvage}:webhook-secrets:shop')).toBe(2);
    expect(await receivers.activeSecrets('other', NOW)).toEqual([]);
  });

  test('has no expired secret stored', async () => {
    const old = await receivers.createSecret('shop', NOW);
    const { secret } = await receivers.createSecret('shop', NOW + 1000);
    const later = NOW + 1000 + DAY_MILLIS;
    expect((await receivers.activeSecrets('shop', later)).map((active) => active.secret)).toEqual([
      secret,
    ]);
    expect(await redis.lrange('{selvage}:webhook-secrets:shop', 0, -1)).toHaveLength(1);
    expect(old.secret).not.toBe(secret);
  });

  test('has disabled addresses until they are enabled or a secret is created', async () => {
    for (const url of [HOOK, 'https://b.example/']) await receivers.disable('shop', url, NOW);
    expect(await receivers.isDisabled('shop', HOOK)).toBe(true);
    expect(await receivers.isDisabled('other', HOOK)).toBe(false);
    await receivers.enable('shop', HOOK);
    expect(await receivers.disabled('shop')).toEqual(['https://b.example/']);
    await receivers.createSecret('shop', NOW);
    expect(await receivers.disabled('shop')).toEqual([]);
  });
});

describe('the next attempt', () => {
  test('comes at growing intervals, twelve times in about a day', () => {
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
    { retryAfter: 60_000, min: 60_000, max: 60_000 }, // more than the first step of 5 s
    { retryAfter: 1000, min: 4000, max: 6000 }, // less than it
    { retryAfter: 7 * DAY_MILLIS, min: 28_800_000, max: 28_800_000 }, // the longest step
  ])('respects a Retry-After of $retryAfter ms', ({ retryAfter, min, max }) => {
    const delay = delayAfter(1, retryAfter) ?? 0;
    expect(delay).toBeGreaterThanOrEqual(min);
    expect(delay).toBeLessThanOrEqual(max);
  });

  test('is parsed from the id of its job', () => {
    expect(parseDeliveryId('evt_a_b')).toEqual({ eventId: 'evt_a_b', round: 1 });
    expect(parseDeliveryId('evt_a_b-3')).toEqual({ eventId: 'evt_a_b', round: 3 });
  });
});
