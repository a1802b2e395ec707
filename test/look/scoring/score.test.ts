import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { situationOf } from '../../../src/look/comfort/targets.ts';
import { readSigningKeys } from '../../../src/look/digest.ts';
import { computeCandidates, computeOutfits, computeScore } from '../../../src/look/outfits.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import type { Ranked } from '../../../src/look/responses.ts';
import { Weather } from '../../../src/look/schema.ts';
import { createScoringContext } from '../../../src/look/scoring/context.ts';
import { shownScore } from '../../../src/look/scoring/score.ts';
import { TERMS } from '../../../src/look/tables.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  type ScoreRequest,
} from '../../../src/look/wardrobe/wardrobe-request.ts';
import type { WardrobeItem } from '../../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { randomRuns } from '../../support/many.ts';
import { CLOSET } from '../closet.ts';
import { createRandom, drawDay, drawWardrobe } from '../wardrobes.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k1:a-secret-of-the-test');

/** The candidates of a random day and wardrobe, as a request for /score. */
function randomRequest(seed: number): ScoreRequest & { plan: 'indoor' | 'outdoor' } {
  const random = createRandom(seed);
  const items = random.next() < 0.5 ? [...CLOSET] : drawWardrobe(random, 8 + random.below(25));
  const plan = random.pick(['indoor', 'outdoor'] as const);
  const request = CandidatesRequest.parse({ ...drawDay(random), items, plan, limit: 12 });
  const { targets, candidates } = computeCandidates(model, keys, request);
  return { targets, candidates, items: request.items, plan };
}

const scored = (request: ScoreRequest): Ranked[] => computeScore(model, keys, request).ranked;
/** The score of each outfit, which its item ids name. */
const scoreOfOutfit = (request: ScoreRequest) => {
  const ranked = byId(scored(request));
  return new Map(
    request.candidates.map(({ id, itemIds }) => [itemIds.join(' '), ranked.get(id)?.score]),
  );
};
const byId = (ranked: readonly Ranked[]) =>
  new Map(ranked.map((outfit) => [outfit.candidateId, outfit]));

/** Random requests with at least one outfit, other ones in each run. To find them takes longer than the checks. */
const requests = new Map(
  fc
    .sample(fc.integer({ min: 1, max: 1_000_000 }), randomRuns(50))
    .map((seed) => [seed, randomRequest(seed)] as const)
    .filter(([, { candidates }]) => candidates.length > 0),
);

describe('far from the goal the nearer outfit wins clearly', () => {
  /** What a tenth of a clo more changes of the score, in points; of a walk in a coat that keeps out the wind. */
  const gains = (tempC: number, plan: 'indoor' | 'outdoor') => {
    const weather = Weather.parse({ tempC, windMs: 4, humidityPct: 60, condition: 'cloudy' });
    const context = createScoringContext(model, situationOf(model, { weather, met: 1.6 }), plan);
    const { at } = context.curveFor({ wind: 1, breathability: 0.5 });
    const points = 100 * model.tables.weights.thermal;
    return [600, 1000, 1400, 1800].map((milliClo) => points * (at(milliClo + 100) - at(milliClo)));
  };

  test.each([-40, -25, -15])('at %d °C the warmer', (tempC) => {
    for (const gain of gains(tempC, 'outdoor')) expect(gain).toBeGreaterThan(2.5);
  });

  test.each([32, 38, 45])('at %d °C the cooler', (tempC) => {
    for (const gain of gains(tempC, 'outdoor')) expect(gain).toBeLessThan(-2.5);
  });

  test('and a score is shown above 0, in the same order', () => {
    const scores = [-20, -3, -1, 0, 0.1, 0.19, 0.2, 0.21, 0.9, 1];
    const shown = scores.map((score) => shownScore(model, score));
    expect(shown.every((one, i) => one > 0 && (i === 0 || one > shown[i - 1]!))).toBe(true);
    expect(shown.slice(-4)).toEqual(scores.slice(-4));
  });
});

