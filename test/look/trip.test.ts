import { describe, expect, test } from 'vitest';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { findCandidates, readGarments } from '../../src/look/search/candidates.ts';
import { comparableScore } from '../../src/look/search/complete.ts';
import { computeTrip, TripRequest, TripResponse } from '../../src/look/trip.ts';
import { CandidatesRequest } from '../../src/look/wardrobe/wardrobe-request.ts';
import { Problem } from '../../src/platform/problem.ts';
import { CLOSET } from './closet.ts';
import { createRandom, drawDay, drawWardrobe, type Random } from './wardrobes.ts';

const model = readModel(PARAMS);
const weather = { tempC: 8, windMs: 4, humidityPct: 70, condition: 'cloudy' };
const dateAt = (day: number) => `2026-11-${String(day + 1).padStart(2, '0')}`;
const daysOf = (temperatures: readonly number[], more: object = {}) =>
  temperatures.map((tempC, day) => ({
    date: dateAt(day),
    weather: { ...weather, tempC },
    met: 2,
    ...more,
  }));

const WASHED = ['main', 'bottom', 'underTop', 'underBottom', 'socks'] as const;

/** What a response breaks of the limits of its request. */
function violations(request: TripRequest, response = computeTrip(model, request)): string[] {
  const { maxItems, wearsBeforeWash = 14 } = request;
  const { itemIds, days } = response;
  const outfits = days.flatMap(({ outfit }) => outfit ?? []);
  const worn = new Set(outfits.flatMap((outfit) => outfit.itemIds));
  const wears = outfits.flatMap(({ slots }) => WASHED.flatMap((slot) => slots[slot] ?? []));
  const checks: [string, boolean][] = [
    ['schema', TripResponse.safeParse(response).success],
    ['max items', itemIds.length <= maxItems],
    ['item ids', worn.size === itemIds.length && itemIds.every((id) => worn.has(id))],
    ['washed', itemIds.every((id) => wears.filter((one) => one === id).length <= wearsBeforeWash)],
    ['days', days.length === request.days.length],
  ];
  return checks.filter(([, holds]) => !holds).map(([what]) => what);
}

interface Listed {
  ids: readonly string[];
  washed: readonly string[];
  score: number;
}

/** Every outfit of each day, by the search for candidates; undefined if there are too many. */
function everyOutfit({ days, ...request }: TripRequest): Listed[][] | undefined {
  const lists = days.map(({ date: _, ...day }) => {
    const { items } = request;
    const candidates = CandidatesRequest.parse({ plan: 'outdoor', ...day, items });
    const found = findCandidates(model, candidates, 200, readGarments(model, candidates));
    return found.candidates.map(({ candidate, ensemble }) => ({
      ids: candidate.itemIds,
      washed: WASHED.flatMap((slot) => candidate.slots[slot] ?? []),
      score: comparableScore(found.context, ensemble),
    }));
  });
  return lists.every((list) => list.length < 40) ? lists : undefined;
}

function bruteForce(lists: readonly Listed[][], maxItems: number, maxWears: number): number {
  function visit(day: number, chosen: readonly Listed[]): number {
    const items = new Set(chosen.flatMap(({ ids }) => ids));
    const washed = chosen.flatMap((outfit) => outfit.washed);
    if (items.size > maxItems) return Number.NEGATIVE_INFINITY;
    if (washed.some((id) => washed.filter((other) => other === id).length > maxWears))
      return Number.NEGATIVE_INFINITY;
    const list = lists[day];
    if (!list) return chosen.reduce((sum, { score }) => sum + score, 0);
    return Math.max(
      visit(day + 1, chosen),
      ...list.map((outfit) => visit(day + 1, [...chosen, outfit])),
    );
  }
  return visit(0, []);
}

const drawTrip = (random: Random, items: number, days: number) =>
  TripRequest.parse({
    days: Array.from({ length: days }, (_, at) => ({ date: dateAt(at), ...drawDay(random) })),
    items: drawWardrobe(random, items, 1),
    maxItems: 2 + random.below(7),
    wearsBeforeWash: 1 + random.below(3),
  });

