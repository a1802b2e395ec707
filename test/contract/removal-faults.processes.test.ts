import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { CLOSET } from '../look/closet.ts';
import { postImage, reportedQuota } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { inferenceChildren, proc, signalAll, whileFrozen } from '../support/inference.ts';
import { readJob } from '../support/intake.ts';
import { untilServed } from '../support/stack.ts';
import { useStack } from '../support/use-stack.ts';

const { stack, key, intake, postJson } = await useStack({ SYNC_TIMEOUT_SECONDS: '60' });
const shirt = await drawnShirt({ width: 300, height: 300, format: 'jpeg' });
await postImage(stack, shirt, { key });

/** Returns the values of a metric of the gateway, by its labels. */
async function metric(name: string): Promise<Record<string, number>> {
  const lines = (await (await fetch(`${stack.url}/metrics`)).text()).split('\n');
  const values = lines.flatMap((line) => {
    const [, labels, value] = new RegExp(`^${name}(\\S*) (\\S+)$`).exec(line) ?? [];
    return value === undefined ? [] : [[labels, Number(value)]];
  });
  return Object.fromEntries(values);
}

/** Returns the jobs waiting or active. A request for readiness makes the gateway count again. */
async function depth(): Promise<number> {
  await (await fetch(`${stack.url}/readyz`)).body?.cancel();
  return Number((await metric('selvage_sync_queue_depth'))['']);
}

describe('the client does not notice', () => {
  test('an inference child that is killed while idle', async () => {
    signalAll(inferenceChildren(stack), 'SIGKILL');
    expect((await postImage(stack, shirt, { key })).status).toBe(200);
  });

  test('an inference child that is killed while processing', async () => {
    const response = await whileFrozen(stack, async () => {
      const answer = postImage(stack, shirt, { key });
      await expect.poll(depth).toBe(1);
      signalAll(inferenceChildren(stack), 'SIGKILL');
      return answer;
    });
    expect(response.status, await response.clone().text()).toBe(200);
  });

  test('a worker that is killed while processing, if another is alive', async () => {
    const lost = stack.worker;
    const response = await whileFrozen(stack, async () => {
      const answer = postImage(stack, shirt, { key });
      await expect.poll(depth).toBe(1);
      const orphans = inferenceChildren(stack);
      await stack.startWorker();
      await lost.end('SIGKILL');
      signalAll(orphans, 'SIGKILL');
      return answer;
    });
    expect(response.status).toBe(200);
  });
});

/** Resident memory, MiB; 0 for a process that has ended. */
const residentMebibytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(proc(`${pid}/status`))?.[1] ?? 0) / 1024;

/** Ends, up to so often, the child that has decoded a large image, until `done`. Returns how often. */
async function endChildren<T>(done: Promise<T>, signal: NodeJS.Signals, times = Infinity) {
  let isDone = false;
  const result = done.finally(() => {
    isDone = true;
  });
  const ended = new Set<number>();
  while (!isDone) {
    for (const pid of inferenceChildren(stack)) {
      const isWorking = residentMebibytes(pid) > idleMebibytes + 25;
      if (!isWorking || ended.has(pid) || ended.size >= times) continue;
      signalAll([pid], signal);
      ended.add(pid);
    }
    await delay(10);
  }
  return { result: await result, ended: ended.size };
}

/** A child with 25 MiB more than an idle one has decoded the image. */
const idleMebibytes = Math.max(...inferenceChildren(stack).map(residentMebibytes));

const largeImage = (width: number) => drawnShirt({ width, height: 3000, format: 'jpeg' });

test('kills for want of memory are not the fault of an image that a client waits for', async () => {
  const large = await largeImage(3000);
  const { result, ended } = await endChildren(postImage(stack, large, { key }), 'SIGKILL');
  // The three attempts of a waiting request. It may be sent again.
  expect(ended).toBe(3);
  expect(result.status).toBe(503);
  expect(Number(result.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await postImage(stack, large, { key })).status).toBe(200);
});

test('a job outlasts kills for want of memory', async () => {
  const { id } = await readJob(await intake.post(await largeImage(3001)));
  // Without being postponed it would have had four attempts.
  const { ended } = await endChildren(intake.until(id, 'succeeded'), 'SIGKILL', 5);
  expect(ended).toBe(5);
});

test('an image that crashes the child twice is rejected with 502, and then without another attempt', async () => {
  const large = await largeImage(3002);
  const { result: response } = await endChildren(postImage(stack, large, { key }), 'SIGSEGV');
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ type: 'upstream-failed' });
  const attempts = () => stack.worker.output().match(/"outcome":"failed"/g)?.length;
  const before = attempts();
  expect((await postImage(stack, large, { key })).status).toBe(502);
  expect(attempts()).toBe(before);
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
});

const weather = { tempC: 8, windMs: 5, humidityPct: 80, condition: 'rain' };

async function statusOf(path: string, body: object): Promise<number> {
  const response = await postJson(path, body);
  await response.body?.cancel();
  return response.status;
}

