import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { Admission, capacityOf, estimateLoad } from '../../src/queue/admission.ts';
import { DEFAULT_SERVICE_TIME, serviceMillis } from '../../src/queue/turns.ts';
import type { WorkerInfo } from '../../src/queue/worker-registry.ts';

const ANN = { client: 'ann', weight: 1 };
const BOB = { client: 'bob', weight: 1 };

/** A worker that takes so long for an image, and so much more for each megapixel. */
const worker = (slots: number, fixedMillis: number, megapixelMillis = 0): WorkerInfo => ({
  id: 'w',
  slots,
  model: 'm@1',
  device: 'cpu',
  serviceTime: { fixedMillis, megapixelMillis, megapixels: 1 },
});

test.each<[why: string, workers: WorkerInfo[], depth: number, millis: number]>([
  ['an idle worker takes its service time', [worker(2, 400)], 0, 400],
  ['a free slot is as good as idle', [worker(2, 400)], 1, 400],
  ['one job ahead in each slot doubles it', [worker(2, 400)], 3, 800],
  ['slots of all workers share the queue', [worker(2, 400), worker(2, 400)], 7, 800],
  ['slower workers weigh by their slots', [worker(1, 100), worker(3, 500)], 0, 400],
])('%s', (_, workers, depth, millis) => {
  const capacity = capacityOf(workers);
  expect(capacity && estimateLoad(capacity, depth).waitMillis).toBeCloseTo(millis, 6);
});

/** An admission with one worker that does ten images per second and a deadline of 10 s; `depth` is read at each sample. */
async function createSampled(depth: () => number, workers = [worker(1, 100)], delayed = () => 0) {
  const jobs = {
    depth: async () => depth(),
    delayed: async () => delayed(),
    waitingClients: async () => 1,
  };
  const registry = { live: async () => workers };
  const log = createLog('test', 'silent');
  const shed: string[] = [];
  const onShed = (reason: string) => void shed.push(reason);
  const admission = new Admission(jobs, registry, { deadlineMillis: 10_000, log, onShed });
  onTestFinished(() => admission.close());
  await admission.sample();
  const waitMillis = () => {
    const { queueMillis = Number.POSITIVE_INFINITY, serviceTime = DEFAULT_SERVICE_TIME } =
      admission.prediction() ?? {};
    return queueMillis + serviceMillis(serviceTime);
  };
  return Object.assign(admission, { waitMillis, shed });
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
  expect(() => admission.shedIfBusy(ANN)).not.toThrow(); // an invalid body is reported first
  expect(() => admission.admit(ANN, 1)).toThrow(
    expect.objectContaining({ type: 'upstream-unavailable', headers: { 'retry-after': '3' } }),
  );
});

test('an admitted request counts before the next sample, and until it is answered', async () => {
  const admission = await createSampled(() => 0);
  const leave = admission.admit(ANN, 1);
  leave();
  expect(admitUntilRejected(() => admission.admit(ANN, 1))).toBe(80); // 0.8 of the deadline, a tenth of a second each
  expect(() => admission.shedIfBusy(ANN)).toThrow(expect.objectContaining({ status: 503 }));
});

test('requests admitted by other gateways count too', async () => {
  let depth = 0;
  const admission = await createSampled(() => depth);
  depth = 30;
  await admission.sample();
  for (let i = 0; i < 20; i++) admission.admit(ANN, 1);
  expect(admission.waitMillis()).toBeCloseTo(5100, 6);
  depth = 50; // the twenty are in the queue now, and are not counted twice
  await admission.sample();
  expect(admission.waitMillis()).toBeCloseTo(5100, 6);
});

test('while one client fills the queue, another is admitted up to its share', async () => {
  const admission = await createSampled(() => 0);
  admitUntilRejected(() => admission.admit(ANN, 1)); // a burst of eight seconds
  expect(admitUntilRejected(() => admission.admit(BOB, 1))).toBeGreaterThan(0);
  const before = admission.shed.length;
  expect(admitUntilRejected(() => admission.admit(ANN, 1))).toBe(0);
  expect(admission.shed.slice(before)).toEqual(['busy']);
});

