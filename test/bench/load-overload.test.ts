import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closedLoop } from '../../bench/load/deeds.ts';
import { openLoop } from '../../bench/load/open-loop.ts';
import { arrivals } from '../../bench/load/schedule.ts';
import { openTarget, type Target } from '../../bench/load/target.ts';
import { createRandom } from '../faults/random.ts';
import { type Stack, startStack } from '../support/stack.ts';

const DEADLINE_SECONDS = 4;
/** What this process may add to the deadline where it is slow itself; unbounded waits would be up to 6 s here. */
const GRACE_MILLIS = 1000;

let stack: Stack;
let target: Target;
let key: string;
beforeAll(async () => {
  stack = await startStack({ SYNC_TIMEOUT_SECONDS: String(DEADLINE_SECONDS) });
  ({ key } = await stack.key());
  target = await openTarget(stack.url, [key, (await stack.key({ client: 'other' })).key]);
});
afterAll(async () => {
  await target.close();
  await stack.stop();
});

test('at twice what can be done every request is answered in time, or sent away with a time to come back', async () => {
  await closedLoop(target, 3, 0.5);
  const capacity = Math.max(1, await closedLoop(target, 3, 1.5));
  const times = arrivals(2 * capacity, 6, createRandom(1));
  const { answered } = await openLoop(times, target.send);
  const sent = await answered;
  const of = (status: number) => sent.filter((one) => one.status === status);
  expect(of(200).length).toBeGreaterThan(0);
  expect(of(503).length).toBeGreaterThan(0);
  expect(of(200).length + of(503).length).toBe(sent.length);
  for (const { retryAfter } of of(503)) expect(retryAfter).toMatch(/^[1-9]\d*$/);
  const slowest = Math.max(...of(200).map(({ latency, lag }) => latency - lag));
  expect(slowest).toBeLessThan(1000 * DEADLINE_SECONDS + GRACE_MILLIS);
  await expect.poll(async () => (await target.send(0)).status).toBe(200);
});

test('who is sent away need not have sent the picture', async () => {
  const burst = Array.from({ length: 250 }, (_, n) => target.send(n));
  const refused = burst.map(async (answer) => {
    if ((await answer).status !== 503) throw new Error('let in');
  });
  await Promise.any(refused); // from here on the door is shut until most of the work is done
  const asked = request(`${stack.url}/bg/v1/background-removals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 1_000_000,
    },
  });
  asked.on('error', () => {}); // it is broken off below
  asked.flushHeaders();
  const [response] = await once(asked, 'response');
  expect(response.statusCode).toBe(503);
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  asked.destroy();
  await Promise.all(burst);
});
