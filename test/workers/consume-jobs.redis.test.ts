import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { Problem } from '../../src/platform/problem.ts';
import { blockingConnection, commandConnection, PREFIX } from '../../src/platform/redis.ts';
import { enqueueJob, openQueue, requeueJob } from '../../src/queue/queue.ts';
import { StorageError } from '../../src/storage/blobs.ts';
import { type AttemptContext, consumeJobs, type JobReport } from '../../workers/consume-jobs.ts';
import { PoolBusy } from '../../workers/fetch/fetch-pool.ts';
import { EngineCrash } from '../../workers/inference/inference-process.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const { server, redis } = await useRedis();

type Consumed = Parameters<typeof consumeJobs>[2];
type Work = (
  data: { id: string },
  signal: AbortSignal,
  attempt: AttemptContext,
) => Promise<unknown>;

/** A consumer of the queue `async` for one test, what it reports, and how to give it a job. */
function consume(work: Work, more: Partial<Consumed> = {}) {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const reports: JobReport[] = [];
  const report = (attempt: JobReport) => void reports.push(attempt);
  const deps = { connection, concurrency: 1, log, report, now: hostClock, ...more };
  const consumer = consumeJobs('async', { 'run-job': work as never }, deps);
  onTestFinished(async () => {
    await consumer.close();
    await queue.obliterate({ force: true });
    await queue.close();
    connection.disconnect();
  });
  const outcomes = () => reports.map(({ outcome }) => outcome);
  return { queue, reports, outcomes, add: (id: string) => enqueueJob(queue, jobOf(id)) };
}

const jobOf = (id: string) => ({ id, requestId: 'r', client: 'shop' });

/** Shortens the delays of a queue, which are 0.5, 1, 2, 4 and 8 seconds. */
function promoteAlways(queue: ReturnType<typeof openQueue>): void {
  const promote = setInterval(() => void queue.promoteJobs().catch(() => {}), 50);
  onTestFinished(() => clearInterval(promote));
}

test.each([
  ['an unexpected error is tried four times', new Error('connection lost'), 4, 'failed'],
  ['a problem is not retried', new Problem('invalid-request', 'no'), 1, 'refused'],
] as const)('%s before the job fails for good', async (_, error, attempts, outcome) => {
  const failed: string[] = [];
  const onFailed = (id: string) => void failed.push(id);
  const { queue, outcomes, add } = consume(() => Promise.reject(error), { onFailed });
  const id = `job_${outcome}`;
  await add(id);
  await expect.poll(() => failed).toEqual([id]);
  expect(outcomes()).toEqual(Array(attempts).fill(outcome));
  // If its failure could not be recorded, the sweep finds it pending, and failed in its queue.
  await requeueJob(queue, jobOf(id));
  await expect.poll(() => outcomes().length).toBe(attempts + 1);
});

/** How many commands Redis has rejected for want of memory. */
const rejectedWrites = async (): Promise<number> =>
  Number(/^errorstat_OOM:count=(\d+)/m.exec(await redis.info('errorstats'))?.[1] ?? 0);

const AWAY = new StorageError('get', new Error('connection refused'));
const KILLED = new EngineCrash('The inference process died (SIGKILL)', { signal: 'SIGKILL' });
const OUTAGES = [
  ['unavailable storage', () => Promise.reject(AWAY)],
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
  ['a host short of memory', () => Promise.reject(KILLED)],
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
  const outages = 5;
  const lastTries: boolean[] = [];
  const { queue, outcomes, add } = consume(async (_data, _signal, { isLast }) => {
    lastTries.push(isLast);
    if (outcomes().length < outages) await fail();
    return { millis: {} };
  });
  await add(`job of ${what}`);
  promoteAlways(queue);
  await expect.poll(outcomes).toEqual([...Array(outages).fill('postponed'), 'succeeded']);
  expect(lastTries).toEqual(Array(outages + 1).fill(false));
});

