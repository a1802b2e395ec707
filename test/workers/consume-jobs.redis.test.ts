import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { Problem } from '../../src/platform/problem.ts';
import { blockingConnection, commandConnection, PREFIX } from '../../src/platform/redis.ts';
import { enqueueJob, openQueue, requeueJob } from '../../src/queue/queue.ts';
import { StorageError } from '../../src/storage/blobs.ts';
import type { AttemptContext, JobReport } from '../../workers/attempt.ts';
import { consumeJobs } from '../../workers/consume-jobs.ts';
import { PoolBusy } from '../../workers/fetch/fetch-pool.ts';
import { EngineCrash } from '../../workers/inference/inference-process.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const { server, redis } = await useRedis();

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((yes) => {
    resolve = yes;
  });
  return { promise, resolve };
}

test.each([
  ['an unexpected error is tried four times', new Error('connection lost'), 4, 'failed'],
  ['a problem is not retried', new Problem('invalid-request', 'no'), 1, 'refused'],
] as const)('%s before the job fails for good', async (_, error, attempts, outcome) => {
  const queue = openQueue('async', redis, log);
  const reports: JobReport[] = [];
  const connection = blockingConnection(server.url, log);
  const id = `job_${outcome}`;
  let consumer: ReturnType<typeof consumeJobs> | undefined;
  const failed = new Promise<string>((resolve) => {
    const fail = () => Promise.reject(error);
    const report = (attempt: JobReport) => void reports.push(attempt);
    const deps = { connection, concurrency: 1, log, report, now: hostClock, onFailed: resolve };
    consumer = consumeJobs('async', { 'run-job': fail }, deps);
  });
  await enqueueJob(queue, { id, requestId: 'r', client: 'shop' });
  expect(await failed).toBe(id);
  expect(reports.map((report) => report.outcome)).toEqual(Array(attempts).fill(outcome));
  // If its failure could not be recorded, the sweep finds it pending, and failed in its queue.
  await requeueJob(queue, { id, requestId: 'r', client: 'shop' });
  await expect.poll(() => reports.length).toBe(attempts + 1);
  await consumer?.close();
  await queue.close();
  connection.disconnect();
});

/** How many commands Redis has rejected for want of memory. */
const rejectedWrites = async (): Promise<number> =>
  Number(/^errorstat_OOM:count=(\d+)/m.exec(await redis.info('errorstats'))?.[1] ?? 0);

const OUTAGES = [
  [
    'unavailable storage',
    async () => {
      throw new StorageError('get', new Error('connection refused'));
    },
  ],
  [
    'a Redis without memory',
    async () => {
      await redis.config('SET', 'maxmemory', '1');
      const rejected = await rejectedWrites();
      // There is none either while the job is being postponed: this write is rejected, and at least one of those.
      void expect
        .poll(rejectedWrites, { interval: 10 })
        .toBeGreaterThan(rejected + 1)
        .finally(() => redis.config('SET', 'maxmemory', '0'));
      await redis.set('a', 'b');
    },
  ],
  [
    'a host short of memory',
    async () => {
      throw new EngineCrash('The inference process died (SIGKILL)', { signal: 'SIGKILL' });
    },
  ],
  [
    'a Redis that cannot be reached',
    async () => {
      const other = commandConnection(server.url, log);
      await other.get('a').finally(() => other.disconnect()); // before it is connected
    },
  ],
  [
    'a Redis that does not answer',
    async () => {
      const other = new Redis(server.url, { commandTimeout: 20 });
      await other.ping();
      await redis.call('CLIENT', 'PAUSE', 100, 'WRITE');
      await other.set('a', 'b').finally(() => other.disconnect());
    },
  ],
] as const;

test.each(OUTAGES)('%s costs no attempt: the job waits for it', async (what, fail) => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const reports: JobReport[] = [];
  const outages = 5;
  const lastTries: boolean[] = [];
  let consumer: ReturnType<typeof consumeJobs> | undefined;
  const succeeded = new Promise<void>((resolve) => {
    const work = async (_data: unknown, _signal: AbortSignal, { isLast }: AttemptContext) => {
      lastTries.push(isLast);
      if (reports.length < outages) await fail();
      return { millis: {} };
    };
    const report = (attempt: JobReport) => {
      reports.push(attempt);
      if (attempt.outcome === 'succeeded') resolve();
    };
    const deps = { connection, concurrency: 1, log, report, now: hostClock };
    consumer = consumeJobs('async', { 'run-job': work }, deps);
  });
  await enqueueJob(queue, { id: `job of ${what}`, requestId: 'r', client: 'shop' });
  // The delays are 0.5, 1, 2, 4 and 8 seconds; the test shortens them.
  const promote = setInterval(() => void queue.promoteJobs().catch(() => {}), 50);
  await succeeded.finally(() => clearInterval(promote));
  expect(reports.map(({ outcome }) => outcome)).toEqual([
    ...Array(outages).fill('postponed'),
    'succeeded',
  ]);
  expect(lastTries).toEqual(Array(outages + 1).fill(false));
  await consumer?.close();
  await queue.close();
  connection.disconnect();
});

test('a host whose clock is wrong costs no attempt in an outage either', async () => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const outcomes: string[] = [];
  const work = async () => {
    if (outcomes.length < 5) throw new StorageError('get', new Error('connection refused'));
    return { millis: {} };
  };
  const report = ({ outcome }: JobReport) => void outcomes.push(outcome);
  const now = () => hostClock() - 60_000;
  const deps = { connection, concurrency: 1, log, report, now };
  const consumer = consumeJobs('async', { 'run-job': work }, deps);
  await enqueueJob(queue, { id: 'job of a wrong clock', requestId: 'r', client: 'shop' });
  const promote = setInterval(() => void queue.promoteJobs().catch(() => {}), 50);
  await expect.poll(() => outcomes).toEqual([...Array(5).fill('postponed'), 'succeeded']);
  clearInterval(promote);
  await consumer.close();
  await queue.close();
  connection.disconnect();
});

