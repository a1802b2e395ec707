import { describe, expect, test } from 'vitest';
import { situationOf } from '../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { type Judgement, judgementOf, type Piece } from '../../src/look/scoring/context.ts';
import { offerOf } from '../../src/look/search/candidates.ts';
import { exactScore } from '../../src/look/search/search.ts';
import {
  dress,
  goesOver,
  isDress,
  isSet,
  SLOTS,
  type Slot,
  slotsOf,
  type Worn,
} from '../../src/look/wardrobe/ensemble.ts';
import { type Garment, garmentOf } from '../../src/look/wardrobe/garment-clo.ts';
import { CandidatesRequest } from '../../src/look/wardrobe/wardrobe-request.ts';
import { createChance, drawDay, drawWardrobe } from './wardrobes.ts';

const model = readModel(PARAMS);

/** The slots that the day has reason for, read from the rules and not from the search's own table. */
function isOpen(judgement: Judgement, slot: Slot): boolean {
  const { plan, regions, situation, shelter } = judgement;
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

/** Every outfit there is, by trying everything. */
function* everyOutfit(
  judgement: Judgement,
  garments: readonly Garment[],
): Generator<Worn<Garment>> {
  const choices = SLOTS.map((slot): (Garment | undefined)[] => [
    undefined,
    ...(isOpen(judgement, slot) ? garments.filter((g) => slotsOf(model, g).includes(slot)) : []),
  ]);
  function* fill(at: number, worn: { [S in Slot]?: Garment }): Generator<Worn<Garment>> {
    const slot = SLOTS[at];
    if (slot === undefined) {
      yield worn;
      return;
    }
    for (const garment of choices[at]!) {
      if (garment && Object.values(worn).includes(garment)) continue;
      const next = garment ? { ...worn, [slot]: garment } : worn;
      if (at >= SLOTS.indexOf('bottom') && !isPlausible(judgement, next)) continue;
      yield* fill(at + 1, next);
    }
  }
  const hasShoes = garments.some((g) => slotsOf(model, g)[0] === 'shoes');
  const hasOuter = garments.some((g) => slotsOf(model, g)[0] === 'outer');
  const mustCover =
    judgement.plan === 'outdoor' &&
    hasOuter &&
    judgement.regions.outerwear > model.k.layering.outerClo;
  for (const worn of fill(0, {})) {
    if (hasShoes && !worn.shoes) continue;
    if (mustCover && !worn.outer) continue;
    yield worn;
  }
}

/** Rules of an outfit's core, in words of their own. */
function isPlausible({ plan }: Judgement, { mid, main, over, bottom }: Worn<Garment>): boolean {
  if (!main) return false;
  const legsCovered = isDress(main) || (mid !== undefined && isSet(mid));
  if (legsCovered === (bottom !== undefined)) return false;
  if (over && !bottom) return false;
  if (bottom && plan === 'indoor' && bottom.layer === 'outer') return false;
  return !mid || goesOver(model, mid, main);
}

const lookOf = ({ mid, main, bottom }: Worn<Garment>) => [mid?.id, main?.id, bottom?.id].join('/');

function bruteForce(judgement: Judgement, garments: readonly Garment[]) {
  const best = new Map<string, number>();
  let count = 0n;
  for (const worn of everyOutfit(judgement, garments)) {
    count += 1n;
    const pieces: Worn<Piece> = Object.fromEntries(
      SLOTS.flatMap((slot) => (worn[slot] ? [[slot, judgement.pieceOf(worn[slot])] as const] : [])),
    );
    const score = exactScore(judgement, pieces);
    const look = lookOf(worn);
    best.set(look, Math.max(best.get(look) ?? 0, score));
  }
  return { count, scores: [...best.values()].sort((a, b) => b - a) };
}

const WARDROBES = 220;
const TOP = 10;

describe('the search against trying everything', () => {
  test.each(['indoor', 'outdoor'] as const)(
    '%s: the best looks, their scores and the count agree',
    (plan) => {
      let compared = 0;
      for (let seed = 1; seed <= WARDROBES / 2; seed++) {
        const chance = createChance(seed * 7919 + plan.length);
        const request = CandidatesRequest.parse({
          ...drawDay(chance),
          plan,
          items: drawWardrobe(chance, 8 + chance.below(plan === 'indoor' ? 23 : 12), 1),
        });
        const situation = situationOf(model, request);
        const judgement = judgementOf(model, situation, plan);
        const offer = offerOf(model, request, TOP);
        const left = new Set(offer.diagnostics.flatMap(({ itemIds }) => itemIds ?? []));
        const garments = request.items
          .filter(({ id }) => !left.has(id))
          .map((item) => garmentOf(model, item));
        const brute = bruteForce(judgement, garments);
        expect(offer.gap).toBe(0);
        expect(offer.totalValid, `seed ${seed}`).toBe(brute.count);
        const found = offer.candidates
          .slice(0, Math.min(TOP, brute.scores.length))
          .map(({ worn }) => exactScore(judgement, worn));
        const looks = new Set(
          offer.candidates.map(({ candidate: { slots } }) =>
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

test('an outfit is read from its items alone, whatever their order', () => {
  const chance = createChance(5);
  const request = CandidatesRequest.parse({
    ...drawDay(chance),
    plan: 'outdoor',
    items: drawWardrobe(chance, 60),
  });
  const garments = new Map(request.items.map((item) => [item.id, garmentOf(model, item)]));
  const { candidates } = offerOf(model, request, 100);
  expect(candidates.length).toBeGreaterThan(50);
  for (const { candidate } of candidates) {
    const worn = dress(
      model,
      [...candidate.itemIds].reverse().map((id) => garments.get(id)!),
    );
    if (typeof worn === 'string') throw new Error(worn);
    expect(Object.fromEntries(Object.entries(worn).map(([slot, g]) => [slot, g?.id]))).toEqual(
      candidate.slots,
    );
  }
});
