/** The outfits of each day of a trip that are tried, and better ones from what is packed. */

import type { SearchProblem } from '../candidates/problem.ts';
import type { Model } from '../params.ts';
import { shownScore } from '../scoring/score.ts';
import type { Solution } from '../search/complete.ts';
import { search } from '../search/search.ts';
import {
  CORE_SLOTS,
  EXTRA_SLOTS,
  itemsOf,
  mapEnsemble,
  type Slot,
  slotsOf,
} from '../wardrobe/ensemble.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { CapsuleProblem, DayChoices, DayOutfit } from './capsule.ts';

/** Slots whose garments need washing. */
const WASHED_SLOTS: readonly Slot[] = ['main', 'bottom', 'underTop', 'underBottom', 'socks'];

/** Outfits listed for each day, of the whole wardrobe. */
const MAX_LISTED = 200;
/** Of each template, without extras. */
const MAX_PLAIN = 50;
/** Nodes of all searches of one kind together, so that a long trip takes no longer than a short one. */
const MAX_NODES = 10_000;

/** Whether a garment needs washing in whatever slot it is worn. */
export const needsWashing = (model: Model, garment: Garment): boolean =>
  garment.layer !== 'outer' && slotsOf(model, garment).every((slot) => WASHED_SLOTS.includes(slot));

/** An outfit that one day can have, as it was found. */
interface ListedOutfit extends DayOutfit {
  readonly solution: Solution;
}

/** The outfits of a day that are tried, best first. */
export type DayList = DayChoices<ListedOutfit>;

