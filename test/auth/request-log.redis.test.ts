import { beforeEach, expect, test } from 'vitest';
import { RequestLog } from '../../src/auth/request-logs.ts';
import { useRedis } from '../support/use-redis.ts';

const { redis } = await useRedis();
beforeEach(() => redis.flushall());

const DAY_MILLIS = 86_400_000;
let nowMillis = Date.parse('2031-05-06T12:00:00Z');
const now = () => nowMillis;

const requestOf = (client: string, requestId: string) => ({
  ...{ requestId, client, keyId: 'key_1', method: 'POST', route: '/bg/v1/background-removals' },
  ...{ operation: 'removeBackground', status: 200, millis: 312.4, units: 1 },
});
const key = (name = '') =>
  `{selvage}:requests:${new Date(now()).toISOString().slice(0, 10)}${name}`;

test('a client that sends many loses its own oldest, and its memory is bounded', async () => {
  const log = new RequestLog(redis, now, 7);
  await log.write(requestOf('quiet', 'first'));
  const before = Number(await redis.call('MEMORY', 'USAGE', key(), 'SAMPLES', '0'));
  for (let from = 0; from < 5100; from += 100) {
    const ids = Array.from({ length: 100 }, (_, i) => `loud-${from + i}-${'x'.repeat(100)}`);
    await Promise.all(ids.map((id) => log.write(requestOf('loud', id))));
  }
  expect(await redis.hlen(key())).toBe(5001);
  expect(await redis.llen(key(':loud'))).toBe(5000);
  const tail = 'x'.repeat(100);
  expect(await log.find(`loud-0-${tail}`, ['loud'])).toEqual([]);
  expect(await log.find(`loud-5099-${tail}`, ['loud'])).toHaveLength(1);
  expect(await log.find('first', ['loud', 'quiet'])).toHaveLength(1);
  const after = Number(await redis.call('MEMORY', 'USAGE', key(), 'SAMPLES', '0'));
  expect((after - before) / 5000).toBeLessThan(1000); // bytes, with the longest ids
});

test('requests are found for as many days as they are kept, and no longer', async () => {
  const log = new RequestLog(redis, now, 2);
  await log.write(requestOf('shop', 'a'));
  expect(await redis.ttl(key())).toBeGreaterThan(2 * 86_400 - 60);
  expect(await redis.ttl(key(':shop'))).toBeGreaterThan(2 * 86_400 - 60);
  nowMillis += 2 * DAY_MILLIS;
  expect(await log.find('a', ['shop'])).toHaveLength(1);
  await log.write(requestOf('shop', 'a'));
  expect(await log.find('a', ['shop'])).toHaveLength(2);
  nowMillis += DAY_MILLIS;
  expect(await log.find('a', ['shop'])).toHaveLength(1);
});

test('with 0 days nothing is kept', async () => {
  await new RequestLog(redis, now, 0).write(requestOf('shop', 'a'));
  expect(await redis.keys('*')).toEqual([]);
});