test('the rejected requests of one client do not lengthen the Retry-After of another', async () => {
  const admission = await createSampled(() => 0);
  admitUntilRejected(() => admission.admit(ANN, 1));
  admitUntilRejected(() => admission.admit(BOB, 1));
  const retryAfter = (owner: typeof ANN): number => {
    try {
      admission.admit(owner, 1)();
      return 0;
    } catch (error) {
      return Number((error as { headers: Record<string, string> }).headers['retry-after']);
    }
  };
  const first = retryAfter(BOB);
  for (let n = 0; n < 500; n++) retryAfter(ANN);
  expect(retryAfter(ANN)).toBe(30);
  expect(retryAfter(BOB)).toBeLessThanOrEqual(first + 1);
});

test('requests at other gateways are counted as many clients as wait', async () => {
  let depth = 0;
  const admission = await createSampled(() => depth);
  depth = 200; // one client at another gateway
  await admission.sample();
  expect(admitUntilRejected(() => admission.admit(BOB, 1))).toBeGreaterThan(0);
});

test('requests whose images are fetched hold up nobody else, and are limited by client', async () => {
  const admission = await createSampled(() => 0);
  expect(admitUntilRejected(() => admission.admit(ANN, undefined))).toBe(80);
  expect(admission.shed).toEqual(['own-share']);
  expect(admitUntilRejected(() => admission.admit(BOB, 1))).toBeGreaterThanOrEqual(70);
});

test('requests that wait for room to fetch hide no load of other gateways', async () => {
  let depth = 0;
  let delayed = 0;
  const delays = () => delayed;
  const admission = await createSampled(() => depth, undefined, delays);
  for (let i = 0; i < 50; i++) admission.admit(ANN, undefined);
  depth = 10 + 30; // ten of them, and thirty of other gateways
  delayed = 40;
  await admission.sample();
  expect(admission.waitMillis()).toBeCloseTo(3200, 6); // the thirty, one in the slot, and itself
});

/** Ten images of one megapixel per second, or one of 19 in a second. */
const byPixels = [worker(1, 50, 50)];
const REJECTED = expect.objectContaining({ status: 503 });

test('requests are counted by their pixels', async () => {
  const admission = await createSampled(() => 0, byPixels);
  for (let n = 1; n <= 8; n++) admission.admit(ANN, 19); // the eighth is done after eight seconds
  expect(() => admission.admit(ANN, 1)).toThrow(REJECTED);
  expect(admission.shed).toEqual(['busy']);
});

test('with nothing in progress a request is admitted, whatever it is predicted to take', async () => {
  const admission = await createSampled(() => 0, [worker(1, 60_000)]);
  for (const owner of [ANN, BOB, ANN]) {
    admission.shedIfBusy(owner);
    const leave = admission.admit(owner, 50);
    expect(() => admission.admit(owner, 1)).toThrow(REJECTED);
    leave();
  }
});

test('a large image in progress does not make a small one of another client too slow', async () => {
  const admission = await createSampled(() => 0, byPixels);
  admission.admit(ANN, 139); // seven seconds
  admission.shedIfBusy(BOB);
  expect(() => admission.admit(BOB, 39)).toThrow(REJECTED); // two more would miss the deadline
  expect(admission.shed).toEqual(['busy']);
  admission.admit(BOB, 1);
});

test('a large image is not kept waiting for longer than small ones under overload', async () => {
  let depth = 0;
  const admission = await createSampled(() => depth, byPixels);
  depth = 200;
  await admission.sample();
  expect(() => admission.admit(ANN, 1)()).not.toThrow();
  expect(() => admission.admit(BOB, 99)()).not.toThrow(); // five seconds, at its client's turn
});
