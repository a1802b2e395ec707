import { describe, expect, test } from 'vitest';
import { readSigningKeys } from '../../../src/look/digest.ts';
import { computeCandidates, computeOutfits, computeScore } from '../../../src/look/outfits.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { computeTrip, TripRequest } from '../../../src/look/trips/trip.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../../../src/look/wardrobe/wardrobe-request.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k1:a-secret-of-the-test');

const day = {
  weather: { tempC: 20, windMs: 1, humidityPct: 50, condition: 'cloudy' },
  met: 1.6,
};

/** Eight equal T-shirts, `more` about one of them, and a pair of jeans and of shoes. */
const closet = (at: number, more: object, others: object = {}) => [
  ...Array.from({ length: 8 }, (_, i) => ({
    id: `tee-${i}`,
    category: 't_shirt',
    ...(i === at ? more : others),
  })),
  { id: 'jeans', category: 'jeans' },
  { id: 'sneakers', category: 'sneakers' },
];

const outfitsOf = (items: readonly object[], more: object = { limit: 5 }) =>
  computeOutfits(model, keys, OutfitsRequest.parse({ ...day, items, ...more })).outfits.map(
    ({ itemIds }) => itemIds,
  );

/** The items of the first outfit, by each way to ask for it. */
function firstOfEach(items: readonly object[]): Record<string, readonly string[] | undefined> {
  const request = CandidatesRequest.parse({ ...day, items, limit: 8 });
  const { candidates, targets } = computeCandidates(model, keys, request);
  const score = ScoreRequest.parse({ targets, candidates: [...candidates].reverse(), items });
  const trip = TripRequest.parse({ days: [{ date: '2026-11-25', ...day }], items, maxItems: 5 });
  return {
    candidates: candidates[0]?.itemIds,
    score: computeScore(model, keys, score).ranked[0]?.itemIds,
    outfits: outfitsOf(items)[0],
    variety: outfitsOf(items, { variety: 2 })[0],
    trip: computeTrip(model, trip).days[0]?.outfit?.itemIds,
  };
}

describe('among garments with equal scores', () => {
  test.each([
    ['the favourite', { favorite: true }, {}],
    ['the one that was not worn for longest', { lastWornDaysAgo: 60 }, { lastWornDaysAgo: 30 }],
  ])('%s comes first', (_, more, others) => {
    for (const at of [0, 3, 7]) {
      for (const [way, itemIds] of Object.entries(firstOfEach(closet(at, more, others))))
        expect(itemIds, way).toContain(`tee-${at}`);
    }
  });

  test('the seed decides, and the same seed decides the same', () => {
    const firsts = Array.from({ length: 20 }, (_, seed) => {
      const [first] = outfitsOf(closet(0, {}), { limit: 5, seed });
      expect(outfitsOf(closet(0, {}), { limit: 5, seed })[0]).toEqual(first);
      return first?.join();
    });
    expect(new Set(firsts).size).toBeGreaterThan(3);
  });

  test('a favourite coat is the first to put on', () => {
    const coats = [0, 1, 2, 3].map((i) => ({
      id: `parka-${i}`,
      category: 'parka',
      ...(i === 3 && { favorite: true }),
    }));
    const weather = { ...day.weather, tempC: 3 };
    const request = OutfitsRequest.parse({ ...day, weather, items: [...closet(0, {}), ...coats] });
    const [first] = computeOutfits(model, keys, request).outfits;
    expect(first?.shell?.items[0]?.itemId).toBe('parka-3');
  });
});
