import { describe, expect, test } from 'vitest';
import { nextGap } from '../../bench/load/schedule.ts';
import { createLoadShedding } from '../../src/queue/load-shedding.ts';
import { createRandom } from '../faults/random.ts';

const MOST_MILLIS = 20_000;
const at = (waitMillis: number) => ({ waitMillis, serviceMillis: 100, slots: 1 });

/** A door before which work has stood for so long that it is no burst any more. */
function pressed() {
  const door = createLoadShedding(MOST_MILLIS);
  door.see(at(500), 0);
  door.see(at(500), 6000);
  return door;
}

describe('a door', () => {
  test('lets a burst wait for as long as a request may', () => {
    const door = createLoadShedding(MOST_MILLIS);
    expect(door.knock(at(100), 0)).toBeUndefined();
    expect(door.knock(at(19_900), 10)).toBeUndefined();
    expect(door.knock(at(20_100), 20)).toBeGreaterThan(0);
  });

  test('shuts under lasting pressure long before that, until the wait is short', () => {
    const door = pressed();
    expect(door.knock(at(1300), 6001)).toBeUndefined();
    expect(door.knock(at(1400), 6002)).toBeGreaterThan(0);
    expect(door.knock(at(400), 7000)).toBeGreaterThan(0);
    expect(door.knock(at(300), 7100)).toBeUndefined();
    expect(door.knock(at(2300), 8500)).toBeUndefined(); // for a while by twice as much, when it has just opened
    expect(door.knock(at(1300), 8700)).toBeUndefined();
    expect(door.knock(at(1400), 8701)).toBeGreaterThan(0);
  });

  test('says when it will be open', () => {
    const door = pressed();
    expect(door.knock(at(1400), 6000)).toBeCloseTo(1100, 6);
    expect(door.shutMillis(6000)).toBeCloseTo(1100, 6);
    expect(door.knock(at(400), 7000)).toBeCloseTo(100, 6);
    door.see(at(300), 7100);
    expect(door.shutMillis(7100)).toBe(0);
  });

  test('tells many to come back one after the other, as fast as work is done, half a minute ahead at most', () => {
    const door = pressed();
    const told = Array.from({ length: 1000 }, () => door.knock(at(1400), 6000) ?? 0);
    expect(told.slice(0, 11).every((millis) => Math.round(millis) === 1100)).toBe(true); // as many as the door takes
    expect(told[12]).toBeCloseTo(1300, 6);
    expect(told[100]).toBeCloseTo(10_100, 6);
    expect(told.at(-1)).toBeCloseTo(29_000, 6);
  });

  test('lets in whoever finds a free slot, even where images took longer than a request may wait', () => {
    const door = createLoadShedding(2000);
    const slow = (waitMillis: number) => ({ waitMillis, serviceMillis: 2500, slots: 1 });
    expect(door.knock(slow(2500), 0)).toBeUndefined();
    expect(door.knock(slow(5000), 1)).toBeGreaterThan(0);
    expect(door.knock(slow(2500), 2500)).toBeUndefined(); // or it would never be seen that they do not any more
  });

  test('is patient again after a pause', () => {
    const door = pressed();
    expect(door.knock(at(1400), 6000)).toBeGreaterThan(0);
    door.see(at(100), 8000);
    door.see(at(100), 10_000);
    expect(door.knock(at(5000), 10_000)).toBeUndefined();
  });
});

interface Arrival {
  atMillis: number;
  isReturn: boolean;
}

/**
 * Ten minutes before a door: two slots, 80 to 220 ms an image, requests in a Poisson process; one in five who are sent
 * away comes back once, on the whole second that they are told.
 */
function play(share: number, seed: number) {
  const [slots, serviceMillis, endMillis] = [2, 150, 600_000];
  const random = createRandom(seed);
  const gap = () => nextGap(serviceMillis / slots / share, random);
  const door = createLoadShedding(MOST_MILLIS);
  const freeAt: number[] = [0, 0];
  const doneAt: number[] = [];
  const returns: Arrival[] = [];
  const seen = { admitted: [] as number[], refused: 0, returned: 0, truly: 0 };
  let fresh = gap();
  while (fresh < endMillis) {
    returns.sort((a, b) => b.atMillis - a.atMillis);
    const next = returns.at(-1);
    const arrival =
      next && next.atMillis < fresh ? returns.pop() : { atMillis: fresh, isReturn: false };
    if (!arrival) break;
    const { atMillis: now, isReturn } = arrival;
    if (!isReturn) fresh += gap();
    const depth = doneAt.filter((done) => done > now).length;
    const waitMillis = (Math.max(0, depth + 1 - slots) / slots + 1) * serviceMillis;
    const back = door.knock({ waitMillis, serviceMillis, slots }, now);
    if (isReturn) seen.returned++;
    if (back !== undefined) {
      seen.refused++;
      const backAt = now + 1000 * Math.max(1, Math.ceil(back / 1000));
      if (!isReturn && random.next() < 0.2) returns.push({ atMillis: backAt, isReturn: true });
      continue;
    }
    if (isReturn) seen.truly++;
    const slot = (freeAt[0] ?? 0) <= (freeAt[1] ?? 0) ? 0 : 1;
    freeAt[slot] = Math.max(now, freeAt[slot] ?? 0) + 80 + 140 * random.next();
    doneAt.push(freeAt[slot] ?? 0);
    if (doneAt.length > 500) doneAt.splice(0, 250);
    seen.admitted.push((freeAt[slot] ?? 0) - now);
  }
  seen.admitted.sort((a, b) => a - b);
  return { ...seen, p99: seen.admitted[Math.floor(0.99 * seen.admitted.length)] ?? 0 };
}

test('at 80 % hardly anybody is sent away', () => {
  const { refused, admitted } = play(0.8, 1);
  expect(refused).toBeLessThan(0.01 * admitted.length);
});

test.each([1, 2, 3])(
  'at 120 % who comes back when told is let in, and nobody waits long (%i)',
  (seed) => {
    const { admitted, refused, returned, truly, p99 } = play(1.2, seed);
    expect(admitted.length).toBeGreaterThan(7840); // of 8000 that can be done
    expect(refused).toBeGreaterThan(1000);
    expect(truly / returned).toBeGreaterThan(0.9);
    expect(p99).toBeLessThan(1900);
  },
);
