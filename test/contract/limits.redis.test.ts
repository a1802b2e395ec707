import { describe, expect, test } from 'vitest';
import { Limits, limitHeaders } from '../../src/http/limits.ts';
import { asProblem } from '../../src/http/problem-response.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { startRedis } from '../support/redis-server.ts';
import { useRedis } from '../support/use-redis.ts';

const { redis } = await useRedis();

const allowance = (meter: string, count = 5, quotaPerDay = 3) => ({
  meter,
  rate: { count, periodSeconds: 3600 },
  quotaPerDay,
});

describe('the rate limit', () => {
  test('admits the whole count at once, then tells when to retry', async () => {
    const limits = new Limits(redis, hostClock);
    const remaining: number[] = [];
    for (let i = 0; i < 5; i++) {
      const { rateLimit } = await limits.admit(allowance('burst'), 0);
      remaining.push(rateLimit.rate.remaining);
    }
    expect(remaining).toEqual([4, 3, 2, 1, 0]);
    const rejected = limits.admit(allowance('burst'), 0);
    await expect(rejected).rejects.toMatchObject({ type: 'rate-limit-exceeded', status: 429 });
    const problem = await rejected.catch((error) => error);
    const wait = Number(problem.headers['retry-after']);
    expect(wait).toBeGreaterThan(700); // a fifth of an hour, less the time this test took
    expect(wait).toBeLessThanOrEqual(720);
    expect(problem.headers['ratelimit-remaining']).toBe('0');
  });

  test('counts each meter separately', async () => {
    const limits = new Limits(redis, hostClock);
    await limits.admit(allowance('one', 1), 0);
    await expect(limits.admit(allowance('one', 1), 0)).rejects.toThrow();
    await expect(limits.admit(allowance('two', 1), 0)).resolves.toBeDefined();
  });

  test('holds under concurrent requests', async () => {
    const limits = new Limits(redis, hostClock);
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, () => limits.admit(allowance('crowd', 7), 0)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
  });
});

describe('the daily quota', () => {
  test('is charged for successes, refunded for failures, and rejects requests beyond it', async () => {
    const limits = new Limits(redis, hostClock);
    const admissions = [];
    for (let i = 0; i < 3; i++) admissions.push(await limits.admit(allowance('quota', 100), 1));
    expect(admissions.map(({ rateLimit }) => rateLimit.quota.remaining)).toEqual([2, 1, 0]);
    const rejected = await limits.admit(allowance('quota', 100), 1).catch((error) => error);
    expect(rejected).toMatchObject({ type: 'quota-exceeded', status: 429 });
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(86_400);
    await admissions[0]!.refund();
    await expect(limits.admit(allowance('quota', 100), 1)).resolves.toBeDefined();
  });

  test('is not charged for requests without a cost', async () => {
    const limits = new Limits(redis, hostClock);
    await limits.admit(allowance('free', 100), 0);
    const { rateLimit } = await limits.admit(allowance('free', 100), 1);
    expect(rateLimit.quota.remaining).toBe(2);
  });

  test('does not charge the rate limit for rejected requests', async () => {
    const limits = new Limits(redis, hostClock);
    for (let i = 0; i < 3; i++) await limits.admit(allowance('both', 100), 1);
    for (let i = 0; i < 5; i++)
      await limits.admit(allowance('both', 100), 1).catch(() => undefined);
    const { rateLimit } = await limits.admit(allowance('both', 100), 0);
    expect(rateLimit.rate.remaining).toBe(96);
  });
});

test('both sets of headers have the same values', () => {
  expect(
    limitHeaders({
      rate: { limit: 60, remaining: 59, resetSeconds: 1, windowSeconds: 60 },
      quota: { limit: 1000, remaining: 998, resetSeconds: 7200 },
    }),
  ).toEqual({
    'ratelimit-limit': '60',
    'ratelimit-remaining': '59',
    'ratelimit-reset': '1',
    'ratelimit-policy': '"rate";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: '"rate";r=59;t=1, "day";r=998;t=7200',
  });
});

test('while Redis is unavailable a request is rejected with 503 at once', async () => {
  const own = await startRedis();
  const connection = commandConnection(own.url, createLog('test', 'silent'));
  await untilReady(connection, AbortSignal.timeout(5000));
  const limits = new Limits(connection, hostClock);
  await own.end('SIGKILL');
  const rejection = await limits.admit(allowance('gone'), 0).catch(asProblem);
  expect(rejection).toMatchObject({
    type: 'upstream-unavailable',
    headers: { 'retry-after': '1' },
  });
  connection.disconnect();
  await own.stop();
});