const holds = (
  check: (request: ReturnType<typeof randomRequest>, choice: number) => void,
  runs = 25,
) =>
  fc.assert(
    fc.property(fc.constantFrom(...requests.keys()), fc.nat(1000), (seed, choice) =>
      check(requests.get(seed)!, choice),
    ),
    randomRuns(runs),
  );

const withItem = (
  request: ReturnType<typeof randomRequest>,
  id: string | undefined,
  change: (item: WardrobeItem) => Partial<WardrobeItem>,
) => ({
  ...request,
  items: request.items.map((item) => (item.id === id ? { ...item, ...change(item) } : item)),
});

describe('a score', () => {
  test('is the weighted sum of its terms, and all are within bounds', () => {
    holds((request) => {
      for (const { score, breakdown } of scored(request)) {
        const { penalty, ...terms } = breakdown;
        for (const term of Object.values(terms)) {
          expect(term).toBeGreaterThanOrEqual(0);
          expect(term).toBeLessThanOrEqual(1);
        }
        const sum = TERMS.reduce((sum, t) => sum + model.tables.weights[t] * breakdown[t], 0);
        // Below 20 points the score shown falls ever more slowly.
        expect(Math.abs(100 * shownScore(model, sum - penalty) - score)).toBeLessThan(0.16);
      }
    });
  });

  test('does not depend on the other candidates', () => {
    holds((request) => {
      for (const outfit of scored(request)) {
        const candidates = request.candidates.filter(({ id }) => id === outfit.candidateId);
        const [alone] = scored({ ...request, candidates });
        expect(alone?.score).toBe(outfit.score);
        expect(alone?.rank).toBe(1);
      }
    }, 15);
  });

  test('does not depend on the order of candidates or items', () => {
    holds((request) => {
      const reversed = {
        ...request,
        candidates: [...request.candidates].reverse(),
        items: [...request.items].reverse(),
      };
      expect(scored(reversed)).toEqual(scored(request));
    });
  });

  test('does not depend on unused items, names, pictures or unknown fields', () => {
    holds((request) => {
      const more = {
        ...request,
        items: [
          ...request.items.map((item) => ({ ...item, name: 'Mine', imageRef: 'x', brand: 'y' })),
          { id: 'left-over', category: 'wool_coat' },
        ],
      };
      const before = byId(scored(request));
      for (const { candidateId, score } of scored(more))
        expect(score).toBe(before.get(candidateId)?.score);
    });
  });

  test('does not depend on what was worn recently; only the rank does', () => {
    holds((request) => {
      const first = scored(request)[0]!;
      const again = scored({ ...request, recent: [{ itemIds: [...first.itemIds], daysAgo: 0 }] });
      const before = byId(scored(request));
      for (const { candidateId, score } of again)
        expect(score).toBe(before.get(candidateId)?.score);
      const now = again.find(({ candidateId }) => candidateId === first.candidateId);
      expect(now?.rank).toBeGreaterThanOrEqual(first.rank);
      expect(now?.breakdown.variety).toBeLessThan(1);
    });
  });
});