test('a job that has outlived fifty workers is taken over once more', async () => {
  const queue = openQueue('async', redis, log);
  const connections = [1, 2].map(() => blockingConnection(server.url, log));
  const id = 'job of many workers';
  await enqueueJob(queue, { id, requestId: 'r', client: 'shop' });
  // A worker takes it and dies: it never renews its lock.
  const lost = new Worker('async', null, {
    connection: connections[0]!,
    prefix: PREFIX,
    lockDuration: 1,
    autorun: false,
    skipVersionCheck: true,
  });
  const job = await lost.getNextJob('lost');
  await redis.hset(queue.toKey(job!.id!), 'stc', 50);
  const { promise, resolve } = deferred<string>();
  const work = async () => {
    resolve('done again');
    return { millis: {} };
  };
  const consumer = consumeJobs(
    'async',
    { 'run-job': work },
    {
      connection: connections[1]!,
      concurrency: 1,
      log,
      report: () => {},
      now: hostClock,
      onFailed: () => resolve('failed'),
    },
  );
  expect(await promise).toBe('done again');
  await consumer.close();
  await lost.close();
  await queue.close();
  for (const connection of connections) connection.disconnect();
});

test('jobs that run outside the slots let the consumer take further ones', async () => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const started: string[] = [];
  const finished: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  /** Jobs named `waits` wait for the network, the others for nothing. */
  let maxActive = 0;
  const work = async ({ id }: { id: string }, _signal: AbortSignal, attempt: AttemptContext) => {
    started.push(id);
    maxActive = Math.max(maxActive, started.length - finished.length);
    // By then the consumer waits for this job to end. A trip to Redis, so that it could take another.
    await redis.ping();
    if (id.startsWith('waits')) await attempt.withoutSlot(() => released);
    finished.push(id);
    return { millis: {} };
  };
  const deps = { connection, concurrency: 1, log, report: () => {}, now: hostClock };
  const consumer = consumeJobs('async', { 'run-job': work }, deps);
  for (const id of ['waits 1', 'waits 2', 'waits 3', 'works 1', 'works 2']) {
    await enqueueJob(queue, { id, requestId: 'r', client: 'shop' });
  }
  await expect.poll(() => finished).toEqual(['works 1', 'works 2']);
  release();
  await expect.poll(() => finished).toHaveLength(5);
  // Then one at a time again.
  const before = started.length;
  maxActive = 0;
  for (let i = 0; i < 4; i++)
    await enqueueJob(queue, { id: `works later ${i}`, requestId: 'r', client: 'shop' });
  await expect.poll(() => finished.length).toBe(before + 4);
  expect(maxActive).toBe(1);
  await consumer.close();
  await queue.close();
  connection.disconnect();
});

test('a job whose client has its share of fetches in use comes back, at no attempt', async () => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const reports: JobReport[] = [];
  const numbers: number[] = [];
  const work = async (_data: unknown, _signal: AbortSignal, { number }: AttemptContext) => {
    numbers.push(number);
    if (numbers.length <= 6) throw new PoolBusy();
    return { millis: {} };
  };
  // A host whose clock is wrong postpones jobs as well.
  const now = () => hostClock() + (numbers.length % 2) * 60_000;
  const report = (attempt: JobReport) => void reports.push(attempt);
  const deps = { connection, concurrency: 1, log, report, now };
  const consumer = consumeJobs('async', { 'run-job': work }, deps);
  await enqueueJob(queue, { id: 'job of a busy client', requestId: 'r', client: 'shop' });
  const promote = setInterval(() => void queue.promoteJobs().catch(() => {}), 50);
  await expect.poll(() => reports.at(-1)?.outcome).toBe('succeeded');
  clearInterval(promote);
  expect(reports.map(({ outcome }) => outcome)).toEqual([
    ...Array(6).fill('postponed'),
    'succeeded',
  ]);
  expect(numbers).toEqual(Array(7).fill(1));
  await consumer.close();
  await queue.close();
  connection.disconnect();
});

test('waiting for a turn uses up nothing of what a job may wait in an outage', async () => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const reasons: string[] = [];
  const delays: number[] = [];
  const busyTimes = 9;
  const work = async () => {
    if (reasons.length < busyTimes) throw new PoolBusy();
    throw new StorageError('get', new Error('connection refused'));
  };
  const report = ({ reason = '' }: JobReport) => void reasons.push(reason);
  const deps = { connection, concurrency: 1, log, report, now: hostClock };
  const consumer = consumeJobs('async', { 'run-job': work }, deps);
  const id = 'job that waits for two reasons';
  await enqueueJob(queue, { id, requestId: 'r', client: 'shop' });
  while (delays.length <= busyTimes) {
    await expect.poll(() => queue.getJobState(id)).toBe('delayed');
    const job = await queue.getJob(id);
    delays.push(job?.delay ?? 0);
    await job?.promote().catch(() => {}); // its time has come
    await expect.poll(() => reasons.length).toBeGreaterThan(delays.length);
  }
  // Half of them is jitter: 0.5, 1, 2 s and so on, up to a minute.
  expect(delays[busyTimes - 1]).toBeGreaterThan(28_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(61_000);
  // The first delay of an outage is half a second, not the longest.
  expect(delays[busyTimes]).toBeLessThan(5000);
  await consumer.close();
  await queue.obliterate({ force: true });
  await queue.close();
  connection.disconnect();
});
