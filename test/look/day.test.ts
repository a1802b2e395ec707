import { describe, expect, test } from 'vitest';
import { computeDay, DayRequest, DayResponse } from '../../src/look/day.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { CLOSET } from './closet.ts';
import { createRandom, drawWardrobe } from './wardrobes.ts';

const model = readModel(PARAMS);

interface TestHour {
  tempC: number;
  condition?: string;
  place?: 'indoor' | 'outdoor';
}
const requestFor = (hours: readonly TestHour[], more: object = {}) =>
  DayRequest.parse({
    hours: hours.map(({ tempC, condition = 'cloudy', place }, at) => ({
      at: `${at + 7}:00`,
      weather: { tempC, windMs: 3, humidityPct: 60, condition },
      met: 1.8,
      place,
    })),
    items: CLOSET,
    ...more,
  });
const day = (hours: readonly TestHour[], more: object = {}) =>
  computeDay(model, requestFor(hours, more));

const SPRING = [3, 5, 9, 13, 17, 19, 18, 14, 10].map((tempC) => ({ tempC }));

describe('a day that starts cold and turns warm', () => {
  const planned = day(SPRING);

  test('has a response that matches the published schema, with every hour', () => {
    expect(DayResponse.parse(planned)).toEqual(planned);
    expect(planned.hours.map(({ at }) => at)).toEqual(SPRING.map((_, at) => `${at + 7}:00`));
  });

  test('removes layers as it gets warmer and adds them as it gets colder', () => {
    const warmth = planned.hours.map(({ icl }) => icl);
    expect(warmth[0]).toBeGreaterThan(warmth[5] ?? Number.NaN);
    expect(warmth.at(-1)).toBeGreaterThan(warmth[5] ?? Number.NaN);
    expect(planned.hours.some(({ takeOffIds }) => takeOffIds.length > 0)).toBe(true);
  });

  test('changes from hour to hour exactly as reported, within one outfit', () => {
    expect(planned.hours).toHaveLength(SPRING.length);
    const outfit = new Set(planned.outfit?.itemIds);
    let ensemble = new Set(planned.hours[0]?.wearIds);
    for (const { wearIds, putOnIds, takeOffIds } of planned.hours) {
      for (const id of takeOffIds) expect(ensemble.delete(id)).toBe(true);
      ensemble = new Set([...ensemble, ...putOnIds]);
      expect(ensemble).toEqual(new Set(wearIds));
      expect(wearIds.every((id) => outfit.has(id))).toBe(true);
    }
  });

  test('has no winter boots at noon, for all the frost in the morning', () => {
    expect(planned.outfit?.slots.shoes).not.toBe('snow-boots');
    expect(planned.hours[5]?.wearIds).not.toContain('beanie');
  });

  test('takes along what keeps the rain of one hour out', () => {
    const hours = [{ tempC: 17 }, { tempC: 19 }, { tempC: 16, condition: 'rain' }];
    const { hours: worn } = day(hours);
    expect(worn[2]?.wearIds.some((id) => /rain-jacket|parka/.test(id))).toBe(true);
  });

  test('reports its worst hour', () => {
    const worst = Math.min(...planned.hours.map(({ fit }) => fit));
    expect(planned.worst?.fit).toBe(worst);
    expect(planned.hours[planned.worst?.hour ?? -1]?.fit).toBe(worst);
  });
});

test('nothing changes on a day with constant weather', () => {
  const { hours } = day(Array.from({ length: 6 }, () => ({ tempC: 15 })));
  expect(hours.every(({ putOnIds, takeOffIds }) => putOnIds.length + takeOffIds.length === 0)).toBe(
    true,
  );
});

test('a coat comes off at the office and goes on again', () => {
  const { hours, outfit } = day([
    { tempC: 1 },
    { tempC: 2, place: 'indoor' },
    { tempC: 3, place: 'indoor' },
    { tempC: 2 },
  ]);
  const coat = outfit?.slots.outer ?? 'none';
  expect(hours.map(({ wearIds }) => wearIds.includes(coat))).toEqual([true, false, false, true]);
});

test('the base stays on all day', () => {
  const random = createRandom(3);
  for (let i = 0; i < 8; i++) {
    const items = drawWardrobe(random, 30);
    const temps = Array.from({ length: 6 }, () => ({ tempC: Math.round(random.between(-10, 30)) }));
    const { outfit, hours } = day(temps, { items });
    const { main = 'none', bottom = main, shoes = main } = outfit?.slots ?? {};
    expect(hours).toHaveLength(temps.length);
    for (const { wearIds } of hours)
      expect(wearIds).toEqual(expect.arrayContaining([main, bottom, shoes]));
  }
});

test('the response depends neither on the order of items nor on earlier requests', () => {
  const once = day(SPRING);
  expect(day(SPRING)).toEqual(once);
  expect(day(SPRING, { items: [...CLOSET].reverse() })).toEqual(once);
});

test('an empty wardrobe has no outfit and a diagnostic', () => {
  const { outfit, hours, diagnostics } = day(SPRING, { items: [] });
  expect([outfit, hours]).toEqual([null, []]);
  expect(diagnostics.map(({ code }) => code)).toContain('empty-wardrobe');
});