describe('better garments never lower their term', () => {
  const SLOTS = ['outer', 'mid', 'main', 'bottom', 'shoes'];
  const pickItem = (outfit: Ranked, choice: number) =>
    outfit.itemIds[choice % Math.min(SLOTS.length, outfit.itemIds.length)];

  test('more water resistance does not lower protection', () => {
    holds((request, choice) => {
      const [best] = scored(request);
      const drier = withItem(request, pickItem(best!, choice), () => ({ waterResistance: 1 }));
      const after = byId(scored(drier)).get(best!.candidateId);
      expect(after?.breakdown.protection).toBeGreaterThanOrEqual(best!.breakdown.protection);
    });
  });

  test('more wind resistance does not lower protection', () => {
    holds((request, choice) => {
      const [best] = scored(request);
      const tighter = withItem(request, pickItem(best!, choice), () => ({ windResistance: 1 }));
      const after = byId(scored(tighter)).get(best!.candidateId);
      expect(after?.breakdown.protection).toBeGreaterThanOrEqual(best!.breakdown.protection);
    });
  });

  test('more insulation improves an outfit that is too cold and worsens one that is too warm', () => {
    holds((request, choice) => {
      const [best] = scored(request);
      const id = pickItem(best!, choice);
      const warmer = withItem(request, id, ({ clo }) => ({
        clo: Math.min(2, (clo ?? 0.3) + 0.01),
      }));
      const plain = withItem(request, id, ({ clo }) => ({ clo: clo ?? 0.3 }));
      const before = byId(scored(plain)).get(best!.candidateId)!;
      const after = byId(scored(warmer)).get(best!.candidateId)!;
      expect(after.thermal.icl).toBeGreaterThanOrEqual(before.thermal.icl);
      // Indoors in the heat two places count, so either direction is possible.
      if (request.plan === 'indoor') return;
      const gained = after.breakdown.thermal - before.breakdown.thermal;
      if (after.thermal.deviation < -0.05) expect(gained).toBeGreaterThanOrEqual(0);
      if (before.thermal.deviation > 0.05) expect(gained).toBeLessThanOrEqual(0);
    });
  });

  test('a tag for the occasion does not lower the occasion term', () => {
    holds((request, choice) => {
      const { occasion } = (request.targets as { inputs: { occasion: string | null } }).inputs;
      fc.pre(occasion !== null);
      const [best] = scored(request);
      const tagged = withItem(request, pickItem(best!, choice), () => ({ occasions: [occasion!] }));
      const after = byId(scored(tagged)).get(best!.candidateId);
      expect(after?.breakdown.occasion).toBeGreaterThanOrEqual(best!.breakdown.occasion);
    });
  });
});

test('scores do not depend on ids: renamed items in the same order have the same scores', () => {
  holds((request) => {
    const renamed = (id: string) => `x-${id}`;
    const items = request.items.map((item) => ({ ...item, id: renamed(item.id) }));
    const { inputs, ...echo } = request.targets as Record<string, number> & {
      inputs: Record<string, unknown>;
    };
    const { tempC, windMs, humidityPct, met } = echo;
    const asked = CandidatesRequest.parse({
      weather: { tempC, windMs, humidityPct, condition: inputs.condition },
      met,
      occasion: inputs.occasion ?? undefined,
      items,
      plan: request.plan,
      limit: 12,
    });
    const found = computeCandidates(model, keys, asked);
    // By outfit: the order of equal scores depends on the hash of their ids.
    const scores = scoreOfOutfit({ ...found, items: asked.items, plan: request.plan });
    const before = [...scoreOfOutfit(request)].map(
      ([outfit, score]) => [outfit.split(' ').map(renamed).join(' '), score] as const,
    );
    expect(scores).toEqual(new Map(before));
  }, 25);
});