test('a host whose clock is wrong costs no attempt in an outage either', async () => {
  const work = async () => {
    if (outcomes().length < 5) throw AWAY;
    return { millis: {} };
  };
  const { queue, outcomes, add } = consume(work, { now: () => hostClock() - 60_000 });
  await add('job of a wrong clock');
  promoteAlways(queue);
  await expect.poll(outcomes).toEqual([...Array(5).fill('postponed'), 'succeeded']);
});

test('a job that has outlived fifty workers is taken over once more', async () => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  await enqueueJob(queue, jobOf('job of many workers'));
  // A worker takes it and dies: it never renews its lock.
  const options = { prefix: PREFIX, lockDuration: 1, autorun: false, skipVersionCheck: true };
  const lost = new Worker('async', null, { connection, ...options });
  onTestFinished(async () => {
    await lost.close();
    await queue.close();
    connection.disconnect();
  });
  const job = await lost.getNextJob('lost');
  await redis.hset(queue.toKey(job!.id!), 'stc', 50);
  const ends: string[] = [];
  const work = async () => {
    ends.push('done again');
    return { millis: {} };
  };
  consume(work, { onFailed: () => void ends.push('failed') });
  await expect.poll(() => ends).toEqual(['done again']);
});

test('jobs that run outside the slots let the consumer take further ones', async () => {
  const started: string[] = [];
  const finished: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  /** Jobs named `waits` wait for the network, the others for nothing. */
  let maxActive = 0;
  const { add } = consume(async ({ id }, _signal, attempt) => {
    started.push(id);
    maxActive = Math.max(maxActive, started.length - finished.length);
    // By then the consumer waits for this job to end. A trip to Redis, so that it could take another.
    await redis.ping();
    if (id.startsWith('waits')) await attempt.withoutSlot(() => released);
    finished.push(id);
    return { millis: {} };
  });
  for (const id of ['waits 1', 'waits 2', 'waits 3', 'works 1', 'works 2']) await add(id);
  await expect.poll(() => finished).toEqual(['works 1', 'works 2']);
  release();
  await expect.poll(() => finished).toHaveLength(5);
  // Then one at a time again.
  const before = started.length;
  maxActive = 0;
  for (let i = 0; i < 4; i++) await add(`works later ${i}`);
  await expect.poll(() => finished.length).toBe(before + 4);
  expect(maxActive).toBe(1);
});

test('a job whose client has its share of fetches in use comes back, at no attempt', async () => {
  const numbers: number[] = [];
  const work: Work = async (_data, _signal, { number }) => {
    numbers.push(number);
    if (numbers.length <= 6) throw new PoolBusy();
    return { millis: {} };
  };
  // A host whose clock is wrong postpones jobs as well.
  const now = () => hostClock() + (numbers.length % 2) * 60_000;
  const { queue, outcomes, add } = consume(work, { now });
  await add('job of a busy client');
  promoteAlways(queue);
  await expect.poll(outcomes).toEqual([...Array(6).fill('postponed'), 'succeeded']);
  expect(numbers).toEqual(Array(7).fill(1));
});

test('waiting for a turn uses up nothing of what a job may wait in an outage', async () => {
  const delays: number[] = [];
  const busyTimes = 9;
  const { queue, reports, add } = consume(async () => {
    if (reports.length < busyTimes) throw new PoolBusy();
    throw AWAY;
  });
  const id = 'job that waits for two reasons';
  await add(id);
  while (delays.length <= busyTimes) {
    await expect.poll(() => queue.getJobState(id)).toBe('delayed');
    const job = await queue.getJob(id);
    delays.push(job?.delay ?? 0);
    await job?.promote().catch(() => {}); // its time has come
    await expect.poll(() => reports.length).toBeGreaterThan(delays.length);
  }
  // Half of them is jitter: 0.5, 1, 2 s and so on, up to a minute.
  expect(delays[busyTimes - 1]).toBeGreaterThan(28_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(61_000);
  // The first delay of an outage is half a second, not the longest.
  expect(delays[busyTimes]).toBeLessThan(5000);
});
