import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatches } from '../../../src/intake/batches/batches.ts';
import { createLog } from '../../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../../src/platform/redis.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const BEFORE_MIDNIGHT = Date.parse('2031-05-06T23:59:59.999Z');
const METER = { meter: 'shop', quotaPerDay: 2 };
const UPLOAD = { format: 'ndjson' as const, offset: 1, line: 1, rows: 1 };

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = commandConnection(server.url, createLog('test', 'silent'));
  await untilReady(redis, AbortSignal.timeout(5000));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const unitsOf = async (day: string): Promise<number> =>
  Number(await redis.get(`{selvage}:quota:shop:${day}`));

test('rows are charged to the UTC day of the given clock, not of the host', async () => {
  let nowMillis = BEFORE_MIDNIGHT;
  const batches = createBatches(redis, () => nowMillis);
  await batches.create({
    id: 'batch_clock',
    kind: 'batch',
    client: 'shop',
    requestId: 'r',
    operations: ['classify'],
    outputSeconds: 60,
    createdAt: new Date(nowMillis).toISOString(),
    expiresAt: new Date(nowMillis + 60_000).toISOString(),
  });
  const chunk = { accepted: 2, rejected: 0, upload: UPLOAD };
  const append = (number: number) =>
    batches.append('batch_clock', { ...chunk, chunk: number, first: 2 * number }, METER);

  expect(await append(0)).toBe('appended');
  expect(await append(1)).toBe('over-quota');
  expect(await batches.hasQuota(METER)).toBe(false);
  nowMillis++;
  expect(await batches.hasQuota(METER)).toBe(true);
  expect(await append(1)).toBe('appended');
  expect(await unitsOf('2031-05-06')).toBe(2);
  expect(await unitsOf('2031-05-07')).toBe(2);
});
