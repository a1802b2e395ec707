import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import sharp from 'sharp';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection, commandConnection, untilReady } from '../../src/platform/redis.ts';
import type { JobData } from '../../src/queue/catalog.ts';
import { onCanceled, openQueue } from '../../src/queue/queue.ts';
import { WorkerRegistry } from '../../src/queue/worker-registry.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { consumeJobs } from '../../workers/consume-jobs.ts';
import { formOf, postImage, reportedQuota } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { startStack, untilServed } from '../support/stack.ts';

const log = createLog('test', 'silent');
const SERVICE_MILLIS = 100;

let work: (data: JobData<'remove-background'>, signal: AbortSignal) => Promise<void>;
const started: string[] = [];

const stack = await startStack({ SYNC_TIMEOUT_SECONDS: '4' }, 'fs', false);
const image = await drawnShirt({ width: 64, height: 64, format: 'png' });
const redis = commandConnection(stack.redis.url, log);
await untilReady(redis, AbortSignal.timeout(10_000));
const queue = openQueue('sync', redis, log);
const close = await startScriptedWorker();
await untilServed(stack.url);
beforeEach(() => {
  started.length = 0;
});
afterAll(async () => {
  await close();
  await queue.close();
  redis.disconnect();
  await stack.stop();
});

async function startScriptedWorker(): Promise<() => Promise<void>> {
  const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
  const registry = new WorkerRegistry(redis);
  const device = { model: 'm@1', device: 'cpu' };
  const serviceTime = { fixedMillis: SERVICE_MILLIS, megapixelMillis: 0, megapixels: 1 };
  const beat = () => registry.heartbeat({ id: 'scripted', slots: 1, serviceTime, ...device });
  await beat();
  const beats = setInterval(() => void beat().catch(() => {}), 500);
  const connections = [0, 1].map(() => blockingConnection(stack.redis.url, log));
  const [connection, cancellations] = connections as [Redis, Redis];
  const removeBackground = async (data: JobData<'remove-background'>, signal: AbortSignal) => {
    started.push(data.client);
    await work(data, signal);
    await blobs.put(data.outputKey, image, { mediaType: 'image/png' });
    const size = { width: 64, height: 64 };
    const mediaType = 'image/png' as const;
    const result = { model: 'm@1', millis: {}, bytes: image.length, mediaType, confidence: 1 };
    return { ...size, whole: size, ...result };
  };
  const never = () => Promise.reject(new Error('not scripted'));
  const refine = async (data: JobData<'refine-cut-out'>, signal: AbortSignal) => {
    started.push(data.client);
    return untilAborted(signal);
  };
  const processors = {
    'remove-background': removeBackground,
    'classify-garment': never,
    'refine-cut-out': refine,
    'fetch-image': never,
    'separate-garments': never,
  };
  const deps = { connection, concurrency: 1, log, report: () => {}, now: hostClock };
  const consumer = consumeJobs('sync', processors, deps);
  await onCanceled(cancellations, consumer.cancel);
  return async () => {
    clearInterval(beats);
    await consumer.close();
    for (const each of connections) each.disconnect();
  };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

test('a client that floods does not keep one from being served that obeys Retry-After', async () => {
  work = () => sleep(SERVICE_MILLIS);
  const [flooding, obeying] = await Promise.all(
    ['flooding', 'obeying'].map((client) => stack.key({ client })),
  );
  let isOver = false;
  const statuses = new Map<number, number>();
  const send = async (): Promise<void> => {
    while (!isOver) {
      const { key } = flooding!;
      const response = await postImage(stack, image, { key });
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 503) await sleep(100); // ignores Retry-After
    }
  };
  const floods = Array.from({ length: 40 }, send);
  await expect.poll(() => statuses.get(503) ?? 0).toBeGreaterThan(100);

  const { key } = obeying!;
  let [served, rejected] = [0, 0];
  let left = 0;
  while (served < 10 && rejected < 10) {
    const response = await postImage(stack, image, { key });
    await response.arrayBuffer();
    if (response.status === 200) served++;
    else rejected++;
    left = reportedQuota(response);
    if (response.status !== 200) await sleep(1000 * Number(response.headers.get('retry-after')));
  }
  isOver = true;
  await Promise.all(floods);
  expect([served, rejected < 10]).toEqual([10, true]);
  expect(left).toBe(1_000_000 - 10); // nothing is charged for rejected requests
  expect(statuses.get(200)).toBeGreaterThan(0);
});