test('without a worker requests are rejected at once, and served again when one is back', async () => {
  await stack.worker.end();
  await expect.poll(async () => (await fetch(`${stack.url}/readyz`)).status).toBe(503);
  expect(await (await fetch(`${stack.url}/readyz`)).json()).toMatchObject({
    ready: false,
    checks: { redis: 'ok', store: 'ok', worker: 'failed' },
    detail: 'Not ready: no worker is alive',
  });
  const response = await postImage(stack, shirt, { key });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  // What needs no worker is answered.
  expect(await statusOf('/taxonomy/v1/taxonomy', { attributes: { title: 'Wool coat' } })).toBe(200);
  expect(await statusOf('/look/v1/outfits', { weather, met: 2, items: CLOSET })).toBe(200);
  await stack.startWorker();
  await untilServed(stack.url);
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
});

test('while Redis is unavailable requests are rejected, and served again when it is back', async () => {
  await stack.redis.end('SIGKILL');
  const response = await postImage(stack, shirt, { key });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ type: 'upstream-unavailable' });
  expect((await fetch(`${stack.url}/livez`)).status).toBe(200);
  expect((await fetch(`${stack.url}/readyz`)).status).toBe(503);
  await stack.redis.start();
  await untilServed(stack.url);
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
});

test('a full Redis makes the gateway unready, and requests say so', async () => {
  const redis = new Redis(stack.redis.url);
  await redis.config('SET', 'maxmemory', '1');
  const response = await postImage(stack, shirt, { key });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await response.json()).toMatchObject({
    type: 'upstream-unavailable',
    detail: expect.stringContaining('make room in Redis'),
  });
  const readiness = await fetch(`${stack.url}/readyz`);
  expect(readiness.status).toBe(503);
  expect(await readiness.json()).toMatchObject({
    checks: { redis: 'failed', store: 'ok' },
    detail: 'Not ready: Redis takes no writes: it is full',
  });
  await redis.config('SET', 'maxmemory', '0');
  redis.disconnect();
  await untilServed(stack.url);
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
});

test('a worker that stops for longer than its lock: another answers, and it counts once', async () => {
  const stopped = stack.worker;
  const ends = () => stopped.output().match(/"outcome":/g)?.length ?? 0;
  const earlier = ends();
  const before = reportedQuota(await postImage(stack, shirt, { key }));
  await expect.poll(ends).toBeGreaterThan(earlier); // the log is read later than the answer
  const endsBefore = ends();
  await whileFrozen(stack, async () => {
    const answer = postImage(stack, shirt, { key });
    // It is the only worker, so it takes the job; the second one can only take it over.
    await expect.poll(depth).toBe(1);
    await stack.startWorker();
    process.kill(stopped.pid, 'SIGSTOP');
    try {
      // Its lock of 2 s expires, and the second worker answers while it still stands.
      expect((await answer).status).toBe(200);
      expect(stack.worker.output()).toContain('job taken over from a lost worker');
      expect(ends()).toBe(endsBefore);
    } finally {
      process.kill(stopped.pid, 'SIGCONT');
    }
  });
  // It goes on and comes to an end of its own, which counts for nothing.
  await expect.poll(ends).toBe(endsBefore + 1);
  expect(reportedQuota(await postImage(stack, shirt, { key }))).toBe(before - 2);
  await stopped.end();
});

test('a gateway that is stopped finishes its requests and then ends cleanly', async () => {
  const old = stack.gateway;
  const oldUrl = stack.url;
  const answer = await whileFrozen(stack, async () => {
    const underWay = postImage(stack, shirt, { key });
    await expect.poll(depth).toBe(1);
    old.child.kill('SIGTERM');
    await old.line((line) => line.includes('gateway drains'));
    return { response: underWay };
  });
  const response = await answer.response;
  expect(response.status).toBe(200);
  const decoded = sharp(await response.arrayBuffer()).raw();
  expect((await decoded.toBuffer()).length).toBe(300 * 300 * 4);
  expect(await old.end()).toBe(0);
  await expect(fetch(`${oldUrl}/livez`)).rejects.toThrow();
});

test('after the deadline the response is 503 with Retry-After, and the quota is refunded', async () => {
  await stack.gateway.end();
  await stack.startGateway({ SYNC_TIMEOUT_SECONDS: '2' });
  const before = await intake.quotaLeft();
  const response = await whileFrozen(stack, () => postImage(stack, shirt, { key }));
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await response.json()).toMatchObject({ type: 'upstream-unavailable' });
  await expect.poll(intake.quotaLeft).toBe(before);
});

test('an asynchronous picture of 50 megapixels does not price the small ones', async () => {
  // Less than it takes: predicted by its time, every request would miss the deadline.
  const deadlineSeconds = 1.5;
  await stack.gateway.end();
  await stack.startGateway({ SYNC_TIMEOUT_SECONDS: String(deadlineSeconds) });
  const huge = await drawnShirt({ width: 7071, height: 7071, format: 'jpeg' });
  const small = await drawnShirt({ width: 64, height: 64, format: 'jpeg' });
  await intake.done(huge, { options: '{"quality":"high"}' });
  // By the heartbeat after it.
  const imageSeconds = () => metric('selvage_predicted_image_seconds');
  const hasLearned = async () =>
    Object.values(await imageSeconds()).some((seconds) => seconds > deadlineSeconds);
  await expect.poll(hasLearned).toBe(true);

  // A busy machine may need longer than the deadline; nothing may be rejected at once.
  await expect.poll(async () => (await postImage(stack, small, { key })).status).toBe(200);
  expect(await metric('selvage_sync_rejections_total')).toEqual({});
  expect(await metric('selvage_predicted_queue_seconds')).toEqual({ '': 0 });
});
