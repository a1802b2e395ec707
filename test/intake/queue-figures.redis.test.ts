import { Worker } from 'bullmq';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { readQueueFigures, readRedisMemory } from '../../src/intake/queue-figures.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  watchBatches,
  watchDependencies,
  watchQueues,
  watchRedisMemory,
} from '../../src/platform/metrics/system-gauges.ts';
import { blockingConnection, PREFIX } from '../../src/platform/redis.ts';
import { openQueues } from '../../src/queue/queue.ts';
import { useRedis } from '../support/use-redis.ts';

const log = createLog('test', 'silent');
const HOUR_MILLIS = 3_600_000;

const { server, redis } = await useRedis();

test('the oldest job is the one that has waited longest for its first attempt', async () => {
  const queues = openQueues(redis, log);
  const queue = queues.webhook;
  const read = () => readQueueFigures(queues);
  const oldest = async () =>
    (await read()).find(({ queue: name }) => name === 'webhook')?.oldestMillis;
  expect(await oldest()).toBe(0);

  // Tried an hour ago and to be retried: it has not waited for an hour.
  const old = { timestamp: Date.now() - HOUR_MILLIS };
  await queue.add('tried', {}, { ...old, attempts: 3, jobId: 'tried' });
  const blocking = blockingConnection(server.url, log);
  const worker = new Worker('webhook', async () => Promise.reject(new Error('not now')), {
    connection: blocking,
    prefix: PREFIX,
    skipVersionCheck: true,
  });
  await new Promise((resolve) => worker.once('failed', resolve));
  await worker.close();
  blocking.disconnect();
  expect(await oldest()).toBe(0);

  // Added an hour ago and due a minute ago: it has waited for a minute.
  await queue.add('later', {}, { ...old, delay: HOUR_MILLIS - 60_000, jobId: 'later' });
  await (await queue.getJob('later'))?.promote();
  expect(await oldest()).toBeGreaterThanOrEqual(60_000);
  expect(await oldest()).toBeLessThan(70_000);

  await queue.add('waits', {}, { ...old, jobId: 'waits' });
  expect(await oldest()).toBeGreaterThanOrEqual(60_000);
  const [webhook] = (await read()).filter(({ queue: name }) => name === 'webhook');
  expect(webhook?.jobs).toEqual({ waiting: 3, active: 0, delayed: 0, failed: 0 });
  await Promise.all(Object.values(queues).map((each) => each.close()));
});

test('scrapes within a second share one sample, and a failed sample reports nothing', async () => {
  const registry = new Registry();
  let samples = 0;
  watchQueues(registry, async () => {
    samples++;
    return [{ queue: 'sync', jobs: { waiting: samples }, oldestMillis: 1500, waitingClients: 2 }];
  });
  watchDependencies(registry, { redis: async () => {} });
  watchBatches(registry, () => Promise.reject(new Error('Redis is unavailable')));
  watchRedisMemory(registry, () => Promise.reject(new Error('Redis is unavailable')));
  const pages = await Promise.all([registry.metrics(), registry.metrics(), registry.metrics()]);
  expect(samples).toBe(1);
  for (const page of pages) {
    expect(page).toContain('selvage_queue_jobs{queue="sync",state="waiting"} 1');
    expect(page).toContain('selvage_queue_oldest_seconds{queue="sync"} 1.5');
    expect(page).toContain('selvage_queue_clients{queue="sync"} 2');
    expect(page).not.toMatch(/^selvage_(redis_memory_used_bytes|batch)\w*[ {]/m);
  }
});

test('the memory of Redis is reported, and whether Redis is reachable', async () => {
  expect(await readRedisMemory(redis)).toMatchObject({ maxBytes: 0 });
  const scrape = () => {
    const registry = new Registry();
    watchDependencies(registry, { redis: async () => void (await redis.ping()) });
    return registry.metrics();
  };
  expect(await scrape()).toContain('selvage_dependency_up{dependency="redis"} 1');
  await server.end();
  expect(await scrape()).toContain('selvage_dependency_up{dependency="redis"} 0');
  await server.start();
});