test('small trips: the mean score is that of the best choice, with gap 0', () => {
  let compared = 0;
  let dressed = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const request = drawTrip(createRandom(seed * 13), 7 + (seed % 5), 1 + (seed % 3));
    const lists = everyOutfit(request);
    if (!lists) continue;
    const { maxItems, wearsBeforeWash = 14 } = request;
    const { days, gap } = computeTrip(model, request);
    const mean = days.reduce((sum, { outfit }) => sum + (outfit?.score ?? 0), 0) / days.length;
    const best = (100 * bruteForce(lists, maxItems, wearsBeforeWash)) / days.length;
    // Scores have one decimal.
    expect(Math.abs(mean - best), `seed ${seed}`).toBeLessThanOrEqual(0.0501);
    expect(gap).toBe(0);
    compared += 1;
    if (mean > 0) dressed += 1;
  }
  expect(compared).toBeGreaterThan(25);
  expect(dressed).toBeGreaterThan(10);
});

test('larger trips keep to their limits, and dress every day if they can', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const request = drawTrip(createRandom(seed * 29), 40, 7);
    expect(violations(request), `seed ${seed}`).toEqual([]);
  }
  const week = TripRequest.parse({
    days: daysOf([4, 6, 9, 12, 9, 5, 3]),
    items: CLOSET,
    maxItems: 12,
    wearsBeforeWash: 2,
  });
  const response = computeTrip(model, week);
  expect(violations(week, response)).toEqual([]);
  const { days, itemIds, diagnostics } = response;
  expect(days.map(({ date }) => date)).toEqual(week.days.map(({ date }) => date));
  expect(days.every(({ outfit }) => outfit !== null && outfit.name !== '')).toBe(true);
  expect(itemIds.length).toBeLessThanOrEqual(12);
  expect(diagnostics.map(({ code }) => code)).not.toContain('limits-too-tight');
});

/** As many equal garments of each category. */
const plain = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).flatMap(([category, count]) =>
    Array.from({ length: count }, (_, at) => ({ id: `${category}-${at}`, category })),
  );

test.each([
  ['20 of each', { t_shirt: 20, jeans: 20, sweater: 20, parka: 20, sneakers: 20 }, 20, 1],
  ['few coats', { t_shirt: 20, jeans: 20, sweater: 15, parka: 5 }, 20, 1],
  ['only pullovers as tops', { sweater: 20, trousers: 20, boots: 4, parka: 4 }, 18, 1],
  ['worn twice', { t_shirt: 20, jeans: 20, sneakers: 5, sweater: 15, parka: 5 }, 12, 2],
])('a wardrobe with enough for a week dresses every day: %s', (_, counts, maxItems, wears) => {
  for (const tempC of [5, 12]) {
    const week = TripRequest.parse({
      days: daysOf(Array.from({ length: 7 }, () => tempC)),
      items: plain(counts),
      maxItems,
      wearsBeforeWash: wears,
    });
    const response = computeTrip(model, week);
    expect(violations(week, response)).toEqual([]);
    const { days, diagnostics, gap } = response;
    expect(days.filter(({ outfit }) => outfit)).toHaveLength(7);
    expect(diagnostics.map(({ code }) => code)).not.toContain('limits-too-tight');
    expect(gap).toBeLessThan(8);
  }
});

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
    const body = { days: daysOf(temperatures), items: CLOSET, maxItems: 14, wearsBeforeWash: 1 };
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

test('a pinned item that needs washing after each day dresses one day, which is proved', () => {
  const request = { days: daysOf([9, 9, 9]), maxItems: 20, wearsBeforeWash: 1, items: CLOSET };
  const { days, gap } = computeTrip(model, TripRequest.parse({ ...request, pin: ['jeans-blue'] }));
  expect(days.filter(({ outfit }) => outfit)).toHaveLength(1);
  expect(gap).toBe(0);
});

test('days that the limits leave without an outfit are counted', () => {
  const request = { days: daysOf([9, 9, 9]), maxItems: 3, wearsBeforeWash: 1, items: CLOSET };
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
