import { describe, expect, test } from 'vitest';
import { findCandidates } from '../../../src/look/candidates/candidates.ts';
import { createSearchProblem, readGarments } from '../../../src/look/candidates/problem.ts';
import { situationOf } from '../../../src/look/comfort/targets.ts';
import { type Model, PARAMS, readModel } from '../../../src/look/params.ts';
import { createScoringContext, type ScoringContext } from '../../../src/look/scoring/context.ts';
import { comparableScore } from '../../../src/look/scoring/score.ts';
import { search } from '../../../src/look/search/search.ts';
import {
  assembleEnsemble,
  CORE_SLOTS,
  canCombine,
  type Ensemble,
  goesOver,
  isDress,
  isSet,
  mapEnsemble,
  SLOTS,
  type Slot,
  STYLE_SLOTS,
  slotsOf,
} from '../../../src/look/wardrobe/ensemble.ts';
import { type Garment, readGarment } from '../../../src/look/wardrobe/garment-clo.ts';
import { CandidatesRequest } from '../../../src/look/wardrobe/wardrobe-request.ts';
import { WardrobeItem } from '../../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { createRandom, drawDay, drawWardrobe } from '../wardrobes.ts';

const model = readModel(PARAMS);

/** Whether a slot is considered on this day, by rules written independently of the search. */
function isRelevant(context: ScoringContext, slot: Slot): boolean {
  const { plan, regions, situation, shelter } = context;
  const { layering, rain } = model.k;
  const out = plan === 'outdoor';
  if (STYLE_SLOTS.some((style) => style === slot)) return false;
  if (slot === 'outer') return out;
  if (slot === 'over')
    return out && (shelter.legs.water >= rain.overLegs || regions.bottom >= layering.overClo);
  if (slot === 'underTop' || slot === 'underBottom')
    return (
      situation[plan].iclRequired >= layering.underClo ||
      (out && situation.windChillC < layering.hatC)
    );
  if (slot === 'head' && isSunny(context)) return true;
  if (slot === 'head' || slot === 'neck' || slot === 'hands')
    return out && regions.accessory >= layering.extraClo && situation.windChillC < layering.extraC;
  return true;
}

/** Whether a hat is worn in the sun. */
function isSunny({ plan, occasion, situation: { weather } }: ScoringContext): boolean {
  const { sunHatC, jacketFrom } = model.k.layering;
  const isSun = weather.isDay !== false && model.tables.condition[weather.condition].sunK > 0;
  const isInformal = occasion.formality < jacketFrom;
  return plan === 'outdoor' && isSun && weather.tempC >= sunHatC && isInformal;
}

/** Whether the rain asks for overtrousers, of those that keep it out. */
function askedOvers(
  { occasion, plan, shelter, situation }: ScoringContext,
  garments: readonly Garment[],
): Garment[] {
  const { coatNeed, drizzleC, overNeed } = model.k.layering;
  const need = occasion.place === 'outside' ? coatNeed : overNeed;
  if (plan === 'indoor' || occasion.place === 'sport') return [];
  if (shelter.legs.water < need || situation.windChillC >= drizzleC) return [];
  return garments.filter((g) => slotsOf(model, g).includes('over') && g.water >= coatNeed);
}

/** The coats of which the day asks for one: in the cold all; else those that keep out rain, wind or both, or any in frost. */
function askedCoats(
  { regions, shelter, situation, dangers }: ScoringContext,
  garments: readonly Garment[],
): Garment[] {
  const { coatC, coatNeed, drizzleC, outerClo, windMet, windNeed } = model.k.layering;
  const { water, wind } = shelter.torso;
  const coats = garments.filter((g) => slotsOf(model, g)[0] === 'outer');
  if (regions.outerwear > outerClo) {
    const isRain = water >= coatNeed && situation.weather.tempC >= model.k.rain.meltedC;
    const dry = isRain ? coats.filter((g) => g.water >= coatNeed) : [];
    return dry.length > 0 ? dry : coats;
  }
  if (dangers.some(({ code }) => code.startsWith('heat'))) return [];
  const isDrizzle = water > 0 && situation.windChillC < drizzleC && situation.met < windMet;
  const forRain = water >= coatNeed || isDrizzle ? coats.filter((g) => g.water >= coatNeed) : [];
  const isWindy = wind >= windNeed && situation.met < windMet;
  const forWind = isWindy ? coats.filter((g) => g.wind >= wind) : [];
  const forBoth = forRain.filter((g) => forWind.includes(g));
  if (forBoth.length > 0) return forBoth;
  if (forRain.length > 0) return forRain;
  const isFrozenSnow = water === 0 && model.tables.condition[situation.weather.condition].water > 0;
  const isFrost = situation.windChillC < coatC;
  const forFrost = (isFrozenSnow || isFrost) && situation.met < windMet ? coats : [];
  return forWind.length > 0 ? forWind : forFrost;
}

