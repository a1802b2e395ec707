import { expect, test } from 'vitest';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { createJobWaiter } from '../../src/queue/job-waiter.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { consumeJobs } from '../../workers/consume-jobs.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const { server, redis } = await useRedis();

test('a job that Redis has lost is added again while a request waits for it', async () => {
  const waiter = await createJobWaiter(
    openQueue('sync', redis, log),
    redis,
    blockingConnection(server.url, log),
    log,
  );
  const data = {
    ...{ inputKey: 'in', sha256: 'ab', client: 'shop', weight: 1, requestId: 'r' },
    deadlineAtMillis: hostClock() + 600_000,
  };
  const waiting = { ready: Promise.resolve(), signal: new AbortController().signal };
  const result = waiter.run('fetch-image', data, { ...waiting, onCancel: () => {} });
  await expect.poll(() => waiter.depth()).toBe(1);
  await redis.flushall(); // as a promoted replica that had not received it
  await expect.poll(() => waiter.depth()).toBe(1);
  const fetched = { bytes: 1, mediaType: 'image/png' as const, sha256: 'cd', millis: {} };
  const never = () => Promise.reject(new Error('not of this test'));
  const connection = blockingConnection(server.url, log);
  const consumer = consumeJobs(
    'sync',
    {
      'fetch-image': async () => fetched,
      ...{ 'remove-background': never, 'refine-cut-out': never },
      ...{ 'classify-garment': never, 'separate-garments': never },
    },
    { connection, concurrency: 1, log, report: () => {}, now: hostClock },
  );
  expect(await result).toEqual(fetched);
  await consumer.close();
  await waiter.close();
  connection.disconnect();
});
