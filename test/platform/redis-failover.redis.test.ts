import { Queue, QueueEvents, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import {
  blockingConnection,
  commandConnection,
  PREFIX,
  untilReady,
} from '../../src/platform/redis.ts';
import { type Gate, startGate } from '../faults/gate.ts';
import { promote } from '../support/promote.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const log = createLog('test', 'silent');
let primary: RedisServer;
let replica: RedisServer;
let gate: Gate;
let url: string;
let commands: Redis;
let blocking: Redis;

/** What the tests open, closed in reverse order. */
const opened: (() => unknown)[] = [];
const connect = (open: typeof commandConnection): Redis => {
  const redis = open(url, log);
  opened.push(() => redis.disconnect());
  return redis;
};

beforeAll(async () => {
  primary = await startRedis();
  replica = await startRedis('--replicaof', '127.0.0.1', String(primary.port));
  gate = await startGate(primary.port);
  url = `redis://127.0.0.1:${gate.port}`;
  commands = connect(commandConnection);
  blocking = connect(blockingConnection);
  await untilReady(commands, AbortSignal.timeout(10_000));
});
afterAll(async () => {
  for (const close of opened.reverse()) await close();
  await gate.close();
  await Promise.all([primary.stop(), replica.stop()]);
});

/** Promotes the other one of the two; the address leads there, and open connections stay. */
async function failOver(): Promise<void> {
  await promote(replica, primary);
  gate.lead(replica.port);
  [primary, replica] = [replica, primary];
}

test('every connection moves to a promoted replica, three times', async () => {
  const messages: string[] = [];
  const subscriber = connect(blockingConnection);
  subscriber.on('message', (_channel, message) => messages.push(message));
  await subscriber.subscribe(`${PREFIX}:news`);
  const queue = new Queue('failover', { connection: commands, prefix: PREFIX });
  const events = new QueueEvents('failover', { connection: blocking, prefix: PREFIX });
  const ended: (string | undefined)[] = [];
  events.on('completed', ({ jobId }) => ended.push(jobId));
  const worker = new Worker('failover', async () => 1, {
    connection: connect(blockingConnection),
    prefix: PREFIX,
    runRetryDelay: 200,
  });
  queue.on('error', () => {});
  events.on('error', () => {});
  worker.on('error', () => {});
  for (const consumer of [queue, events, worker]) opened.push(() => consumer.close());
  await events.waitUntilReady();
  for (const round of ['one', 'two', 'three']) {
    await failOver();
    const add = () => queue.add('job', {}, { jobId: round }).then(() => true);
    await expect.poll(() => add().catch(() => false)).toBe(true);
    await expect.poll(() => ended).toContain(round);
    // Only who has moved receives it: the demoted one is cut off.
    await replica.command('replicaof', '127.0.0.1', '1');
    await expect
      .poll(async () => {
        await commands.publish(`${PREFIX}:news`, round).catch(() => {});
        return messages;
      })
      .toContain(round);
    await replica.command('replicaof', '127.0.0.1', String(primary.port));
  }
});

test.each([
  ['a script', (redis: Redis) => redis.eval("return redis.call('SET', KEYS[1], 1)", 1, 'a')],
  ['a transaction', (redis: Redis) => redis.multi().set('a', 1).exec()],
  ['a pipeline', (redis: Redis) => redis.pipeline().set('a', 1).exec()],
])('%s that a demoted Redis rejects leads to a new connection', async (_name, write) => {
  const redis = connect(commandConnection);
  await untilReady(redis, AbortSignal.timeout(10_000));
  await failOver();
  const run = async () => {
    const replies = await write(redis).catch((error) => error);
    return [replies].flat(2).some((reply) => reply instanceof Error);
  };
  await expect.poll(run).toBe(false);
});
