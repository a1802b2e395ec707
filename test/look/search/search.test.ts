import { describe, expect, test } from 'vitest';
import { situationOf } from '../../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import {
  createScoringContext,
  type ScoringContext,
  type WornItem,
} from '../../../src/look/scoring/context.ts';
import { findCandidates, readGarments } from '../../../src/look/search/candidates.ts';
import { comparableScore } from '../../../src/look/search/search.ts';
import {
  assembleEnsemble,
  type Ensemble,
  goesOver,
  isDress,
  isSet,
  SLOTS,
  type Slot,
  slotsOf,
} from '../../../src/look/wardrobe/ensemble.ts';
import { type Garment, readGarment } from '../../../src/look/wardrobe/garment-clo.ts';
import { CandidatesRequest } from '../../../src/look/wardrobe/wardrobe-request.ts';
import { createRandom, drawDay, drawWardrobe } from '../wardrobes.ts';

const model = readModel(PARAMS);

/** Whether a slot is considered on this day, by rules written independently of the search. */
function isRelevant(context: ScoringContext, slot: Slot): boolean {
  const { plan, regions, situation, shelter } = context;
  const { layering, rain } = model.k;
  const out = plan === 'outdoor';
  if (slot === 'outer') return out;
  if (slot === 'over')
    return out && (shelter.legs.water >= rain.overLegs || regions.bottom >= layering.overClo);
  if (slot === 'underTop' || slot === 'underBottom')
    return situation[plan].iclRequired >= layering.underClo;
  if (slot === 'socks') return regions.shoes >= layering.socksClo;
  if (slot === 'head' || slot === 'neck' || slot === 'hands')
    return out && regions.accessory >= layering.extraClo;
  return true;
}

/** Enumerates every outfit. */
function* everyOutfit(
  context: ScoringContext,
  garments: readonly Garment[],
): Generator<Ensemble<Garment>> {
  const choices = SLOTS.map((slot): (Garment | undefined)[] => [
    undefined,
    ...(isRelevant(context, slot) ? garments.filter((g) => slotsOf(model, g).includes(slot)) : []),
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
  const hasOuter = garments.some((g) => slotsOf(model, g)[0] === 'outer');
  const needsOuter =
    context.plan === 'outdoor' && hasOuter && context.regions.outerwear > model.k.layering.outerClo;
  for (const ensemble of fill(0, {})) {
    if (hasShoes && !ensemble.shoes) continue;
    if (needsOuter && !ensemble.outer) continue;
    yield ensemble;
  }
}

/** The rules of a valid outfit, written independently of the search. */
function isPlausible(
  { plan }: ScoringContext,
  { mid, main, over, bottom }: Ensemble<Garment>,
): boolean {
  if (!main) return false;
  const legsCovered = isDress(main) || (mid !== undefined && isSet(mid));
  if (legsCovered === (bottom !== undefined)) return false;
  if (over && !bottom) return false;
  if (bottom && plan === 'indoor' && bottom.layer === 'outer') return false;
  return !mid || goesOver(model, mid, main);
}

const visibleKey = ({ mid, main, bottom }: Ensemble<Garment>) =>
  [mid?.id, main?.id, bottom?.id].join('/');

function bruteForce(context: ScoringContext, garments: readonly Garment[]) {
  const best = new Map<string, number>();
  let count = 0n;
  for (const ensemble of everyOutfit(context, garments)) {
    count += 1n;
    const items: Ensemble<WornItem> = Object.fromEntries(
      SLOTS.flatMap((slot) =>
        ensemble[slot] ? [[slot, context.toWornItem(ensemble[slot])] as const] : [],
      ),
    );
    const score = comparableScore(context, items);
    const key = visibleKey(ensemble);
    best.set(key, Math.max(best.get(key) ?? 0, score));
  }
  return { count, scores: [...best.values()].sort((a, b) => b - a) };
}

const WARDROBES = 220;
const TOP = 10;

describe('the search against brute force', () => {
  test.each(['indoor', 'outdoor'] as const)(
    '%s: the best outfits, their scores and the number of outfits are the same',
    (plan) => {
      let compared = 0;
      for (let seed = 1; seed <= WARDROBES / 2; seed++) {
        const random = createRandom(seed * 7919 + plan.length);
        const request = CandidatesRequest.parse({
          ...drawDay(random),
          plan,
          items: drawWardrobe(random, 8 + random.below(plan === 'indoor' ? 23 : 12), 1),
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
