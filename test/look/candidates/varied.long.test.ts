import { expect, test } from 'vitest';
import { findCandidates } from '../../../src/look/candidates/candidates.ts';
import { readGarments } from '../../../src/look/candidates/problem.ts';
import { readSigningKeys } from '../../../src/look/digest.ts';
import { computeOutfits } from '../../../src/look/outfits.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import { comparableScore, shownScore } from '../../../src/look/scoring/score.ts';
import { CandidatesRequest, OutfitsRequest } from '../../../src/look/wardrobe/wardrobe-request.ts';
import { CLOSET } from '../closet.ts';
import { createRandom, drawDay, drawWardrobe } from '../wardrobes.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k1:a-secret-of-the-test');

type Slots = Readonly<Record<string, string | undefined>>;
const piecesOf = ({ outer, mid, main, bottom, shoes, belt, tie, eyes, bag }: Slots): string[] =>
  [outer, mid, main, bottom, shoes, belt, tie, eyes, bag].flatMap((id) => id ?? []);

const isSame = (a: Slots, b: Slots): boolean =>
  Object.keys({ ...a, ...b }).every((slot) => a[slot] === b[slot]);

const isVaried = (a: Slots, b: Slots): boolean => {
  const [first, second] = [piecesOf(a), piecesOf(b)];
  const shared = first.filter((id) => second.includes(id)).length;
  return shared <= Math.min(first.length, second.length) / 2;
};

const everyPair = (outfits: readonly { slots: Slots }[]): [Slots, Slots][] =>
  outfits.flatMap(({ slots }, at) =>
    outfits.slice(at + 1).map((other): [Slots, Slots] => [slots, other.slots]),
  );

interface Listed {
  slots: Slots;
  score: number;
}

/** The largest sum of `size` outfits, any two of which are varied. */
function bruteForce(outfits: readonly Listed[], size: number): number {
  if (size === 0) return 0;
  return Math.max(
    Number.NEGATIVE_INFINITY,
    ...outfits.map(({ slots, score }, at) => {
      const rest = outfits.slice(at + 1).filter((other) => isVaried(slots, other.slots));
      return score + bruteForce(rest, size - 1);
    }),
  );
}

test.each(['indoor', 'outdoor'] as const)(
  '%s, small wardrobes: the set with the largest sum, proved',
  (plan) => {
    let found = 0;
    for (let seed = 1; seed <= 80; seed++) {
      const random = createRandom(seed * 41 + plan.length);
      const base = { ...drawDay(random), plan, items: drawWardrobe(random, 9, 1) };
      const variety = 2 + random.below(3);
      const request = CandidatesRequest.parse(base);
      const { candidates, context } = findCandidates(
        model,
        request,
        200,
        readGarments(model, request),
      );
      if (candidates.length > 60) continue;
      const all = candidates.map(({ candidate, ensemble }) => ({
        slots: candidate.slots,
        score: comparableScore(context, ensemble),
      }));
      const response = computeOutfits(model, keys, OutfitsRequest.parse({ ...base, variety }));
      const { outfits, gap, diagnostics } = response;
      expect(gap, `seed ${seed}`).toBe(0);
      expect(everyPair(outfits).every(([a, b]) => isVaried(a, b))).toBe(true);
      let size = variety;
      while (bruteForce(all, size) === Number.NEGATIVE_INFINITY) size -= 1;
      expect(outfits).toHaveLength(size);
      const isShort = diagnostics.some(({ code }) => code === 'too-similar');
      expect(isShort).toBe(size < variety);
      // Shown with one decimal.
      let sum = 0;
      for (const { slots, score: shown } of outfits) {
        const { score } = all.find((one) => isSame(one.slots, slots))!;
        expect(Math.abs(shown - 100 * shownScore(model, score))).toBeLessThan(0.05 + 1e-6);
        sum += score;
      }
      expect(sum, `seed ${seed}`).toBeCloseTo(bruteForce(all, size), 7);
      if (size > 1) found += 1;
    }
    expect(found).toBeGreaterThan(8);
  },
);

test('large wardrobes: outfits are varied, and the gap bounds what others could have', () => {
  const random = createRandom(6);
  for (const plan of ['indoor', 'outdoor']) {
    const base = { ...drawDay(random), plan, items: drawWardrobe(random, 200, 1) };
    const { outfits, gap } = computeOutfits(
      model,
      keys,
      OutfitsRequest.parse({ ...base, variety: 5 }),
    );
    expect(outfits).toHaveLength(5);
    expect(outfits.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(everyPair(outfits).every(([a, b]) => isVaried(a, b))).toBe(true);
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThan(15);
  }
});

test('required items count as shared, and `limit` is left out', () => {
  const weather = { tempC: 12, windMs: 3, humidityPct: 60, condition: 'cloudy' };
  const base = { weather, met: 2, items: CLOSET, pin: ['boots'] };
  const { outfits } = computeOutfits(model, keys, OutfitsRequest.parse({ ...base, variety: 3 }));
  expect(outfits).toHaveLength(3);
  for (const { itemIds } of outfits) expect(itemIds).toContain('boots');
  expect(everyPair(outfits).every(([a, b]) => isVaried(a, b))).toBe(true);
  const issues = OutfitsRequest.safeParse({ ...base, variety: 3, limit: 3 }).error?.issues;
  expect(issues?.map(({ path }) => path)).toEqual([['limit']]);
});
