import { describe, expect, test } from 'vitest';
import { nextGap } from '../../bench/load/schedule.ts';
import { ClientLoad, type LoadEstimate, LoadShedding } from '../../src/queue/load-shedding.ts';
import { createRandom } from '../faults/random.ts';

const MAX_WAIT_MILLIS = 20_000;
const at = (waitMillis: number) => ({ waitMillis, serviceMillis: 100, slots: 1 });

/** Load shedding for one client alone, which returns after how long to retry. */
function createForOne(maxWaitMillis: number) {
  const shedding = new LoadShedding(maxWaitMillis);
  return {
    observe: shedding.observe.bind(shedding),
    retryMillis: shedding.retryMillis.bind(shedding),
    admit(estimate: LoadEstimate, now: number): number | undefined {
      const claim = {
        client: 'a',
        inFlightMillis: 0,
        share: 1,
        returning: 0,
        turnMillis: estimate.waitMillis,
      };
      return shedding.admit(estimate, claim, now)?.retryMillis;
    },
  };
}

/** Load shedding after so long without a free slot that it is overload, not a burst. */
function overloaded() {
  const shedding = createForOne(MAX_WAIT_MILLIS);
  shedding.observe(at(500), 0);
  shedding.observe(at(500), 6000);
  return shedding;
}

describe('load shedding', () => {
  test('admits a burst up to the maximum wait', () => {
    const shedding = createForOne(MAX_WAIT_MILLIS);
    expect(shedding.admit(at(100), 0)).toBeUndefined();
    expect(shedding.admit(at(19_900), 10)).toBeUndefined();
    expect(shedding.admit(at(20_100), 20)).toBeGreaterThan(0);
  });

  test('rejects under overload long before that, until the wait is short', () => {
    const shedding = overloaded();
    expect(shedding.admit(at(1300), 6001)).toBeUndefined();
    expect(shedding.admit(at(1400), 6002)).toBeGreaterThan(0);
    expect(shedding.admit(at(400), 7000)).toBeGreaterThan(0);
    expect(shedding.admit(at(300), 7100)).toBeUndefined();
    expect(shedding.admit(at(2300), 8500)).toBeUndefined(); // up to twice the hysteresis just after it resumed
    expect(shedding.admit(at(1300), 8700)).toBeUndefined();
    expect(shedding.admit(at(1400), 8701)).toBeGreaterThan(0);
  });

  test('tells when admission resumes', () => {
    const shedding = overloaded();
    expect(shedding.admit(at(1400), 6000)).toBeCloseTo(1100, 6);
    expect(shedding.retryMillis(6000)).toBeCloseTo(1100, 6);
    expect(shedding.admit(at(400), 7000)).toBeCloseTo(100, 6);
    shedding.observe(at(300), 7100);
    expect(shedding.retryMillis(7100)).toBe(0);
  });

  test('spreads retries at the rate at which work is done, up to half a minute ahead', () => {
    const shedding = overloaded();
    const retries = Array.from({ length: 1000 }, () => shedding.admit(at(1400), 6000) ?? 0);
    expect(retries.slice(0, 11).every((millis) => Math.round(millis) === 1100)).toBe(true); // as many as fit when it resumes
    expect(retries[12]).toBeCloseTo(1300, 6);
    expect(retries[100]).toBeCloseTo(10_100, 6);
    expect(retries.at(-1)).toBeCloseTo(29_000, 6);
  });

  test('admits a request while a slot is free, even if images take longer than the maximum wait', () => {
    const shedding = createForOne(2000);
    const slow = (waitMillis: number) => ({ waitMillis, serviceMillis: 2500, slots: 1 });
    expect(shedding.admit(slow(2500), 0)).toBeUndefined();
    expect(shedding.admit(slow(5000), 1)).toBeGreaterThan(0);
    expect(shedding.admit(slow(2500), 2500)).toBeUndefined(); // else faster images would never be noticed
  });

  test('admits a burst again after a pause', () => {
    const shedding = overloaded();
    expect(shedding.admit(at(1400), 6000)).toBeGreaterThan(0);
    shedding.observe(at(100), 8000);
    shedding.observe(at(100), 10_000);
    expect(shedding.admit(at(5000), 10_000)).toBeUndefined();
  });
});

