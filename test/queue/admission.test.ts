import { expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createAdmission, pressureOf } from '../../src/queue/admission.ts';
import type { WorkerInfo } from '../../src/queue/worker-registry.ts';

const worker = (slots: number, serviceMillis?: number): WorkerInfo => ({
  id: 'w',
  slots,
  model: 'm@1',
  device: 'cpu',
  ...(serviceMillis && { serviceMillis }),
});

test.each([
  {
    why: 'an idle worker takes its service time',
    workers: [worker(2, 400)],
    depth: 0,
    millis: 400,
  },
  { why: 'a free slot is as good as idle', workers: [worker(2, 400)], depth: 1, millis: 400 },
  {
    why: 'one job ahead in each slot doubles it',
    workers: [worker(2, 400)],
    depth: 3,
    millis: 800,
  },
  {
    why: 'slots of all workers share the queue',
    workers: [worker(2, 400), worker(2, 400)],
    depth: 7,
    millis: 800,
  },
  {
    why: 'slower workers weigh by their slots',
    workers: [worker(1, 100), worker(3, 500)],
    depth: 0,
    millis: 400,
  },
  {
    why: 'before its first image a worker is taken for a middling one',
    workers: [worker(1)],
    depth: 0,
    millis: 500,
  },
])('$why', ({ workers, depth, millis }) => {
  expect(pressureOf(workers, depth)?.waitMillis).toBeCloseTo(millis, 6);
});

/** An admission over one worker that does ten images a second, 10 s at most; `depth` is the queue's, as it is asked. */
async function opened(depth: () => number, workers = [worker(1, 100)]) {
  const queue = { depth: async () => depth() };
  const register = { live: async () => workers };
  const admission = createAdmission(queue, register, 10_000, createLog('test', 'silent'));
  await admission.sample();
  return admission;
}

const enterUntilRefused = (enter: () => void): number => {
  for (let entered = 0; ; entered++) {
    try {
      enter();
    } catch {
      return entered;
    }
  }
};

test('without a worker nobody comes in, and the wait never ends', async () => {
  const admission = await opened(() => 0, []);
  expect(admission.waitMillis()).toBe(Number.POSITIVE_INFINITY);
  expect(admission.turnAway).not.toThrow(); // the body may be faulty, which is said first
  expect(admission.enter).toThrow(
    expect.objectContaining({ type: 'upstream-unavailable', headers: { 'retry-after': '3' } }),
  );
  admission.close();
});

test('who was let in counts at once, before the queue is looked at again, and until they leave', async () => {
  const admission = await opened(() => 0);
  const leave = admission.enter();
  leave();
  expect(enterUntilRefused(admission.enter)).toBe(80); // of the deadline 0.8, a tenth of a second each
  expect(admission.turnAway).toThrow(expect.objectContaining({ status: 503 }));
  admission.close();
});

test('what other gateways let in counts beside it', async () => {
  let depth = 0;
  const admission = await opened(() => depth);
  depth = 30;
  await admission.sample();
  for (let i = 0; i < 20; i++) admission.enter();
  expect(admission.waitMillis()).toBeCloseTo(5100, 6);
  depth = 50; // the twenty are in the queue now, and nothing is counted twice
  await admission.sample();
  expect(admission.waitMillis()).toBeCloseTo(5100, 6);
  admission.close();
});
