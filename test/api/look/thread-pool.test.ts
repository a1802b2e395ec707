import { Registry } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { createLookThreads, type LookThreads } from '../../../src/api/look/thread-pool.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createRandom, drawDay, drawWardrobe } from '../../look/wardrobes.ts';

const random = createRandom(5);
const { weather, met } = drawDay(random);
/** Takes seconds. */
const LONG = JSON.stringify({
  items: drawWardrobe(random, 1000),
  hours: Array.from({ length: 48 }, () => ({ weather, met })),
});
const SHORT = JSON.stringify({ weather, met, items: [] });

const pools: LookThreads[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

/** A pool of one thread. */
function openPool(deadlineMillis = 60_000) {
  const registry = new Registry();
  const threads = createLookThreads({
    threads: 1,
    deadlineMillis,
    signingKeys: 'k1:a-secret-of-the-test',
    registry,
    log: createLog('test', 'silent'),
  });
  const run = (
    name: 'outfits' | 'day',
    body: string,
    client = 'a',
    signal = new AbortController().signal,
  ) => threads.run({ name, body }, { client, weight: 1, signal });
  const metric = async (name: string, outcome?: string) => {
    const found = await registry.getSingleMetric(name)?.get();
    return found?.values.find((one) => one.labels.outcome === outcome)?.value ?? 0;
  };
  pools.push(threads);
  return { run, metric };
}
const { run, metric } = openPool();

test('the requests of one client do not wait for all of another', async () => {
  const order: string[] = [];
  const ask = (client: string) => run('outfits', SHORT, client).then(() => order.push(client));
  await Promise.all([...Array.from({ length: 10 }, () => ask('a')), ask('b')]);
  expect(order).toHaveLength(11);
  // One of a was running when b came, and one had the turn before it.
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('a client that disconnects frees its thread', async () => {
  await run('outfits', SHORT);
  const controller = new AbortController();
  const ended: string[] = [];
  const long = run('day', LONG, 'a', controller.signal).catch(() => ended.push('canceled'));
  const waiting = run('day', LONG, 'a', controller.signal).catch(() => ended.push('canceled'));
  expect(await metric('selvage_look_threads')).toBe(1);
  expect([await metric('selvage_look_running'), await metric('selvage_look_waiting')]).toEqual([
    1, 1,
  ]);
  controller.abort(new Error('The client disconnected'));
  // The thread is not waited for: it ends in the middle of its computation.
  expect(await metric('selvage_look_threads')).toBe(0);
  await Promise.all([long, waiting]);
  expect(await metric('selvage_look_running')).toBe(0);
  expect(await metric('selvage_look_requests_total', 'canceled')).toBe(2);
  expect(JSON.parse(await run('outfits', SHORT))).toHaveProperty('outfits');
  expect(ended).toEqual(['canceled', 'canceled']);
});

test('a request that exceeds the deadline ends with 503, and frees its thread', async () => {
  const { run, metric } = openPool(100);
  const problem = expect.objectContaining({
    type: 'upstream-unavailable',
    headers: { 'retry-after': '2' },
  });
  await expect(run('day', LONG)).rejects.toEqual(problem);
  await expect.poll(() => metric('selvage_look_running')).toBe(0);
});

test('a full queue rejects the client that fills it, not another', async () => {
  const controller = new AbortController();
  const large = SHORT + ' '.repeat(2 ** 21);
  const ends = new Map<number, string>();
  void run('day', LONG, 'a', controller.signal).catch(() => {});
  const filling = Array.from({ length: 12 }, (_, i) =>
    run('outfits', large, 'a').then(
      () => ends.set(i, 'computed'),
      (error) => ends.set(i, `${error.type} ${error.headers['retry-after']}`),
    ),
  );
  const other = run('outfits', large, 'b');
  controller.abort();
  expect(JSON.parse(await other)).toHaveProperty('outfits');
  await Promise.all(filling);
  const rejected = [...ends.values()].filter((end) => end === 'upstream-unavailable 2');
  expect(rejected.length).toBeGreaterThan(0);
  expect(ends.get(0)).toBe('computed');
  expect(await metric('selvage_look_requests_total', 'rejected')).toBe(rejected.length);
});