describe('some garments are excluded', () => {
  const outfitsFor = (tempC: number, items: readonly string[], more: object = {}) =>
    computeOutfits(
      model,
      keys,
      OutfitsRequest.parse({
        weather: { tempC, windMs: 3, humidityPct: 60, condition: 'cloudy' },
        met: 2,
        items: CLOSET.filter(({ id }) => items.includes(id)),
        limit: 20,
        ...more,
      }),
    );
  const itemsWorn = (response: ReturnType<typeof outfitsFor>) =>
    new Set(response.outfits.flatMap(({ itemIds }) => itemIds));
  const both = ['tee-white', 'jeans-blue', 'shorts-khaki', 'boots', 'sandals'];

  test('shorts and sandals in the cold, if there is something else', () => {
    const cold = outfitsFor(0, both);
    expect(itemsWorn(cold)).toEqual(new Set(['tee-white', 'jeans-blue', 'boots']));
    expect(cold.diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'not-in-cold',
        itemIds: expect.arrayContaining(['shorts-khaki', 'sandals']),
      }),
    );
    expect(itemsWorn(outfitsFor(25, both))).toEqual(new Set(both));
  });

  test('but not if there is nothing else, at home, or if they are required', () => {
    const only = ['tee-white', 'shorts-khaki', 'sandals'];
    expect(itemsWorn(outfitsFor(0, only))).toEqual(new Set(only));
    expect(itemsWorn(outfitsFor(0, both, { occasion: 'home' }))).toContain('shorts-khaki');
    expect(itemsWorn(outfitsFor(0, both, { must: ['shorts-khaki'] }))).toContain('shorts-khaki');
  });

  test('suede and sandals in the rain', () => {
    const rain = { weather: { tempC: 14, windMs: 3, humidityPct: 90, condition: 'heavy-rain' } };
    const shoes = ['tee-white', 'jeans-blue', 'suede-shoes', 'sandals', 'boots'];
    expect(itemsWorn(outfitsFor(14, shoes, rain))).toEqual(
      new Set(['tee-white', 'jeans-blue', 'boots']),
    );
    expect(itemsWorn(outfitsFor(14, shoes.slice(0, 4), rain)).size).toBe(4);
  });

  test('a suit at sports, a hoodie at a ceremony', () => {
    const sport = outfitsFor(18, ['suit', 'dress-shirt', 'tee-white', 'shorts-khaki', 'sneakers'], {
      occasion: 'sport',
    });
    expect(itemsWorn(sport)).toEqual(new Set(['tee-white', 'shorts-khaki', 'sneakers']));
    const ceremony = outfitsFor(
      18,
      ['suit', 'dress-shirt', 'hoodie-green', 'jeans-blue', 'oxfords'],
      {
        occasion: 'ceremony',
      },
    );
    expect(itemsWorn(ceremony)).not.toContain('hoodie-green');
    expect(ceremony.outfits[0]?.itemIds).toEqual(['suit', 'dress-shirt', 'oxfords']);
  });
});

describe('/score agrees with /candidates', () => {
  const weather = { tempC: 5, windMs: 8, humidityPct: 28, condition: 'cloudy' };
  const scoresOf = (items: object[], more: object) => {
    const request = CandidatesRequest.parse({ weather, met: 1.4, ...more, items });
    const found = computeCandidates(model, keys, request);
    const ranked = byId(scored({ ...found, items: request.items }));
    return found.candidates.map(({ id, slots }) => ({ slots, score: ranked.get(id)?.score ?? 0 }));
  };

  test('about which of two overtrousers is worn over the other', () => {
    const legs = [
      {
        id: 'windproof',
        category: 'ski_trousers',
        windResistance: 1,
        colors: [{ hex: '#291fa8' }],
      },
      {
        id: 'thick',
        category: 'ski_trousers',
        clo: 0.5,
        formality: 1,
        colors: [{ hex: '#a1f1e0' }],
      },
    ];
    const items = [{ id: 'hoodie', category: 'hoodie', colors: [{ hex: '#287d3a' }] }, ...legs];
    const more = { plan: 'outdoor', occasion: 'outdoor' };
    const [best] = scoresOf(items, more);
    expect(best?.slots).toMatchObject({ over: 'windproof', bottom: 'thick' });
    const outfits = OutfitsRequest.parse({ weather, met: 1.4, ...more, items });
    expect(best?.score).toBe(computeOutfits(model, keys, outfits).outfits[0]?.score);
  });

  test('about the order of the list, with garments that are equal', () => {
    const fleeces = ['first', 'second'].map((id) => ({ id, category: 'fleece_jacket' }));
    const scores = scoresOf([...fleeces, { id: 'suit', category: 'jumpsuit' }], { plan: 'indoor' });
    expect(scores).toHaveLength(3);
    expect(scores.map(({ score }) => score)).toEqual(
      scores.map(({ score }) => score).sort((a, b) => b - a),
    );
    expect(scores[0]?.score).toBe(scores[1]?.score);
  });
});
