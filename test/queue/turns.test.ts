import { describe, expect, test } from 'vitest';
import type { Stroke } from '../../src/output/strokes.ts';
import {
  DEFAULT_SERVICE_TIME,
  isHeavy,
  pricedMegapixels,
  ServiceTimes,
  serviceMillis,
  turnsOf,
  unitsOf,
} from '../../src/queue/turns.ts';

const SECOND = 1000;

/** Learns images that one after the other are done a second apart, from a moment on; returns the moment after. */
function learn(
  times: ServiceTimes,
  images: readonly { megapixels: number; millis: number; isAwaited?: boolean }[],
  from = 0,
): number {
  for (const [index, image] of images.entries()) {
    times.observe({ isAwaited: true, ...image }, from + index * SECOND);
  }
  return from + images.length * SECOND;
}

const repeat = <T>(count: number, ...images: T[]): T[] => Array(count).fill(images).flat();

describe('service times', () => {
  test('are the default before the first image', () => {
    const { fixedMillis, megapixelMillis, megapixels } = new ServiceTimes().at(0);
    expect(fixedMillis).toBeCloseTo(DEFAULT_SERVICE_TIME.fixedMillis, 6);
    expect(megapixelMillis).toBeCloseTo(DEFAULT_SERVICE_TIME.megapixelMillis, 6);
    expect(megapixels).toBe(1);
  });

  test('follow a line through small and large images', () => {
    const times = new ServiceTimes();
    const take = (megapixels: number) => ({ megapixels, millis: 1000 + 200 * megapixels });
    const now = learn(times, repeat(20, take(1), take(12), take(50)));
    for (const megapixels of [1, 12, 50]) {
      const { millis } = take(megapixels);
      const predicted = serviceMillis(times.at(now), megapixels);
      expect(predicted / millis, String(megapixels)).toBeGreaterThan(0.85);
      expect(predicted / millis, String(megapixels)).toBeLessThan(1.15);
    }
  });

  const EARLIER = [[[]], [repeat(20, { megapixels: 1, millis: 300 })]];
  test.each(EARLIER)('one image of 50 megapixels does not price small ones, after %j', (before) => {
    const times = new ServiceTimes();
    const now = learn(times, before);
    const small = serviceMillis(times.at(now), 1);
    const large = serviceMillis(times.at(now), 50);
    const later = learn(times, [{ megapixels: 50, millis: 20_000, isAwaited: false }], now);
    expect(serviceMillis(times.at(later), 1)).toBeLessThan(1.2 * small);
    expect(serviceMillis(times.at(later), 50)).toBeGreaterThan(2 * large);
    expect(serviceMillis(times.at(later))).toBeLessThan(1.2 * small);
  });

  test('return to the default without new images', () => {
    const times = new ServiceTimes();
    const now = learn(times, repeat(30, { megapixels: 1, millis: 9000 }));
    expect(serviceMillis(times.at(now))).toBeGreaterThan(8000);
    expect(serviceMillis(times.at(now + 600 * SECOND))).toBeLessThan(700);
    expect(serviceMillis(times.at(now + 3600 * SECOND))).toBeCloseTo(500, 3);
  });

  test('of a worker that has become quick are learned within ten images', () => {
    const times = new ServiceTimes();
    const now = learn(times, repeat(30, { megapixels: 4, millis: 9000 }));
    const later = learn(times, repeat(10, { megapixels: 4, millis: 300 }), now);
    expect(serviceMillis(times.at(later))).toBeLessThan(4500);
  });

  test('are typical for the images that clients wait for', () => {
    const times = new ServiceTimes();
    const small = { megapixels: 4, millis: 500 };
    const large = { megapixels: 50, millis: 3000, isAwaited: false };
    const now = learn(times, repeat(30, small, large));
    expect(times.at(now).megapixels).toBeGreaterThan(2.5);
    expect(times.at(now).megapixels).toBeLessThan(4);
    expect(times.at(now + 3600 * SECOND).megapixels).toBeCloseTo(1, 3);
  });

  const ofSize = (megapixels: number, millis: number) => ({ megapixels, millis });
  test.each([
    { what: 'small ones take longer', rows: [ofSize(1, 4000), ofSize(50, 1000)] },
    { what: 'small ones take nothing', rows: [ofSize(10, 1), ofSize(50, 20_000)] },
  ])('are never negative, though $what', ({ rows }) => {
    const times = new ServiceTimes();
    const now = learn(times, repeat(20, ...rows));
    const { fixedMillis, megapixelMillis } = times.at(now);
    expect(fixedMillis).toBeGreaterThanOrEqual(0);
    expect(megapixelMillis).toBeGreaterThanOrEqual(0);
    for (const { megapixels } of rows) {
      const predicted = serviceMillis(times.at(now), megapixels);
      expect(predicted).toBeGreaterThan(0);
      expect(predicted).toBeLessThan(40_000);
    }
  });
});

describe('the price of', () => {
  const LARGE = { width: 8192, height: 6144 };
  const across: Stroke = {
    mode: 'add',
    radius: 2000,
    points: [
      [0, 0],
      [8000, 6000],
    ],
  };
  const dot: Stroke = { mode: 'erase', radius: 20, points: [[4000, 3000]] };
  const turns = (strokes: Stroke[], size = LARGE) => turnsOf(pricedMegapixels(size, strokes));

  test('the largest picture is some typical ones, and is not heavy', () => {
    expect(turns([], { width: 1000, height: 1000 })).toBe(1);
    expect(turns([])).toBeCloseTo(5.9, 1);
    expect([isHeavy(turns([])), unitsOf(turns([]))]).toEqual([false, 1]);
  });

  test('strokes is what they reach, and not the picture around it', () => {
    expect(turns([dot]) - turns([])).toBeLessThan(0.3);
    expect(turns(Array.from({ length: 7 }, () => across))).toBeGreaterThan(20);
    expect(unitsOf(turns(Array.from({ length: 7 }, () => across)))).toBe(3);
  });
});
