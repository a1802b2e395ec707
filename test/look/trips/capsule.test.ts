import { expect, test } from 'vitest';
import {
  type CapsuleProblem,
  type DayOutfit,
  packCapsule,
} from '../../../src/look/trips/capsule.ts';
import { createRandom, type Random } from '../wardrobes.ts';

/** The best sum of scores, by trying every choice. */
function bruteForce({ days, maxItems, maxWears }: CapsuleProblem): number {
  function visit(day: number, chosen: readonly DayOutfit[]): number {
    const items = new Set(chosen.flatMap((outfit) => outfit.items));
    const washed = chosen.flatMap((outfit) => outfit.washed);
    const wears = washed.map((item) => washed.filter((other) => other === item).length);
    if (items.size > maxItems || wears.some((count) => count > maxWears))
      return Number.NEGATIVE_INFINITY;
    const choices = days[day];
    if (!choices) return chosen.reduce((sum, { score }) => sum + score, 0);
    return Math.max(
      visit(day + 1, chosen),
      ...choices.outfits.map((outfit) => visit(day + 1, [...chosen, outfit])),
    );
  }
  return visit(0, []);
}

function drawProblem(random: Random): CapsuleProblem {
  const itemCount = 4 + random.below(6);
  const days = Array.from({ length: 1 + random.below(4) }, () => ({
    unlistedBound: 0,
    outfits: Array.from({ length: random.below(8) }, () => {
      const items = Array.from({ length: itemCount }, (_, i) => i).filter(
        () => random.next() < 0.4,
      );
      return { items, washed: items.filter((item) => item % 2 === 0), score: random.next() };
    }).sort((a, b) => b.score - a.score),
  }));
  return { days, itemCount, maxItems: 1 + random.below(7), maxWears: 1 + random.below(3) };
}

const scoreOf = (outfits: readonly (DayOutfit | undefined)[]): number =>
  outfits.reduce((sum, outfit) => sum + (outfit?.score ?? 0), 0);

test('small cases: the capsule is the best there is, and is proved to be', () => {
  const random = createRandom(2);
  for (let i = 0; i < 400; i++) {
    const problem = drawProblem(random);
    const { outfits, upperBound } = packCapsule(problem);
    const score = scoreOf(outfits);
    expect(score, `case ${i}`).toBeCloseTo(bruteForce(problem), 8);
    expect(upperBound - score).toBeLessThan(1e-8);
    const items = new Set(outfits.flatMap((outfit) => outfit?.items ?? []));
    expect(items.size).toBeLessThanOrEqual(problem.maxItems);
  }
});

test('with outfits that are not listed, the bound covers them', () => {
  const random = createRandom(3);
  let open = 0;
  for (let i = 0; i < 300; i++) {
    const problem = drawProblem(random);
    const days = problem.days.map(({ outfits }) => {
      const count = random.below(outfits.length + 1);
      return { outfits: outfits.slice(0, count), unlistedBound: outfits[count]?.score ?? 0 };
    });
    const { outfits, upperBound } = packCapsule({ ...problem, days });
    const score = scoreOf(outfits);
    expect(upperBound, `case ${i}`).toBeGreaterThan(bruteForce(problem) - 1e-8);
    expect(upperBound).toBeGreaterThanOrEqual(score);
    if (upperBound > score + 1e-8) open += 1;
  }
  expect(open).toBeGreaterThan(50);
});

test('days that can have no outfit add nothing to the bound', () => {
  const day = { outfits: [{ items: [0], washed: [0], score: 0.7 }], unlistedBound: 0.9 };
  const problem = { days: [day, day, day], itemCount: 1, maxItems: 1, maxWears: 2 };
  expect(packCapsule(problem).upperBound).toBeCloseTo(2.7);
  expect(packCapsule({ ...problem, maxDays: 2 }).upperBound).toBeCloseTo(1.8);
});
