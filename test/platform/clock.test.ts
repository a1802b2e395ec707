import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { followClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection, commandConnection, untilReady } from '../../src/platform/redis.ts';
import type { QueueName } from '../../src/queue/catalog.ts';
import { openQueue } from '../../src/queue/queue.ts';
import type { JobFact } from '../../workers/attempt.ts';
import { type JobTaker, type TakerDeps, takeJobs } from '../../workers/take-jobs.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const HOUR_MILLIS = 3_600_000;
/** What a busy machine needs between two looks at a clock. */
const NEAR_MILLIS = 500;
const log = createLog('test', 'silent');
let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = commandConnection(server.url, log);
  await untilReady(redis, AbortSignal.timeout(5000));
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Sets the clock of this host, which goes on from there. */
function setClock(byMillis: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMillis, shouldAdvanceTime: true });
}

const redisMillis = async () => {
  const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
  return seconds * 1000 + micros / 1000;
};

test.each([HOUR_MILLIS, -HOUR_MILLIS])(
  'time is that of Redis where this host is %d ms off, and where it jumps',
  async (byMillis) => {
    setClock(byMillis);
    const now = await followClock(redis, log);
    expect(Math.abs(now() - (await redisMillis()))).toBeLessThan(NEAR_MILLIS);
    setClock(byMillis);
    expect(Math.abs(now() - (await redisMillis()))).toBeLessThan(NEAR_MILLIS);
  },
);

/** Has one job done by a worker whose clock is off; what came of each attempt, until one succeeded. */
async function outcomesOff(
  byMillis: number,
  queueName: QueueName,
  add: (queue: Queue, now: () => number) => Promise<unknown>,
  take: (deps: TakerDeps) => JobTaker,
): Promise<JobFact['outcome'][]> {
  const queue = openQueue(queueName, redis, log);
  const connection = blockingConnection(server.url, log);
  const now = await followClock(redis, log);
  await add(queue, now);
  setClock(byMillis);
  const outcomes: JobFact['outcome'][] = [];
  const done = ({ outcome }: JobFact) => void outcomes.push(outcome);
  const taker = take({ connection, concurrency: 1, log, done, now });
  await expect.poll(() => outcomes.at(-1)).toBe('succeeded');
  await taker.close();
  await queue.close();
  connection.disconnect();
  return outcomes;
}

const never = () => Promise.reject(new Error('not asked for'));
const VIEW = {
  ...{ width: 1, height: 1, model: 'm', probabilities: [], colors: [], hasAlpha: false },
  millis: {},
};

test.each([HOUR_MILLIS, -HOUR_MILLIS])(
  'work that somebody waits for is done by a worker that is %d ms off',
  async (byMillis) => {
    const add = (queue: Queue, now: () => number) =>
      queue.add('classify-garment', {
        ...{ inputKey: 'in', sha256: 'of in', deadlineAtMillis: now() + 20_000, requestId: 'r' },
      });
    const processors = { 'classify-garment': async () => VIEW, 'remove-background': never };
    const outcomes = await outcomesOff(byMillis, 'sync', add, (deps) =>
      takeJobs('sync', processors, deps),
    );
    expect(outcomes).toEqual(['succeeded']);
  },
);

test('an attempt after an accident does not wait for another clock', async () => {
  let tries = 0;
  const work = async () => {
    tries++;
    if (tries === 1) throw new Error('the line broke');
    return { millis: {} };
  };
  // By a clock an hour ahead this would be longer than the test waits, by whatever clock is next.
  const backoff = { type: 'exponential', delay: HOUR_MILLIS };
  const add = (queue: Queue) =>
    queue.add('run-job', { id: 'job_1', requestId: 'r' }, { attempts: 3, backoff });
  const outcomes = await outcomesOff(HOUR_MILLIS, 'async', add, (deps) =>
    takeJobs('async', { 'run-job': work }, deps),
  );
  expect(outcomes).toEqual(['failed', 'succeeded']);
});
