import type { Queue } from 'bullmq';
import { afterEach, expect, test, vi } from 'vitest';
import { followClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import type { QueueName } from '../../src/queue/catalog.ts';
import { openQueue } from '../../src/queue/queue.ts';
import {
  type ConsumerDeps,
  consumeJobs,
  type JobConsumer,
  type JobReport,
} from '../../workers/consume-jobs.ts';
import { useRedis } from '../support/use-redis.ts';

const HOUR_MILLIS = 3_600_000;
/** What a busy machine may take between two readings of a clock. */
const TOLERANCE_MILLIS = 500;
const log = createLog('test', 'silent');
const { server, redis } = await useRedis();
afterEach(() => void vi.useRealTimers());

/** Moves this host's clock, which runs on from there. */
function setClock(byMillis: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMillis, shouldAdvanceTime: true });
}

const redisMillis = async () => {
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
  return seconds * 1000 + micros / 1000;
};

test.each([HOUR_MILLIS, -HOUR_MILLIS])(
  "the clock is Redis's on a host that is %d ms off, and after the host's clock jumps",
  async (byMillis) => {
    setClock(byMillis);
    const now = await followClock(redis, log);
    expect(Math.abs(now() - (await redisMillis()))).toBeLessThan(TOLERANCE_MILLIS);
    setClock(byMillis);
    expect(Math.abs(now() - (await redisMillis()))).toBeLessThan(TOLERANCE_MILLIS);
  },
);

/** Runs one job on a worker whose clock is off. Resolves to the outcomes of its attempts, once one succeeds. */
async function runOnSkewedWorker(
  byMillis: number,
  queueName: QueueName,
  add: (queue: Queue, now: () => number) => Promise<unknown>,
  consume: (deps: ConsumerDeps) => JobConsumer,
): Promise<JobReport['outcome'][]> {
  const queue = openQueue(queueName, redis, log);
  const connection = blockingConnection(server.url, log);
  const now = await followClock(redis, log);
  await add(queue, now);
  setClock(byMillis);
  const outcomes: JobReport['outcome'][] = [];
  const report = ({ outcome }: JobReport) => void outcomes.push(outcome);
  const consumer = consume({ connection, concurrency: 1, log, report, now });
  await expect.poll(() => outcomes.at(-1)).toBe('succeeded');
  await consumer.close();
  await queue.close();
  connection.disconnect();
  return outcomes;
}

const never = () => Promise.reject(new Error('not expected'));
const VIEW = {
  width: 1,
  height: 1,
  model: 'm',
  probabilities: [],
  colors: [],
  hasAlpha: false,
  millis: {},
};

test.each([HOUR_MILLIS, -HOUR_MILLIS])(
  'a worker that is %d ms off runs synchronous jobs before their deadline',
  async (byMillis) => {
    const add = (queue: Queue, now: () => number) =>
      queue.add('classify-garment', {
        inputKey: 'in',
        sha256: 'of in',
        deadlineAtMillis: now() + 20_000,
        requestId: 'r',
      });
    const processors = {
      'classify-garment': async () => VIEW,
      'remove-background': never,
      'refine-cut-out': never,
      'fetch-image': never,
      'separate-garments': never,
    };
    const outcomes = await runOnSkewedWorker(byMillis, 'sync', add, (deps) =>
      consumeJobs('sync', processors, deps),
    );
    expect(outcomes).toEqual(['succeeded']);
  },
);

test('a retry does not wait for the clock of another host to catch up', async () => {
  let attempts = 0;
  const work = async () => {
    attempts++;
    if (attempts === 1) throw new Error('connection lost');
    return { millis: {} };
  };
  // Scheduled by a clock an hour ahead, this is longer than the test waits by any other clock.
  const backoff = { type: 'exponential', delay: HOUR_MILLIS };
  const add = (queue: Queue) =>
    queue.add('run-job', { id: 'job_1', requestId: 'r' }, { attempts: 3, backoff });
  const outcomes = await runOnSkewedWorker(HOUR_MILLIS, 'async', add, (deps) =>
    consumeJobs('async', { 'run-job': work }, deps),
  );
  expect(outcomes).toEqual(['failed', 'succeeded']);
});
