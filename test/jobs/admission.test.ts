import { expect, test } from 'vitest';
import { predictedWaitMillis } from '../../src/jobs/admission.ts';
import type { WorkerFacts } from '../../src/jobs/workers.ts';

const worker = (slots: number, serviceMillis?: number): WorkerFacts => ({
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
  {
    why: 'without a worker it never ends',
    workers: [],
    depth: 0,
    millis: Number.POSITIVE_INFINITY,
  },
])('$why', ({ workers, depth, millis }) => {
  expect(predictedWaitMillis(workers, depth)).toBeCloseTo(millis, 6);
});