/** The problem of one day, and the numbers of garments by id. */
interface TripDayProblem {
  readonly problem: SearchProblem;
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Outfits of several searches, each once, best first. */
function mergeOutfits(lists: readonly (readonly ListedOutfit[])[]): ListedOutfit[] {
  const distinct = new Map<string, ListedOutfit>();
  for (const outfit of lists.flat().sort((a, b) => b.score - a.score)) {
    const key = [...outfit.items].sort((a, b) => a - b).join(' ');
    if (!distinct.has(key)) distinct.set(key, outfit);
  }
  return [...distinct.values()];
}

/** A solution with its items by number. */
function toListed(
  model: Model,
  indexOf: ReadonlyMap<string, number>,
  solution: Solution,
): ListedOutfit {
  const slots = mapEnsemble(solution.ensemble, ({ garment }) => indexOf.get(garment.id) ?? 0);
  return {
    items: itemsOf(slots),
    washed: WASHED_SLOTS.flatMap((slot) =>
      solution.ensemble[slot]?.garment.layer === 'outer' ? [] : (slots[slot] ?? []),
    ),
    // Above 0: an outfit that breaks rules is better than none.
    score: shownScore(model, solution.score),
    solution,
  };
}

/**
 * Lists outfits of a day: the best with each combination of extras, and the best of each template
 * without extras. Those have fewer items and less points, but more of them fit into a suitcase.
 */
export function listOutfits({ problem, indexOf }: TripDayProblem, days: number): DayList {
  const { context, templates } = problem;
  const { thicknesses, nodes } = context.model.k.search;
  const find = (some: readonly Template[], size: number, everyExtras: number) =>
    search(
      { ...problem, templates: some },
      {
        size,
        keySlots: CORE_SLOTS,
        everyExtras,
        nodes: Math.ceil(Math.min(nodes, MAX_NODES / days)),
      },
    );
  const listed = (solutions: readonly Solution[]) =>
    solutions.map((solution) => toListed(context.model, indexOf, solution));
  const whole = find(templates, MAX_LISTED, thicknesses);
  const outfits = listed(whole.solutions);
  if (outfits.length < MAX_LISTED && !whole.isTruncated) return { outfits, unlistedBound: 0 };
  const plain = templates.map((template) => listed(find([template], MAX_PLAIN, 0).solutions));
  return {
    outfits: mergeOutfits([outfits, ...plain]),
    unlistedBound: shownScore(context.model, (whole.solutions.at(-1)?.score ?? 0) + whole.gap),
  };
}

/** The problem of a wardrobe that has only some garments left for a slot, by number. */
function restrict(
  { problem, indexOf }: TripDayProblem,
  isLeft: (item: number, slot: Slot) => boolean,
): TripDayProblem {
  const keep = (slot: Slot, groups: readonly Group[]) =>
    groups.filter(({ item }) => isLeft(indexOf.get(item.garment.id) ?? -1, slot));
  const templates = problem.templates.flatMap((template): Template[] => {
    const core: { [S in CoreSlot]?: readonly Group[] } = {};
    for (const slot of CORE_SLOTS) {
      const groups = template.core[slot];
      if (!groups) continue;
      const left = keep(slot, groups);
      if (left.length > 0) core[slot] = left;
      else return [];
    }
    const extras = { ...template.extras };
    for (const slot of EXTRA_SLOTS) extras[slot] = keep(slot, extras[slot]);
    if (EXTRA_SLOTS.some((slot) => template.fixed.has(slot) && extras[slot].length === 0))
      return [];
    return [{ ...template, core, extras }];
  });
  return { problem: { ...problem, templates }, indexOf };
}

/** Nodes of the search for a better outfit of a day. */
const REDRESS_NODES = 400;

type Limits = Pick<CapsuleProblem, 'maxItems' | 'maxWears'>;
type Choice = ListedOutfit | undefined;

const itemsOfAll = (outfits: readonly Choice[]) => outfits.flatMap((outfit) => outfit?.items ?? []);
const totalOf = (outfits: readonly Choice[]) =>
  outfits.reduce((sum, outfit) => sum + (outfit?.score ?? 0), 0);
const worstOf = (outfits: readonly Choice[]) =>
  Math.min(...outfits.map((one) => one?.score ?? Number.POSITIVE_INFINITY));

/**
 * Dresses days better, in this order, from what is packed and, if there is room, what needs no washing: a
 * hat is worn on any day. A day without an outfit may take anything.
 */
function improve(
  days: readonly TripDayProblem[],
  garments: readonly Garment[],
  start: readonly Choice[],
  order: readonly number[],
  packed: ReadonlySet<number>,
  { maxItems, maxWears }: Limits,
): Choice[] {
  const outfits = [...start];
  for (const day of order) {
    const { model } = days[day]!.problem.context;
    const taken = new Set([...packed, ...itemsOfAll(outfits)]);
    const wears = new Map<number, number>();
    for (const [at, outfit] of outfits.entries())
      for (const item of at === day ? [] : (outfit?.washed ?? []))
        wears.set(item, (wears.get(item) ?? 0) + 1);
    const isFresh = (item: number) => (wears.get(item) ?? 0) < maxWears;
    const isWashed = (item: number) => needsWashing(model, garments[item]!);
    const own = outfits[day];
    const find = (isAllowed: (item: number) => boolean): Choice => {
      const { problem, indexOf } = restrict(
        days[day]!,
        (item, slot) => isAllowed(item) && (isFresh(item) || !WASHED_SLOTS.includes(slot)),
      );
      const options = { size: 1, keySlots: CORE_SLOTS, nodes: REDRESS_NODES };
      const [best] = search(problem, options).solutions;
      const found = best && toListed(model, indexOf, best);
      if (!found || (own && found.solution.score <= own.solution.score)) return undefined;
      return new Set([...taken, ...found.items]).size <= maxItems ? found : undefined;
    };
    const isTaken = (item: number) => taken.has(item);
    outfits[day] =
      (taken.size < maxItems ? find((item) => isTaken(item) || !isWashed(item)) : undefined) ??
      find(isTaken) ??
      own ??
      find((item) => isTaken(item) || isWashed(item)) ??
      find(() => true);
  }
  return outfits;
}

/** Mean score that a trip may lose so that its worst day gets better. */
const FAIR_LOSS = 0.03;

/**
 * Dresses the days again: those that need most insulation first, so that thermals are for the coldest day,
 * each with its best. The best of three: from what was chosen, from what that packs, and from nothing.
 */
export function redress(
  days: readonly TripDayProblem[],
  garments: readonly Garment[],
  chosen: readonly Choice[],
  limits: Limits,
): Choice[] {
  const needOf = (day: number) => {
    const { plan, situation } = days[day]!.problem.context;
    return (plan === 'outdoor' ? situation.outdoor : situation.indoor).iclRequired;
  };
  const coldestFirst = [...days.keys()].sort((a, b) => needOf(b) - needOf(a));
  const packed = new Set(itemsOfAll(chosen));
  const bare = days.map(() => undefined);
  const dress = (start: readonly Choice[], items: ReadonlySet<number>) =>
    improve(days, garments, start, coldestFirst, items, limits);
  const countOf = (outfits: readonly Choice[]) => outfits.filter((outfit) => outfit).length;
  return [dress(bare, packed), dress(bare, new Set())].reduce(
    (best, other) => {
      if (countOf(other) !== countOf(best)) return countOf(other) > countOf(best) ? other : best;
      const gain = totalOf(other) - totalOf(best);
      const isFair = worstOf(other) > worstOf(best) && gain > -FAIR_LOSS * days.length;
      return gain > 0 || isFair ? other : best;
    },
    dress(chosen, packed),
  );
}