const isTights = (garment: Garment | undefined): boolean => garment?.category.id === 'tights';

const areTightsAsked = ({ plan, situation }: ScoringContext): boolean =>
  situation.windChillC < model.k.layering.tightsC &&
  !(situation.occasion === 'home' && plan === 'indoor');

/** Whether the legs are in a skirt or dress, with which long johns do not go. */
const isSkirt = ({ main, bottom }: Ensemble<Garment>): boolean =>
  [main, bottom].some((one) => one && model.tables.layering.skirts.includes(one.category.id));

/** Enumerates every outfit. */
function* everyOutfit(
  context: ScoringContext,
  garments: readonly Garment[],
): Generator<Ensemble<Garment>> {
  const choices = SLOTS.map((slot): (Garment | undefined)[] => [
    undefined,
    ...garments.filter(
      (g) =>
        slotsOf(model, g).includes(slot) &&
        (isTights(g) ? areTightsAsked(context) : isRelevant(context, slot)),
    ),
  ]);
  function* fill(at: number, ensemble: { [S in Slot]?: Garment }): Generator<Ensemble<Garment>> {
    const slot = SLOTS[at];
    if (slot === undefined) {
      yield ensemble;
      return;
    }
    for (const garment of choices[at]!) {
      if (garment && Object.values(ensemble).includes(garment)) continue;
      const next = garment ? { ...ensemble, [slot]: garment } : ensemble;
      if (at >= SLOTS.indexOf('bottom') && !isPlausible(context, next)) continue;
      yield* fill(at + 1, next);
    }
  }
  const hasShoes = garments.some((g) => slotsOf(model, g)[0] === 'shoes');
  const { glovesC, hatC, sleevesC } = model.k.layering;
  const { windChillC } = context.situation;
  const isOut = context.plan === 'outdoor';
  const asked = isOut ? askedCoats(context, garments) : [];
  const needs = (slot: Slot, belowC: number) =>
    isOut && windChillC < belowC && choices[SLOTS.indexOf(slot)]!.some(Boolean);
  const needsGloves = needs('hands', glovesC);
  const needsHat = needs('head', isSunny(context) ? Number.POSITIVE_INFINITY : hatC);
  const [underBottom, socks] = [SLOTS.indexOf('underBottom'), SLOTS.indexOf('socks')];
  const whole: Ensemble<Garment>[] = [];
  for (const ensemble of fill(0, {})) {
    if (needsGloves && !ensemble.hands) continue;
    if (needsHat && !ensemble.head) continue;
    if (hasShoes && !ensemble.shoes) continue;
    if (asked.length > 0 && !asked.some((coat) => coat === ensemble.outer)) continue;
    const isBare = ['sandals', 'heels', 'flats'].includes(ensemble.shoes?.category.id ?? '');
    if (isBare ? ensemble.socks : !ensemble.socks && choices[socks]!.some(Boolean)) continue;
    if (isSkirt(ensemble) && !ensemble.underBottom && choices[underBottom]!.some(isTights))
      continue;
    whole.push(ensemble);
  }
  const overs = askedOvers(context, garments);
  const fit = whole.filter(
    (one) =>
      (!isOut || windChillC >= sleevesC || hasSleeves(one)) &&
      (overs.length === 0 || !one.bottom || overs.includes(one.over!)),
  );
  yield* fit.length > 0 ? fit : whole;
}

/** Whether a coat, a pullover or the top covers the arms. */
const hasSleeves = ({ outer, mid, main }: Ensemble<Garment>): boolean =>
  [outer, mid, main].some(
    (one) =>
      one &&
      (one === outer || isSet(one) || !model.tables.coverage.bareArms.includes(one.category.id)),
  );

