import { expect, test } from 'vitest';
import { Batches } from '../../../src/intake/batches/batches.ts';
import { useRedis } from '../../support/use-redis.ts';

const BEFORE_MIDNIGHT = Date.parse('2031-05-06T23:59:59.999Z');
const METER = { meter: 'shop', quotaPerDay: 2 };
const UPLOAD = { format: 'ndjson' as const, offset: 1, line: 1, rows: 1 };

const { redis } = await useRedis();

const unitsOf = async (day: string): Promise<number> =>
  Number(await redis.get(`{selvage}:quota:shop:${day}`));

const toBatch = (id: string, nowMillis: number) => ({
  id,
  kind: 'batch' as const,
  client: 'shop',
  requestId: 'r',
  operations: ['classify' as const],
  outputSeconds: 60,
  createdAt: new Date(nowMillis).toISOString(),
  expiresAt: new Date(nowMillis + 60_000).toISOString(),
});

test('rows are charged to the UTC day of the given clock, not of the host', async () => {
  let nowMillis = BEFORE_MIDNIGHT;
  const batches = new Batches(redis, () => nowMillis);
  await batches.create(toBatch('batch_clock', nowMillis));
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

test('a client has a maximum of batches that have not ended, also if requests come at once', async () => {
  const nowMillis = BEFORE_MIDNIGHT;
  const batches = new Batches(redis, () => nowMillis);
  const create = (id: string, max: number | undefined = 3) =>
    batches.create({ ...toBatch(id, nowMillis), client: 'öfter "offen"' }, max);
  const move = (id: string, to: 'canceled' | 'canceling') =>
    batches.move(id, { from: ['open', 'sealed'], to, fields: {}, dueAtMillis: nowMillis });

  const ids = [1, 2, 3, 4, 5].map((number) => `batch_open_${number}`);
  const created = await Promise.all(ids.map((id) => create(id)));
  expect(created).toEqual([true, true, true, false, false]);
  expect(await batches.get('batch_open_4')).toBeUndefined();
  expect(await batches.due(nowMillis + 60_000)).not.toContain('batch_open_4');

  expect(await batches.seal('batch_open_1', nowMillis)).toBe(true);
  await move('batch_open_1', 'canceling');
  expect(await create('batch_open_4'), 'one is still being canceled').toBe(false);
  await move('batch_open_2', 'canceled');
  expect(await create('batch_open_4')).toBe(true);
  await batches.remove('batch_open_3');
  expect(await create('batch_open_5')).toBe(true);
  expect(await create('batch_open_6')).toBe(false);

  const run = { ...toBatch('run_1', nowMillis), kind: 'feed-run' as const };
  expect(await batches.create({ ...run, client: 'öfter "offen"' })).toBe(true);
});