interface Arrival {
  atMillis: number;
  client: string;
  isReturn: boolean;
}

/**
 * Simulates ten minutes: two slots, 80 to 220 ms per image, requests in a Poisson process; one in five rejected
 * requests returns once, at the whole second of its Retry-After. Requests come from so many clients, at random.
 */
function simulate(share: number, seed: number, clientCount = 1) {
  const [slots, serviceMillis, endMillis] = [2, 150, 600_000];
  const random = createRandom(seed);
  const gap = () => nextGap(serviceMillis / slots / share, random);
  const shedding = new LoadShedding(MAX_WAIT_MILLIS);
  const clients = new ClientLoad();
  const freeAt: number[] = [0, 0];
  let running: { doneAt: number; leave(): void }[] = [];
  const returns: Arrival[] = [];
  const tally = { latencies: [] as number[], rejected: 0, returned: 0, readmitted: 0 };
  let fresh = gap();
  while (fresh < endMillis) {
    returns.sort((a, b) => b.atMillis - a.atMillis);
    const next = returns.at(-1);
    const arrival =
      next && next.atMillis < fresh
        ? returns.pop()
        : { atMillis: fresh, isReturn: false, client: `${random.below(clientCount)}` };
    if (!arrival) break;
    const { atMillis: now, isReturn, client } = arrival;
    if (!isReturn) fresh += gap();
    for (const { doneAt, leave } of running) if (doneAt <= now) leave();
    running = running.filter(({ doneAt }) => doneAt > now);
    const depth = running.length;
    const time = { fixedMillis: serviceMillis, megapixelMillis: 0, megapixels: 1 };
    const waitFor = (jobs: number) => (Math.max(0, jobs + 1 - slots) / slots + 1) * serviceMillis;
    const owner = { client, weight: 1 };
    const foreign = { jobs: 0, clients: 0 };
    const { aheadMillis, ...claim } = clients.claimOf(owner, serviceMillis, foreign, time, now);
    const turnMillis = waitFor(Math.min(depth, slots + aheadMillis / serviceMillis));
    const estimate = { waitMillis: waitFor(depth), serviceMillis, slots };
    const retryMillis = shedding.admit(estimate, { ...claim, turnMillis }, now)?.retryMillis;
    if (isReturn) tally.returned++;
    if (retryMillis !== undefined) {
      tally.rejected++;
      clients.expectReturn(owner, now + retryMillis);
      const returnsAt = now + 1000 * Math.max(1, Math.ceil(retryMillis / 1000));
      if (!isReturn && random.next() < 0.2)
        returns.push({ atMillis: returnsAt, isReturn: true, client });
      continue;
    }
    if (isReturn) tally.readmitted++;
    const slot = (freeAt[0] ?? 0) <= (freeAt[1] ?? 0) ? 0 : 1;
    freeAt[slot] = Math.max(now, freeAt[slot] ?? 0) + 80 + 140 * random.next();
    running.push({ doneAt: freeAt[slot] ?? 0, leave: clients.enter(owner, 1) });
    tally.latencies.push((freeAt[slot] ?? 0) - now);
  }
  const { latencies, rejected, returned, readmitted } = tally;
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(0.99 * latencies.length)] ?? 0;
  return { admitted: latencies.length, rejected, returned, readmitted, p99 };
}

test('at 80 % load hardly any request is rejected', () => {
  const { rejected, admitted } = simulate(0.8, 1);
  expect(rejected).toBeLessThan(0.01 * admitted);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [5, 10],
  [6, 100],
])(
  'at 120 % load requests that retry on time are admitted, and none waits long (seed %i, %i clients)',
  (seed, clientCount) => {
    const { admitted, rejected, returned, readmitted, p99 } = simulate(1.2, seed, clientCount);
    if (clientCount > 1) expect(admitted).toBeGreaterThan(7840); // of 8000 that can be done
    expect(rejected).toBeGreaterThan(1000);
    expect(readmitted / returned).toBeGreaterThan(0.9);
    expect(p99).toBeLessThan(1900);
  },
);