/** The rules of a valid outfit, written independently of the search. */
function isPlausible(
  { plan }: ScoringContext,
  { mid, main, over, bottom, underBottom }: Ensemble<Garment>,
): boolean {
  if (!main) return false;
  if (underBottom && isTights(underBottom) !== isSkirt({ main, bottom })) return false;
  const legsCovered = isDress(main) || (mid !== undefined && isSet(mid));
  if (legsCovered === (bottom !== undefined)) return false;
  if (over && !bottom) return false;
  if (bottom && plan === 'indoor' && bottom.layer === 'outer') return false;
  return !mid || goesOver(model, mid, main);
}

const visibleKey = ({ mid, main, bottom }: Ensemble<Garment>) =>
  [mid?.id, main?.id, bottom?.id].join('/');

/** The same garments in other places, such as overtrousers under others, are one outfit. */
const coreKey = (ensemble: Ensemble<Garment>) =>
  CORE_SLOTS.flatMap((slot) => ensemble[slot]?.id ?? [])
    .sort()
    .join('/');

const wholeKey = (ensemble: Ensemble<Garment>) =>
  Object.values(ensemble)
    .map((garment) => garment?.id)
    .sort()
    .join('/');

interface Scored {
  ensemble: Ensemble<Garment>;
  score: number;
}

/** Every outfit with its score, best first; `style` is worn with each. */
function everyScore(
  context: ScoringContext,
  garments: readonly Garment[],
  style: Ensemble<Garment> = {},
): Scored[] {
  return [...everyOutfit(context, garments)]
    .map((outfit) => ({ ...outfit, ...style }))
    .map((ensemble) => ({
      ensemble,
      score: comparableScore(context, mapEnsemble(ensemble, context.toWornItem)),
    }))
    .sort((a, b) => b.score - a.score);
}

/** The best outfit of each key; the outfits are in order. */
function bestOfEach(outfits: readonly Scored[], keyOf: (ensemble: Ensemble<Garment>) => string) {
  const best = new Map<string, Scored>();
  for (const outfit of outfits) {
    const key = keyOf(outfit.ensemble);
    if (!best.has(key)) best.set(key, outfit);
  }
  return [...best.values()];
}

function bruteForce(context: ScoringContext, garments: readonly Garment[]) {
  const all = everyScore(context, garments);
  return {
    count: BigInt(bestOfEach(all, wholeKey).length),
    scores: bestOfEach(all, visibleKey).map(({ score }) => score),
  };
}

/** The list as documented: the best of each look, then of each core, then all others. */
function filledList(all: readonly Scored[], limit: number): number[] {
  const looks = bestOfEach(all, visibleKey);
  const cores = bestOfEach(all, coreKey);
  return bestOfEach([...looks.slice(0, limit), ...cores, ...all], wholeKey)
    .slice(0, limit)
    .map(({ score }) => score)
    .sort((a, b) => b - a);
}

/** A random small request, its scoring context, and the garments that no rule excludes. */
function drawSearch(seed: number, plan: 'indoor' | 'outdoor', items: number, more: object = {}) {
  const random = createRandom(seed);
  const request = CandidatesRequest.parse({
    ...drawDay(random),
    plan,
    items: drawWardrobe(random, items, 1),
    ...more,
  });
  return { random, request };
}

function searched(request: CandidatesRequest, limit: number) {
  const context = createScoringContext(
    model,
    situationOf(model, request),
    request.plan ?? 'indoor',
  );
  const found = findCandidates(model, request, limit, readGarments(model, request));
  const excluded = new Set(found.diagnostics.flatMap(({ itemIds }) => itemIds ?? []));
  const garments = request.items
    .filter(({ id }) => !excluded.has(id))
    .map((item) => readGarment(model, item));
  const scores = found.candidates.map(({ ensemble }) => comparableScore(context, ensemble));
  return { context, found, garments, scores };
}

const TIGHTS = [
  { id: 'sheer', category: 'tights' },
  { id: 'opaque', category: 'tights', clo: 0.1 },
];
const WARDROBES = 220;
const TOP = 10;

/** Many alike, some of them trousers too. */
const OVERTROUSERS = [
  { id: 'ski-a', category: 'ski_trousers', clo: 0.3, windResistance: 0.9 },
  { id: 'ski-b', category: 'ski_trousers', clo: 0.3, windResistance: 0.9 },
  { id: 'ski-c', category: 'ski_trousers', clo: 0.3, windResistance: 0.4 },
  { id: 'rain-a', category: 'rain_trousers', clo: 0.3, windResistance: 0.7 },
  { id: 'rain-b', category: 'rain_trousers', clo: 0.2, windResistance: 0.5 },
  { id: 'rain-c', category: 'rain_trousers', clo: 0.2, windResistance: 0.2 },
];

