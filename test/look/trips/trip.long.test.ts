import { expect, test } from 'vitest';
import { findCandidates } from '../../../src/look/candidates/candidates.ts';
import { readGarments } from '../../../src/look/candidates/problem.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import type { WornItem } from '../../../src/look/scoring/context.ts';
import { comparableScore, shownScore } from '../../../src/look/scoring/score.ts';
import { computeTrip, TripRequest, TripResponse } from '../../../src/look/trips/trip.ts';
import type { Ensemble } from '../../../src/look/wardrobe/ensemble.ts';
import { CandidatesRequest } from '../../../src/look/wardrobe/wardrobe-request.ts';
import { CLOSET } from '../closet.ts';
import { dateAt, daysOf } from '../trip-days.ts';
import { createRandom, drawDay, drawWardrobe, type Random } from '../wardrobes.ts';

const model = readModel(PARAMS);
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
    return found.candidates
      .flatMap(({ ensemble: { socks, ...rest } }): Ensemble<WornItem>[] =>
        socks ? [rest, { ...rest, socks }] : [rest],
      )
      .map((ensemble) => ({
        ids: Object.values(ensemble).flatMap((worn) => worn?.garment.id ?? []),
        washed: WASHED.flatMap((slot) => ensemble[slot]?.garment.id ?? []),
        score: shownScore(model, comparableScore(found.context, ensemble)),
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
    expect(gap).toBeLessThan(12);
  }
});
