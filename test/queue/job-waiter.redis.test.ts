import { expect, test } from 'vitest';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { JobWaiter, openQueue } from '../../src/queue/queue.ts';
import { consumeJobs } from '../../workers/consume-jobs.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const { server, redis } = await useRedis();

const FETCHED = { bytes: 1, mediaType: 'image/png' as const, sha256: 'cd', millis: {} };
const DATA = { inputKey: 'in', sha256: 'ab', client: 'shop', weight: 1, requestId: 'r' };
const inTime = () => ({ ...DATA, deadlineAtMillis: hostClock() + 600_000 });
const UNCANCELED = {
  ready: Promise.resolve(),
  signal: new AbortController().signal,
  onCancel: () => {},
};

const openWaiter = () =>
  JobWaiter.open(openQueue('sync', redis, log), redis, blockingConnection(server.url, log), log);

/** Consumes jobs; returns how to stop. */
function consume(): () => Promise<void> {
  const never = () => Promise.reject(new Error('not of this test'));
  const connection = blockingConnection(server.url, log);
  const consumer = consumeJobs(
    'sync',
    {
      'fetch-image': async () => FETCHED,
      ...{ 'remove-background': never, 'refine-cut-out': never },
      ...{ 'classify-garment': never, 'separate-garments': never },
    },
    { connection, concurrency: 1, log, report: () => {}, now: hostClock },
  );
  return async () => {
    await consumer.close();
    connection.disconnect();
  };
}

test('a job that Redis has lost is added again while a request waits for it', async () => {
  const waiter = await openWaiter();
  const result = waiter.run('fetch-image', inTime(), UNCANCELED);
  await expect.poll(() => waiter.depth()).toBe(1);
  await redis.flushall(); // as a promoted replica that had not received it
  await expect.poll(() => waiter.depth()).toBe(1);
  const stop = consume();
  expect(await result).toEqual(FETCHED);
  await stop();
  await waiter.close();
});

test('the deadline of a request is its own, also where the worker notices it first', async () => {
  const waiter = await openWaiter();
  const data = { ...DATA, deadlineAtMillis: hostClock() - 1 };
  const deadline = new AbortController();
  let hadStarted: Promise<boolean> | undefined;
  const result = waiter
    .run('fetch-image', data, {
      ready: Promise.resolve(),
      signal: deadline.signal,
      onCancel: (started) => {
        hadStarted = started;
      },
    })
    .catch((error) => error);
  const stop = consume();
  // Events come in order: after that of a second job, that of the first has been seen.
  await waiter.run('fetch-image', inTime(), UNCANCELED);
  const late = new Error('late');
  deadline.abort(late);
  expect(await result).toBe(late);
  expect(await hadStarted).toBe(true);
  await stop();
  await waiter.close();
});