describe('the search against brute force', () => {
  test('overtrousers that replace others: the best outfit of each look is the same', () => {
    let covered = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const random = createRandom(seed * 31);
      const day = drawDay(random);
      const tempC = -5 - random.below(15);
      const request = CandidatesRequest.parse({
        ...day,
        weather: { ...day.weather, tempC, windMs: 12 },
        plan: 'outdoor',
        items: [
          { id: 'shirt', category: 't_shirt' },
          { id: 'pullover', category: 'sweater' },
          { id: 'jeans', category: 'jeans' },
          { id: 'boots', category: 'boots' },
          ...OVERTROUSERS.map((item, at) => ({
            ...item,
            waterResistance: random.below(3) / 4,
            // They differ in colour alone, or they would be one choice.
            colors: [{ hex: `#${at}0${at}080` }],
          })),
        ],
      });
      const { context, garments } = searched(request, TOP);
      const { solutions } = search(createSearchProblem(model, request, garments, true), {
        size: TOP,
        keySlots: ['mid', 'main', 'bottom'],
      });
      expect(
        solutions.map(({ score }) => score),
        `seed ${seed}`,
      ).toEqual(bruteForce(context, garments).scores.slice(0, TOP));
      if (solutions[0]?.ensemble.over) covered += 1;
    }
    expect(covered).toBeGreaterThan(5);
  });

  test.each(['indoor', 'outdoor'] as const)(
    '%s: the best outfits, their scores and the number of outfits are the same',
    (plan) => {
      let compared = 0;
      for (let seed = 1; seed <= WARDROBES / 2; seed++) {
        const random = createRandom(seed * 7919 + plan.length);
        const request = CandidatesRequest.parse({
          ...drawDay(random),
          plan,
          items: [
            ...drawWardrobe(random, 8 + random.below(plan === 'indoor' ? 23 : 12), 1),
            ...TIGHTS.slice(0, seed % 3),
          ],
        });
        const situation = situationOf(model, request);
        const context = createScoringContext(model, situation, plan);
        const candidateSet = findCandidates(model, request, TOP, readGarments(model, request));
        const excluded = new Set(candidateSet.diagnostics.flatMap(({ itemIds }) => itemIds ?? []));
        const garments = request.items
          .filter(({ id }) => !excluded.has(id))
          .map((item) => readGarment(model, item));
        const brute = bruteForce(context, garments);
        expect(candidateSet.gap).toBe(0);
        expect(candidateSet.totalValid, `seed ${seed}`).toBe(brute.count);
        const found = candidateSet.candidates
          .slice(0, Math.min(TOP, brute.scores.length))
          .map(({ ensemble }) => comparableScore(context, ensemble));
        const looks = new Set(
          candidateSet.candidates.map(({ candidate: { slots } }) =>
            [slots.mid, slots.main, slots.bottom].join('/'),
          ),
        );
        if (brute.scores.length >= TOP && looks.size === TOP) {
          expect(found, `seed ${seed}`).toEqual(brute.scores.slice(0, TOP));
          compared += 1;
        } else if (found.length > 0) {
          expect(found[0], `seed ${seed}`).toBe(brute.scores[0]);
        }
      }
      expect(compared).toBeGreaterThan(WARDROBES / 6);
    },
  );
});

test('a search that is cut short says so, and no search of more nodes beats its gap', () => {
  let cut = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const random = createRandom(1_000_000 + seed);
    const items = drawWardrobe(random, 300);
    const request = CandidatesRequest.parse({ ...drawDay(random), plan: 'outdoor', items });
    const problem = createSearchProblem(model, request, readGarments(model, request), true);
    const find = (nodes: number) =>
      search(problem, { size: 25, keySlots: ['mid', 'main', 'bottom'], nodes });
    const [short, long] = [find(300), find(4_000)];
    expect(short.gap > 0).toBe(short.isTruncated);
    const last = short.solutions.at(-1)!.score;
    for (const [at, { score }] of long.solutions.entries())
      if (score > short.solutions[at]!.score) expect(score).toBeLessThanOrEqual(last + short.gap);
    if (short.isTruncated) cut += 1;
  }
  expect(cut).toBeGreaterThan(2);
});

