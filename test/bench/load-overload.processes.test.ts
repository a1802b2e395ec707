import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { openLoop } from '../../bench/load/open-loop.ts';
import { arrivals } from '../../bench/load/schedule.ts';
import { openTarget } from '../../bench/load/target.ts';
import { closedLoop } from '../../bench/load/workloads.ts';
import { createRandom } from '../faults/random.ts';
import { useStack } from '../support/use-stack.ts';

const DEADLINE_SECONDS = 4;
/** Allowance for delays of this process itself; unbounded waits would be up to 6 s here. */
const GRACE_MILLIS = 1000;

const { stack, key } = await useStack({ SYNC_TIMEOUT_SECONDS: String(DEADLINE_SECONDS) });
const { key: other } = await stack.key({ client: 'other' });
const target = await openTarget(stack.url, [key, other]);
afterAll(() => target.close());

test('above the capacity every request is served in time or rejected with a Retry-After', async () => {
  await closedLoop(target, 3, 0.5);
  const capacity = Math.max(1, await closedLoop(target, 3, 1.5));
  // What was measured beside other tests may be half of what the workers can do a moment later.
  const times = arrivals(4 * capacity, 6, createRandom(1));
  const { responses } = await openLoop(times, target.send);
  const sent = await responses;
  const withStatus = (status: number) => sent.filter((one) => one.status === status);
  expect(withStatus(200).length).toBeGreaterThan(0);
  expect(withStatus(503).length).toBeGreaterThan(0);
  expect(withStatus(200).length + withStatus(503).length).toBe(sent.length);
  for (const { retryAfter } of withStatus(503)) expect(retryAfter).toMatch(/^[1-9]\d*$/);
  const slowest = Math.max(...withStatus(200).map(({ latency, lag }) => latency - lag));
  expect(slowest).toBeLessThan(1000 * DEADLINE_SECONDS + GRACE_MILLIS);
  await expect.poll(async () => (await target.send(0)).status).toBe(200);
});

test('a request can be rejected before its image is sent', async () => {
  const burst = Array.from({ length: 250 }, (_, n) => target.send(n));
  const rejections = burst.map(async (response) => {
    if ((await response).status !== 503) throw new Error('admitted');
  });
  await Promise.any(rejections); // load is shed from here until most of the work is done
  const upload = request(`${stack.url}/bg/v1/background-removals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 1_000_000,
    },
  });
  upload.on('error', () => {}); // it is aborted below
  upload.flushHeaders();
  const [response] = await once(upload, 'response');
  expect(response.statusCode).toBe(503);
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  upload.destroy();
  await Promise.all(burst);
});
