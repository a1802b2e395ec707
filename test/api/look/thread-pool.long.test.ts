import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LookThreads } from '../../../src/api/look/thread-pool.ts';
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
function openPool({ deadlineMillis = 60_000, abandonedMillis = 60_000 } = {}) {
  const registry = new Registry();
  const threads = new LookThreads({
    threads: 1,
    deadlineMillis,
    abandonedMillis,
    signingKeys: 'k1:a-secret-of-the-test',
    registry,
    log: createLog('test', 'silent'),
  });
  const run = (
    name: 'outfits' | 'day' | 'trip',
    body: string,
    client = 'a',
    signal = new AbortController().signal,
  ) =>
    threads
      .run({ name, body, preferred: 'en' }, { client, weight: 1, signal })
      .then(({ json }) => json);
  const metric = async (name: string, outcome?: string) => {
    const found = await registry.getSingleMetric(name)?.get();
    return found?.values.find((one) => one.labels.outcome === outcome)?.value ?? 0;
  };
  pools.push(threads);
  return { run, metric };
}
const { run } = openPool();

test('the requests of one client do not wait for all of another', async () => {
  const order: string[] = [];
  const ask = (client: string) => run('outfits', SHORT, client).then(() => order.push(client));
  await Promise.all([...Array.from({ length: 10 }, () => ask('a')), ask('b')]);
  expect(order).toHaveLength(11);
  // One of a was running when b came, and one had the turn before it.
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('an outfit does not wait for the trips of others, even where there is one thread', async () => {
  const { run } = openPool({ deadlineMillis: 600_000, abandonedMillis: 100 });
  const days = Array.from({ length: 14 }, (_, n) => ({ date: `2026-11-${n + 10}`, weather, met }));
  const trip = JSON.stringify({ items: drawWardrobe(random, 100), days, maxItems: 20 });
  const left = new AbortController();
  let done = 0;
  const trips = Array.from({ length: 8 }, (_, n) =>
    run('trip', trip, `t${n}`, left.signal).then(
      () => done++,
      () => {},
    ),
  );
  await run('outfits', SHORT, 'honest');
  expect(done).toBeLessThanOrEqual(1);
  left.abort(new Error('The client disconnected'));
  await Promise.all(trips);
});

describe('a client that disconnects', () => {
  /** Threads that any pool of this process has started. */
  let starts = 0;
  const onStart = () => starts++;
  beforeAll(() => process.on('worker', onStart));
  afterAll(() => process.off('worker', onStart));

  const canceled = (promise: Promise<string>) =>
    expect(promise).rejects.toThrow('The client disconnected');
  const leave = (controller: AbortController) =>
    controller.abort(new Error('The client disconnected'));

  test('does not end its thread if the computation is short', async () => {
    await run('outfits', SHORT);
    const before = starts;
    for (let i = 0; i < 5; i++) {
      const controller = new AbortController();
      const left = canceled(run('outfits', SHORT, 'a', controller.signal));
      leave(controller);
      await left;
      expect(JSON.parse(await run('outfits', SHORT, 'b'))).toHaveProperty('outfits');
    }
    expect(starts).toBe(before);
  });

  test('ends a long computation soon, and one that waits at once', async () => {
    const { run, metric } = openPool({ abandonedMillis: 100 });
    const load = () =>
      Promise.all(['running', 'waiting', 'threads'].map((name) => metric(`selvage_look_${name}`)));
    await run('outfits', SHORT);
    const before = starts;
    const controller = new AbortController();
    const left = [0, 1].map(() => canceled(run('day', LONG, 'a', controller.signal)));
    expect(await load()).toEqual([1, 1, 1]);
    leave(controller);
    await Promise.all(left);
    expect(await load()).toEqual([1, 0, 1]); // its response is not waited for, its thread is
    // The thread ends in the middle of its computation, and nothing starts for the other.
    await expect.poll(load).toEqual([0, 0, 0]);
    expect(starts).toBe(before);
    expect(await metric('selvage_look_requests_total', 'canceled')).toBe(2);
    expect(JSON.parse(await run('outfits', SHORT))).toHaveProperty('outfits');
  });
});

test('a request that exceeds the deadline ends with 503, and frees its thread', async () => {
  const { run, metric } = openPool({ deadlineMillis: 100 });
  const problem = expect.objectContaining({
    type: 'upstream-unavailable',
    headers: { 'retry-after': '2' },
  });
  await expect(run('day', LONG)).rejects.toEqual(problem);
  await expect.poll(() => metric('selvage_look_running')).toBe(0);
});

test('a full queue rejects the client that fills it, not another', async () => {
  const { run, metric } = openPool({ abandonedMillis: 100 });
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
