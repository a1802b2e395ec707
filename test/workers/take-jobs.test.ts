import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enqueueJob, openQueue } from '../../src/jobs/queue.ts';
import { blockingConnection, commandConnection, untilReady } from '../../src/jobs/redis.ts';
import { createLog } from '../../src/log.ts';
import { Problem } from '../../src/problem.ts';
import { type JobFact, takeJobs } from '../../workers/take-jobs.ts';
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
  ['an accident is tried four times', new Error('the store went away'), 4, 'failed'],
  ['a refusal is not tried again', new Problem('invalid-request', 'no'), 1, 'refused'],
] as const)('%s before the job is given up', async (_, fault, attempts, outcome) => {
  const queue = openQueue('async', redis, log);
  const facts: JobFact[] = [];
  const connection = blockingConnection(server.url, log);
  const id = `job_${outcome}`;
  let taker: ReturnType<typeof takeJobs> | undefined;
  const givenUp = new Promise<string>((resolve) => {
    const fail = () => Promise.reject(fault);
    const note = (fact: JobFact) => facts.push(fact);
    taker = takeJobs('async', { 'run-job': fail }, connection, 1, log, note, resolve);
  });
  await enqueueJob(queue, { id, requestId: 'r' });
  expect(await givenUp).toBe(id);
  expect(facts.map((fact) => fact.outcome)).toEqual(Array(attempts).fill(outcome));
  await taker?.close();
  await queue.close();
  connection.disconnect();
});