describe('a client that hangs up', () => {
  const settled = async () => {
    await expect
      .poll(() => queue.getJobCounts('active', 'prioritized'))
      .toEqual({
        active: 0,
        prioritized: 0,
      });
  };
  test('is charged for what a worker had started, and its jobs end', async () => {
    await settled();
    let canceled = 0;
    work = (_, signal) => untilAborted(signal).finally(() => canceled++);
    const { key } = await stack.key({ client: 'fleeting' });
    for (let n = 1; n <= 5; n++) {
      const hangUp = new AbortController();
      const answer = postImage(stack, image, { key, signal: hangUp.signal });
      await expect.poll(() => started.length).toBe(n);
      hangUp.abort();
      await expect(answer).rejects.toThrow(/abort/i);
      await expect.poll(() => canceled).toBe(n);
    }
    work = async () => {};
    expect(reportedQuota(await postImage(stack, image, { key }))).toBe(1_000_000 - 6);
  });

  test('is not charged for a job that waited', async () => {
    await settled();
    let finish: () => void = () => {};
    work = () => new Promise((resolve) => (finish = resolve));
    const first = postImage(stack, image, { key: (await stack.key({ client: 'first' })).key });
    await expect.poll(() => started).toEqual(['first']);
    const { key } = await stack.key({ client: 'patient' });
    const hangUp = new AbortController();
    const answer = postImage(stack, image, { key, signal: hangUp.signal });
    await expect.poll(() => queue.getPrioritizedCount()).toBe(1);
    hangUp.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    await expect.poll(() => queue.getPrioritizedCount()).toBe(0);
    work = async () => {};
    finish();
    expect((await first).status).toBe(200);
    expect(reportedQuota(await postImage(stack, image, { key }))).toBe(1_000_000 - 1);
    expect(started).toEqual(['first', 'patient']);
  });
});

test('heavy work that had begun is charged by its work, also when it is late', async () => {
  work = async () => {};
  const size = { width: 8660, height: 5773 };
  const flat = (channels: 1 | 3) =>
    sharp(Buffer.alloc(size.width * size.height * channels, 128), { raw: { ...size, channels } });
  const [photo, alpha] = await Promise.all([
    flat(3).jpeg({ quality: 50 }).toBuffer(),
    flat(1).toColourspace('b-w').png().toBuffer(),
  ]);
  const { key } = await stack.key({ client: 'heavy' });
  const points = [
    [0, 0],
    [8000, 5000],
  ];
  const refine = async (count: number): Promise<Response> => {
    const body = formOf(['image', photo, 'photo.jpg'], ['alpha', alpha, 'alpha.png']);
    const strokes = Array.from({ length: count }, () => ({ mode: 'add', radius: 2000, points }));
    body.set('strokes', JSON.stringify(strokes));
    const headers = { authorization: `Bearer ${key}` };
    const url = `${stack.url}/bg/v1/refinements`;
    return fetch(url, { method: 'POST', headers, body });
  };
  const late = await refine(7);
  expect(started).toEqual(['heavy']);
  expect([late.status, ((await late.json()) as { detail: string }).detail]).toEqual([
    503,
    expect.stringContaining('is charged'),
  ]);
  const left = async () => reportedQuota(await postImage(stack, image, { key }));
  expect(await left()).toBe(1_000_000 - 3 - 1);
});
