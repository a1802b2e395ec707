import { expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createAdmission, estimateLoad } from '../../src/queue/admission.ts';
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
    why: 'before its first image a worker counts with the default service time',
    workers: [worker(1)],
    depth: 0,
    millis: 500,
  },
])('$why', ({ workers, depth, millis }) => {
  expect(estimateLoad(workers, depth)?.waitMillis).toBeCloseTo(millis, 6);
});

/** An admission with one worker that does ten images per second and a deadline of 10 s; `depth` is read at each sample. */
async function createSampled(depth: () => number, workers = [worker(1, 100)]) {
  const queue = { depth: async () => depth() };
  const registry = { live: async () => workers };
  const admission = createAdmission(queue, registry, 10_000, createLog('test', 'silent'));
  await admission.sample();
  return admission;
}

const admitUntilRejected = (admit: () => void): number => {
  for (let admitted = 0; ; admitted++) {
    try {
      admit();
    } catch {
      return admitted;
    }
  }
};

test('without a worker nothing is admitted, and the wait is infinite', async () => {
  const admission = await createSampled(() => 0, []);
  expect(admission.waitMillis()).toBe(Number.POSITIVE_INFINITY);
  expect(admission.shedIfBusy).not.toThrow(); // an invalid body is reported first
  expect(admission.admit).toThrow(
    expect.objectContaining({ type: 'upstream-unavailable', headers: { 'retry-after': '3' } }),
  );
  admission.close();
});

test('an admitted request counts before the next sample, and until it is answered', async () => {
  const admission = await createSampled(() => 0);
  const leave = admission.admit();
  leave();
  expect(admitUntilRejected(admission.admit)).toBe(80); // 0.8 of the deadline, a tenth of a second each
  expect(admission.shedIfBusy).toThrow(expect.objectContaining({ status: 503 }));
  admission.close();
});

test('requests admitted by other gateways count too', async () => {
  let depth = 0;
  const admission = await createSampled(() => depth);
  depth = 30;
  await admission.sample();
  for (let i = 0; i < 20; i++) admission.admit();
  expect(admission.waitMillis()).toBeCloseTo(5100, 6);
  depth = 50; // the twenty are in the queue now, and are not counted twice
  await admission.sample();
  expect(admission.waitMillis()).toBeCloseTo(5100, 6);
  admission.close();
});
