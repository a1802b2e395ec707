import { Worker } from 'bullmq';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { StartError } from '../../src/platform/start-error.ts';
import {
  checkLoop,
  checkTurns,
  PRIORITY_UNIT,
  queueKeys,
} from '../../src/queue/bullmq-internals.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { useRedis } from '../support/use-redis.ts';

const { redis } = await useRedis();
const queue = openQueue('async', redis, createLog('test', 'silent'));
afterAll(() => queue.close());

test('the release of BullMQ in use is known, and writes what is read', async () => {
  await checkTurns(queue, redis);
  const worker = new Worker('async', null, { connection: redis, autorun: false });
  expect(() => checkLoop(worker)).not.toThrow();
  await worker.close();
  await queue.add('run-job', { weight: 2 }, { jobId: 'one', priority: 5 });
  const { prioritized, jobPrefix } = queueKeys('async');
  expect(Math.floor(Number(await redis.zscore(prioritized, 'one')) / PRIORITY_UNIT)).toBe(5);
  expect(await redis.hget(`${jobPrefix}one`, 'data')).toBe('{"weight":2}');
});

test.each([
  ['the score', 'priority * 0x100000000', 'priority * 0x200000000'],
  ['where the data of a job are', '"data", data', '"payload", data'],
  ['where the priority of a job is', '"priority", priority', '"prio", priority'],
])('a release that has changed %s does not start', async (_, text, other) => {
  const known: Record<string, { lua: string }> = Reflect.get(redis, 'scriptsSet');
  const changed = Object.fromEntries(
    Object.entries(known).map(([name, { lua }]) => [name, { lua: lua.replaceAll(text, other) }]),
  );
  const connection = Object.create(redis, { scriptsSet: { value: changed } });
  await expect(checkTurns(queue, connection)).rejects.toThrow(StartError);
});

test('a release whose workers have no loop does not start', () => {
  expect(() => checkLoop({} as Worker)).toThrow(StartError);
});
