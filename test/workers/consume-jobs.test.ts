import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { Problem } from '../../src/platform/problem.ts';
import { blockingConnection, commandConnection, untilReady } from '../../src/platform/redis.ts';
import { enqueueJob, openQueue, retryFailed } from '../../src/queue/queue.ts';
import { StorageError } from '../../src/storage/blobs.ts';
import type { JobFact } from '../../workers/attempt.ts';
import { takeJobs } from '../../workers/take-jobs.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const log = createLog('test', 'silent');
let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = commandConnection(server.url, log);
  await untilReady(redis, AbortSignal.timeout(5000));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test.each([
  ['an accident is tried four times', new Error('the line broke'), 4, 'failed'],
  ['a refusal is not tried again', new Problem('invalid-request', 'no'), 1, 'refused'],
] as const)('%s before the job is given up', async (_, fault, attempts, outcome) => {
  const queue = openQueue('async', redis, log);
  const facts: JobFact[] = [];
  const connection = blockingConnection(server.url, log);
  const id = `job_${outcome}`;
  let taker: ReturnType<typeof takeJobs> | undefined;
  const givenUp = new Promise<string>((resolve) => {
    const fail = () => Promise.reject(fault);
    const done = (fact: JobFact) => void facts.push(fact);
    const parts = { connection, concurrency: 1, log, done, givenUp: resolve };
    taker = takeJobs('async', { 'run-job': fail }, parts);
  });
  await enqueueJob(queue, { id, requestId: 'r' });
  expect(await givenUp).toBe(id);
  expect(facts.map((fact) => fact.outcome)).toEqual(Array(attempts).fill(outcome));
  // Where its end could not be written, the sweep finds it under way, and failed in its queue.
  await retryFailed(await enqueueJob(queue, { id, requestId: 'r' }));
  await expect.poll(() => facts.length).toBe(attempts + 1);
  await taker?.close();
  await queue.close();
  connection.disconnect();
});

const AWAY = [
  [
    'a store that is away',
    async () => {
      throw new StorageError('get', new Error('connection refused'));
    },
  ],
  [
    'a Redis without memory',
    async () => {
      await redis.config('SET', 'maxmemory', '1');
      // There is none either while the job is put off.
      setTimeout(() => redis.config('SET', 'maxmemory', '0'), 200);
      await redis.set('a', 'b');
    },
  ],
  [
    'a Redis that cannot be reached',
    async () => {
      const other = commandConnection(server.url, log);
      await other.get('a').finally(() => other.disconnect()); // before it is there
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

test.each(AWAY)('%s costs no try: the job waits for it', async (what, fail) => {
  const queue = openQueue('async', redis, log);
  const connection = blockingConnection(server.url, log);
  const facts: JobFact[] = [];
  const away = 5;
  const lastTries: boolean[] = [];
  let taker: ReturnType<typeof takeJobs> | undefined;
  const succeeded = new Promise<void>((resolve) => {
    const work = async (_data: unknown, _signal: AbortSignal, isLastTry: boolean) => {
      lastTries.push(isLastTry);
      if (facts.length < away) await fail();
      return { millis: {} };
    };
    const done = (fact: JobFact) => {
      facts.push(fact);
      if (fact.outcome === 'succeeded') resolve();
    };
    taker = takeJobs('async', { 'run-job': work }, { connection, concurrency: 1, log, done });
  });
  await enqueueJob(queue, { id: `job of ${what}`, requestId: 'r' });
  // Put off for 0.5, 1, 2, 4 and 8 seconds; a test need not wait for all of them.
  const hurry = setInterval(() => void queue.promoteJobs().catch(() => {}), 50);
  await succeeded.finally(() => clearInterval(hurry));
  expect(facts.map(({ outcome }) => outcome)).toEqual([
    ...Array(away).fill('postponed'),
    'succeeded',
  ]);
  expect(lastTries).toEqual(Array(away + 1).fill(false));
  await taker?.close();
  await queue.close();
  connection.disconnect();
});