test('an outfit is read from its item ids alone, in any order', () => {
  const random = createRandom(5);
  const request = CandidatesRequest.parse({
    ...drawDay(random),
    plan: 'outdoor',
    items: drawWardrobe(random, 60),
  });
  const garments = new Map(request.items.map((item) => [item.id, readGarment(model, item)]));
  const { candidates } = findCandidates(model, request, 100, readGarments(model, request));
  expect(candidates.length).toBeGreaterThan(50);
  for (const { candidate } of candidates) {
    const ensemble = assembleEnsemble(
      model,
      [...candidate.itemIds].reverse().map((id) => garments.get(id)!),
    );
    if (typeof ensemble === 'string') throw new Error(ensemble);
    expect(Object.fromEntries(Object.entries(ensemble).map(([slot, g]) => [slot, g?.id]))).toEqual(
      candidate.slots,
    );
  }
});

const PLANS = ['indoor', 'outdoor'] as const;

test.each(PLANS)('%s: the list is filled with whole outfits up to the limit', (plan) => {
  let filled = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { random, request } = drawSearch(seed * 31 + plan.length, plan, 6 + (seed % 8));
    const limit = 1 + random.below(60);
    const { context, found, garments, scores } = searched(request, limit);
    const all = everyScore(context, garments);
    expect(scores, `seed ${seed}`).toEqual(filledList(all, limit));
    const { length } = bestOfEach(all, wholeKey);
    expect(found.candidates).toHaveLength(Math.min(limit, length));
    if (bestOfEach(all, visibleKey).length < found.candidates.length) filled += 1;
  }
  expect(filled).toBeGreaterThan(3);
});

test('of garments that are equal, every combination is listed', () => {
  const items = ['t_shirt', 'jeans', 'sneakers'].flatMap((category) =>
    [1, 2, 3].map((n) => ({ id: `${category}-${n}`, category })),
  );
  const { request } = drawSearch(4, 'indoor', 0, { items });
  const { found } = searched(request, 200);
  expect(found.totalValid).toBe(27n);
  expect(new Set(found.candidates.map(({ candidate }) => candidate.id)).size).toBe(27);
});

test('a list of outfits that differ in hats, scarves and gloves alone is filled too', () => {
  const items = ['t_shirt', 'jeans', 'boots', 'parka', 'beanie', 'scarf', 'gloves'].flatMap(
    (category) =>
      Array.from({ length: ['beanie', 'scarf', 'gloves'].includes(category) ? 9 : 1 }, (_, n) => ({
        id: `${category}-${n}`,
        category,
        clo: 0.05 + n / 1000,
      })),
  );
  const weather = { tempC: -8, windMs: 5, humidityPct: 60, condition: 'cloudy' };
  const { request } = drawSearch(4, 'outdoor', 0, { items, weather });
  const { found } = searched(request, 200);
  // Ten choices of scarf, and nine of hat and of gloves, which the frost asks for.
  expect(found.totalValid).toBe(810n);
  expect(found.candidates).toHaveLength(200);
});

test.each(PLANS)('%s: pinned items are in every outfit, which is still the best', (plan) => {
  let compared = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { random, request } = drawSearch(seed * 57 + plan.length, plan, 14);
    const { garments } = searched(request, 1);
    const [first, second] = [random.pick(garments), random.pick(garments)];
    const pin = [...new Set([first.id, second.id])];
    if (!canCombine(model, [...new Set([first, second])])) continue;
    const pinned = searched({ ...request, pin }, TOP);
    expect(pinned.found.gap).toBe(0);
    for (const { candidate } of pinned.found.candidates)
      expect(candidate.itemIds).toEqual(expect.arrayContaining(pin));
    const brute = everyScore(pinned.context, pinned.garments).filter(({ ensemble }) => {
      const ids = new Set(Object.values(ensemble).map((garment) => garment?.id));
      return pin.every((id) => ids.has(id));
    });
    // Items that the weather does not call for are worn if they are pinned; the enumeration has none.
    if (brute.length === 0) continue;
    compared += 1;
    expect(pinned.scores, `seed ${seed}`).toEqual(filledList(brute, TOP));
  }
  expect(compared).toBeGreaterThan(20);
});

