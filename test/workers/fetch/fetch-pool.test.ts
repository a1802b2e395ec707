import { expect, test } from 'vitest';
import { FetchPool, PoolBusy, type PoolLimits } from '../../../workers/fetch/fetch-pool.ts';

const UNLIMITED: PoolLimits = {
  total: Number.POSITIVE_INFINITY,
  perClient: Number.POSITIVE_INFINITY,
  perClientAndHost: Number.POSITIVE_INFINITY,
  perHost: Number.POSITIVE_INFINITY,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitMillis: Number.POSITIVE_INFINITY,
};

/** Acquires permits and records the order of the grants. `A1@shop` is a request of client A at the host shop. */
function createRecorder(limits: Partial<PoolLimits>) {
  const pool = new FetchPool({ ...UNLIMITED, ...limits });
  const acquired: string[] = [];
  const acquire = async (name: string, signal?: AbortSignal) => {
    const [request = '', host = 'shop'] = name.split('@');
    const release = await pool.acquire({ client: request[0] ?? '', host }, signal);
    acquired.push(name);
    return release;
  };
  return { pool, acquire, acquired };
}

/** Lets every grant so far be recorded. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a client gets no more than its share, nor more than are free', async () => {
  const { acquire, acquired, pool } = createRecorder({ total: 8, perClient: 3 });
  const releaseFirst = await acquire('A1');
  for (const name of ['A2', 'A3', 'A4', 'B1', 'B2', 'B3', 'C1', 'C2', 'D1', 'E1'])
    void acquire(name);
  await settled();
  expect(acquired).toEqual(['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'D1']);
  releaseFirst();
  await settled();
  expect(acquired.slice(8)).toEqual(['E1']);
  expect([pool.active(), pool.waiting()]).toEqual([8, 2]);
});

test('clients that wait get permits in turn, whatever the number of their requests', async () => {
  const { acquire, acquired } = createRecorder({ perHost: 1 });
  const first = await acquire('A0');
  const rest = ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'C1'].map(async (name) =>
    (await acquire(name))(),
  );
  first();
  await Promise.all(rest);
  expect(acquired).toEqual(['A0', 'A1', 'B1', 'C1', 'A2', 'B2', 'A3', 'A4']);
});

test('each host has its own limit, and a busy host stops no request to another', async () => {
  const { acquire, acquired } = createRecorder({ perClientAndHost: 2, perHost: 3 });
  for (const name of ['A1', 'A2', 'A3', 'A4', 'A5@other', 'B1', 'B2', 'B3@other'])
    void acquire(name);
  await settled();
  expect(acquired).toEqual(['A1', 'A2', 'A5@other', 'B1', 'B3@other']);
});

test('a freed permit goes to the first request whose host has room', async () => {
  const { acquire, acquired } = createRecorder({ perClient: 2, perClientAndHost: 1 });
  await acquire('A1');
  const release = await acquire('A2@other');
  void acquire('A3');
  void acquire('A4@third');
  release();
  await settled();
  expect(acquired).toEqual(['A1', 'A2@other', 'A4@third']);
});

test('a client may have a quarter of the waiting requests', async () => {
  const { acquire, pool } = createRecorder({ perClient: 1, maxWaiting: 8 });
  await acquire('A0');
  void acquire('A1');
  void acquire('A2');
  await expect(acquire('A3')).rejects.toThrow(PoolBusy);
  await acquire('B0');
  void acquire('B1');
  expect(pool.waiting()).toBe(3);
});

test('a request that waits too long gives up its place', async () => {
  const { acquire, acquired, pool } = createRecorder({ perClient: 1, maxWaitMillis: 20 });
  const release = await acquire('A0');
  await expect(acquire('A1')).rejects.toThrow(PoolBusy);
  expect(pool.waiting()).toBe(0);
  release();
  await acquire('A2');
  expect(acquired).toEqual(['A0', 'A2']);
});

test('releasing twice frees one permit', async () => {
  const { acquire, acquired } = createRecorder({ perHost: 1 });
  const release = await acquire('A');
  const second = acquire('B');
  void acquire('C');
  release();
  release();
  await second;
  await settled();
  expect(acquired).toEqual(['A', 'B']);
});

test('a request whose signal has already aborted takes no permit', async () => {
  const { acquire, acquired } = createRecorder({ perHost: 1 });
  await expect(acquire('A', AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  await acquire('B');
  expect(acquired).toEqual(['B']);
});

test('a client whose last request leaves as another comes keeps its limit and its place', async () => {
  const { acquire, acquired, pool } = createRecorder({ perClient: 1 });
  const releaseFirst = await acquire('A1');
  const abort = new AbortController();
  const aborted = acquire('A2', abort.signal);
  abort.abort(new Error('no longer needed'));
  releaseFirst();
  const third = acquire('A3'); // before the aborted request has gone
  void acquire('A4');
  await expect(aborted).rejects.toThrow('no longer needed');
  await settled();
  void acquire('A5');
  await settled();
  expect(acquired).toEqual(['A1', 'A3']);
  (await third)();
  await settled();
  expect(acquired).toEqual(['A1', 'A3', 'A4']);
  expect([pool.active(), pool.waiting()]).toEqual([1, 1]);
});
