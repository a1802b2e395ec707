import { describe, expect, test } from 'vitest';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { computeTrip, TripRequest } from '../../../src/look/trips/trip.ts';
import { Problem } from '../../../src/platform/problem.ts';
import { CLOSET } from '../closet.ts';
import { dateAt, daysOf } from '../trip-days.ts';

const model = readModel(PARAMS);
test('the response does not depend on the order of items', () => {
  const request = { days: daysOf([4, 9, 15]), maxItems: 8, items: [...CLOSET] };
  const once = computeTrip(model, TripRequest.parse(request));
  const reversed = computeTrip(
    model,
    TripRequest.parse({ ...request, items: [...CLOSET].reverse() }),
  );
  expect(reversed.days).toEqual(once.days);
  expect(reversed.itemIds).toEqual([...once.itemIds].reverse());
});

test('thermals that are fresh for one day alone are for the coldest', () => {
  for (const temperatures of [
    [4, -14, -2],
    [-3, -6, -16, 2],
    [-15, -4, -5],
  ]) {
    const coldest = temperatures.indexOf(Math.min(...temperatures));
    const body = { days: daysOf(temperatures), items: CLOSET, maxItems: 15, wearsBeforeWash: 1 };
    const { days } = computeTrip(model, TripRequest.parse(body));
    for (const [at, { outfit }] of days.entries()) {
      expect(outfit, `${temperatures} day ${at}`).not.toBeNull();
      const { underTop, underBottom } = outfit!.slots;
      const expected = at === coldest ? ['thermal-top', 'long-johns'] : [undefined, undefined];
      expect([underTop, underBottom], `${temperatures} day ${at}`).toEqual(expected);
    }
  }
});

test('a pinned item is worn every day', () => {
  const request = { days: daysOf([4, 9, 15]), maxItems: 8, items: CLOSET, pin: ['boots'] };
  const { days } = computeTrip(model, TripRequest.parse(request));
  for (const { outfit } of days) expect(outfit?.itemIds).toContain('boots');
});

test('ski trousers need no washing, so a second day on the slope has them too', () => {
  const snow = { tempC: -6, windMs: 4, humidityPct: 80, condition: 'snow' };
  const days = [0, 1, 2].map((at) => ({
    date: dateAt(at),
    weather: snow,
    met: 3,
    occasion: 'sport',
  }));
  const items = [...CLOSET, { id: 'ski', category: 'ski_trousers' }];
  const request = { days, items, maxItems: 20, wearsBeforeWash: 1 };
  for (const { outfit } of computeTrip(model, TripRequest.parse(request)).days)
    expect(outfit?.itemIds).toContain('ski');
});

test('a pinned item that needs washing after each day dresses one day, which is proved', () => {
  const request = { days: daysOf([9, 9, 9]), maxItems: 20, wearsBeforeWash: 1, items: CLOSET };
  const { days, gap } = computeTrip(model, TripRequest.parse({ ...request, pin: ['jeans-blue'] }));
  expect(days.filter(({ outfit }) => outfit)).toHaveLength(1);
  expect(gap).toBe(0);
});

test('days that the limits leave without an outfit are counted', () => {
  const request = { days: daysOf([12, 12, 12]), maxItems: 3, wearsBeforeWash: 1, items: CLOSET };
  const { days, diagnostics } = computeTrip(model, TripRequest.parse({ ...request, locale: 'de' }));
  expect(days.filter(({ outfit }) => outfit).length).toBe(1);
  expect(diagnostics.find(({ code }) => code === 'limits-too-tight')?.detail).toContain(': 2');
  const empty = computeTrip(model, TripRequest.parse({ ...request, items: [] }));
  expect(empty).toMatchObject({ itemIds: [], gap: 0 });
  expect(empty.diagnostics.map(({ code }) => code)).toEqual(['empty-wardrobe']);
});

describe('the weather of a forecast', () => {
  const time = Array.from({ length: 48 }, (_, i) => `${dateAt(Math.floor(i / 24))}T${i % 24}:00`);
  const hourly = {
    time: time.map((text) => text.replace(/T(\d):/, 'T0$1:')),
    temperature_2m: time.map((_, i) => (i < 24 ? 2 : 24)),
    relative_humidity_2m: time.map(() => 60),
    wind_speed_10m: time.map(() => 10),
    weather_code: time.map(() => 3),
  };
  const days = [0, 1].map((day) => ({ date: dateAt(day), met: 2 }));
  const request = { forecast: { openMeteo: { hourly } }, days, items: CLOSET, maxItems: 20 };

  test('dresses the days without weather', () => {
    const given = { ...request, forecast: undefined, days: daysOf([2, 24]) };
    const calm = given.days.map((day) => ({
      ...day,
      weather: { ...day.weather, windMs: 10 / 3.6, humidityPct: 60 },
    }));
    expect(computeTrip(model, TripRequest.parse(request))).toEqual(
      computeTrip(model, TripRequest.parse({ ...given, days: calm })),
    );
  });

  test('has a gap: the error names it', () => {
    const later = [...days, { date: dateAt(2), met: 2 }];
    expect(() => computeTrip(model, TripRequest.parse({ ...request, days: later }))).toThrow(
      Problem,
    );
    const gap = {
      ...hourly,
      temperature_2m: hourly.temperature_2m.map((value, i) => (i === 30 ? null : value)),
    };
    const body = { ...request, forecast: { openMeteo: { hourly: gap }, fromHour: 6 } };
    expect(() => computeTrip(model, TripRequest.parse(body))).toThrow(Problem);
  });
});

test('requests are rejected where they are wrong', () => {
  const request = { days: daysOf([9, 9]), maxItems: 8, items: CLOSET };
  const pathsOf = (more: object) =>
    TripRequest.safeParse({ ...request, ...more }).error?.issues.map(({ path }) => path.join('.'));
  expect(pathsOf({ days: daysOf(Array.from({ length: 60 }, () => 9)) })).toContain('days');
  expect(pathsOf({ days: [...request.days, request.days[0]] })).toEqual(['days.2.date']);
  expect(pathsOf({ days: daysOf([9], { weather: undefined }) })).toEqual(['days.0.weather']);
  expect(pathsOf({ days: [null] })).toEqual(['days.0']);
  expect(pathsOf({ days: [] })).toEqual(['days']);
  expect(pathsOf({ maxItems: 0, wearsBeforeWash: 0 })).toEqual(['maxItems', 'wearsBeforeWash']);
  expect(pathsOf({ pin: ['none'] })).toEqual(['pin.0']);
  const pinned = TripRequest.parse({ ...request, pin: ['jeans-blue', 'chinos-beige'] });
  expect(() => computeTrip(model, pinned)).toThrow(Problem);
});