test.each(PLANS)(
  '%s, formal: the best outfit is that with the best tie, or of those without',
  (plan) => {
    let tied = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const { request } = drawSearch(seed * 53 + plan.length, plan, 14, {
        occasion: 'business_formal',
        weather: { tempC: 3 + seed, windMs: 3, humidityPct: 60, condition: 'cloudy' },
      });
      const own = [
        ['blazer', '#1b2a4a'],
        ['dress_shirt', '#cfe0ea'],
        ['dress_trousers', '#3d4145'],
        ['tie', '#802020'],
        ['tie', '#2d5a3d'],
        ['suit_set', '#6b4226'],
      ].map(([category, hex], i) =>
        WardrobeItem.parse({ id: `own-${i}`, category, colors: [{ hex }] }),
      );
      const items = [...request.items, ...own];
      const best = (more: object) =>
        findCandidates(
          model,
          { ...request, items, ...more },
          200,
          readGarments(model, { ...request, items }),
        );
      const scoreOf = (found: ReturnType<typeof best>, isIn: (main: string) => boolean) =>
        Math.max(
          ...found.candidates
            .filter(({ ensemble }) => isIn(ensemble.main?.garment.category.id ?? ''))
            .map(({ ensemble }) => comparableScore(found.context, ensemble)),
        );
      const isShirt = (main: string) =>
        main.endsWith('shirt') && !/^(t|polo|short|flannel)/.test(main);
      const found = best({});
      const all = [
        scoreOf(best({ must: ['own-3'] }), isShirt),
        scoreOf(best({ must: ['own-4'] }), isShirt),
        scoreOf(best({ exclude: ['own-3', 'own-4'] }), (main) => !isShirt(main)),
      ];
      expect(
        scoreOf(found, () => true),
        `seed ${seed}`,
      ).toBe(Math.max(...all));
      if (found.candidates[0]?.ensemble.tie) tied += 1;
    }
    expect(tied).toBeGreaterThan(3);
  },
);

test.each(PLANS)('%s: a required belt, tie, bag and glasses count, without warmth', (plan) => {
  const categories = ['belt', 'tie', 'bag', 'sunglasses'];
  const style = categories.map((category, i) => ({
    id: category,
    category,
    colors: [{ hex: ['#f0d020', '#20a0c0', '#b01030', '#106020'][i] }],
    seasons: i === 0 ? ['summer'] : [],
    formality: i,
  }));
  let compared = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const { random, request } = drawSearch(seed * 71 + plan.length, plan, 12);
    // A tie asks for a jacket.
    const isJacket = (id: string) => model.tables.layering.jackets.includes(id);
    const withTie = !request.items.some(({ category }) => isJacket(category));
    const must = style
      .filter(({ id }) => random.next() < 0.6 && (withTie || id !== 'tie'))
      .map(({ id }) => id);
    const items = [...request.items, ...style.map((item) => WardrobeItem.parse(item))];
    const { context, found, garments, scores } = searched({ ...request, items, must }, TOP);
    const worn = Object.fromEntries(
      garments.filter(({ id }) => must.includes(id)).map((g) => [slotsOf(model, g)[0]!, g]),
    );
    const all = everyScore(context, garments, worn);
    expect(scores, `seed ${seed}`).toEqual(filledList(all, TOP));
    expect(found.totalValid).toBe(BigInt(bestOfEach(all, wholeKey).length));
    for (const { candidate } of found.candidates)
      expect(candidate.itemIds).toEqual(expect.arrayContaining(must));
    compared += found.candidates.length;
  }
  expect(compared).toBeGreaterThan(100);
});

test('a budget of nodes is spent on outfits near the best: neighbours of good ones come first', () => {
  const withNodes = (nodes: number): Model => ({
    ...model,
    k: { ...model.k, search: { ...model.k.search, nodes } },
  });
  const [few, many] = [withNodes(2_500), withNodes(12_500)];
  let ofBest = 0;
  let ofLast = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const random = createRandom(seed);
    const items = drawWardrobe(random, 300);
    const request = CandidatesRequest.parse({ ...drawDay(random), plan: 'outdoor', items });
    const [scores, better] = [few, many].map((own) => {
      const { context, candidates } = findCandidates(own, request, 25, readGarments(own, request));
      return candidates.map(({ ensemble }) => 100 * comparableScore(context, ensemble));
    });
    ofBest += better![0]! - scores![0]!;
    ofLast += better!.at(-1)! - scores!.at(-1)!;
  }
  // Points, at the budget of the params against five times as much.
  expect(ofBest / 8).toBeLessThan(0.1);
  expect(ofLast / 8).toBeLessThan(0.2);
});
