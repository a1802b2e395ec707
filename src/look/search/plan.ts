import type { Judgement } from '../scoring/context.ts';
import { regionFit } from '../scoring/score.ts';
import { isSet } from '../wardrobe/ensemble.ts';
import { extrasOf, type Under } from '../wardrobe/extras.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';

/** Order of choice: what decides on wind and rain first, then what decides most. */
const ORDER: readonly CoreSlot[] = ['outer', 'mid', 'main', 'over', 'bottom', 'shoes'];

export interface Level {
  readonly slot: CoreSlot;
  /** A choice of nothing stands for bare legs under no overtrousers. */
  readonly groups: readonly (Group | undefined)[];
  /** Numbers of the groups. */
  readonly indexes: Int32Array;
  /** Share of the look; 0 for overtrousers, which are not judged either. */
  readonly area: number;
  /** The best that each choice can do for a region and for shelter of its own, weighted. */
  readonly ownBound: Float64Array;
  readonly mostOccasion: number;
  /** Of each choice: thousandths of a clo, fit for the occasion, what is missing of shelter. */
  readonly milli: Float64Array;
  /** The same in the rain, with nothing over it. */
  readonly leastMilli: Float64Array;
  readonly occasion: Float64Array;
  readonly water: Float64Array;
  readonly wind: Float64Array;
  /** Least and most thousandths of a clo. */
  readonly least: number;
  readonly leastDry: number;
  readonly most: number;
}

/** Region fit by thousandths of a clo, each computed once, and its greatest value in a range. */
function fitTable(judgement: Judgement, target: number) {
  const known = new Float64Array(judgement.mostMilli + 1);
  const at = (milli: number): number => {
    const value = known[milli]!;
    if (value > 0) return value;
    known[milli] = regionFit(judgement, milli, target);
    return known[milli]!;
  };
  const peak = target * 1000;
  return {
    at,
    bound: (low: number, high: number): number =>
      high < peak ? at(high) : low > peak ? at(low) : 1,
  };
}

/** How well each region's target is met, for every template of one search. */
export const fitTables = (judgement: Judgement) => {
  const { regions } = judgement;
  return {
    top: fitTable(judgement, regions.top),
    dress: fitTable(judgement, regions.dress),
    bottom: fitTable(judgement, regions.bottom),
    outer: fitTable(judgement, regions.outerwear),
    shoes: fitTable(judgement, regions.shoes),
    accessory: fitTable(judgement, regions.accessory),
  };
};
export type FitTables = ReturnType<typeof fitTables>;

function most(values: ArrayLike<number>): number {
  let high = 0;
  for (let i = 0; i < values.length; i++) high = Math.max(high, values[i]!);
  return high;
}

function least(values: ArrayLike<number>): number {
  let low = values[0] ?? 0;
  for (let i = 1; i < values.length; i++) low = Math.min(low, values[i]!);
  return low;
}

type Choices = readonly (Group | undefined)[];

/** A number of each choice. */
export function each(groups: Choices, of: (group: Group | undefined) => number): Float64Array {
  const row = new Float64Array(groups.length);
  for (let i = 0; i < row.length; i++) row[i] = of(groups[i]);
  return row;
}

/** What each choice leaves missing of shelter, over the parts of the body that it covers. */
function missingOf(
  { model, shelter }: Judgement,
  kind: 'water' | 'wind',
  parts: readonly ('torso' | 'legs' | 'feet')[],
  groups: Choices,
): Float64Array {
  const row = new Float64Array(groups.length);
  for (const part of parts) {
    const share = model.tables.protection[part];
    const need = shelter[part][kind];
    for (let i = 0; i < row.length; i++)
      row[i]! += share * Math.max(0, need - (groups[i]?.piece.garment[kind] ?? 0));
  }
  return row;
}

/** A template made ready for search: bounds of all that is still to choose. */
export function prepare(judgement: Judgement, template: Template, fits: FitTables) {
  const { model, shelter, plan } = judgement;
  const { weights, visibleArea, protection } = model.tables;
  const { unders, accessories } = extrasOf(judgement, template);
  const range = (of: (under: Under) => number) => ({
    low: least(unders.map(of)),
    high: most(unders.map(of)),
  });
  const accessory = {
    low: least(accessories.map(({ milli }) => milli)),
    high: most(accessories.map(({ milli }) => milli)),
  };
  const under = range((e) => e.total);
  const extra = {
    total: { low: under.low + accessory.low, high: under.high + accessory.high },
    top: range((e) => e.top),
    bottom: range((e) => e.bottom),
    shoes: range((e) => e.shoes),
    accessory,
  };
  const isOnePiece = template.form === 'one-piece';
  const isSetKind = isOnePiece && template.core.mid !== undefined && hasNoDress(template);
  const perRegion = weights.regions / (plan === 'indoor' ? 3 : 5);
  const legsAt: CoreSlot = isOnePiece ? (isSetKind ? 'mid' : 'main') : 'bottom';
  const torsoAt: CoreSlot = template.core.outer ? 'outer' : template.core.mid ? 'mid' : 'main';
  const areas: Record<CoreSlot, number> = {
    outer: visibleArea.outer,
    mid: isSetKind ? visibleArea.dress : visibleArea.torso,
    main:
      isOnePiece && !isSetKind
        ? visibleArea.dress
        : template.core.mid
          ? visibleArea.beneath
          : visibleArea.torso,
    over: 0,
    bottom: visibleArea.legs,
    shoes: visibleArea.feet,
  };
  const coveredBy = (slot: CoreSlot) => [
    ...(slot === torsoAt ? (['torso'] as const) : []),
    ...(slot === legsAt || slot === 'over' ? (['legs'] as const) : []),
    ...(slot === 'shoes' ? (['feet'] as const) : []),
  ];
  /** Rain or wind, whichever asks for more: the one that bounds protection. */
  const kind = shelter.feet.water >= shelter.feet.wind ? ('water' as const) : ('wind' as const);
  const overs = template.core.over ?? [];
  const overMost = most(each(overs, dryMilli));
  const leastOver =
    overs.length > 0
      ? least(missingOf(judgement, kind, ['legs'], overs))
      : Number.POSITIVE_INFINITY;
  const regionBoundOf = (slot: CoreSlot, milli: number): number => {
    if (slot === 'bottom')
      return (
        perRegion *
        fits.bottom.bound(milli + extra.bottom.low, milli + overMost + extra.bottom.high)
      );
    if (slot === 'shoes')
      return perRegion * fits.shoes.bound(milli + extra.shoes.low, milli + extra.shoes.high);
    return 0;
  };
  const levels = ORDER.flatMap((slot): Level[] => {
    const own = template.core[slot];
    if (!own) return [];
    const isOver = slot === 'over';
    const groups = isOver && !template.fixed.has('over') ? [undefined, ...own] : own;
    const milli = each(groups, dryMilli);
    const leastMilli = each(groups, (g) => (g ? judgement.wetMilli(g.piece, 0) : 0));
    const water = missingOf(judgement, 'water', coveredBy(slot), groups);
    const wind = missingOf(judgement, 'wind', coveredBy(slot), groups);
    const missing = kind === 'water' ? water : wind;
    const mostCover = slot === 'bottom' ? leastOver : Number.POSITIVE_INFINITY;
    const ownBound = milli.map((dry, at) => {
      const short = isOver ? 0 : Math.min(missing[at]!, mostCover);
      return regionBoundOf(slot, dry) - weights.protection * short;
    });
    return [
      {
        slot,
        groups,
        indexes: Int32Array.from(groups.map((group) => group?.index ?? 0)),
        area: areas[slot],
        ownBound,
        milli,
        leastMilli,
        occasion: each(groups, (g) => (isOver ? 0 : (g?.piece.occasion ?? 1))),
        water,
        wind,
        mostOccasion: isOver ? 1 : most(each(own, (g) => g?.piece.occasion ?? 0)),
        least: least(leastMilli),
        leastDry: least(milli),
        most: most(milli),
      },
    ];
  });
  const bareFeet = (kind: 'water' | 'wind') =>
    template.core.shoes ? 0 : protection.feet * shelter.feet[kind];
  const bare = { water: bareFeet('water'), wind: bareFeet('wind') };
  return { template, bare, unders, accessories, extra, isOnePiece, perRegion, fits, kind, levels };
}
const dryMilli = (group: Group | undefined): number => group?.piece.milli ?? 0;

export type Prepared = ReturnType<typeof prepare>;

const hasNoDress = ({ core }: Template): boolean =>
  core.mid?.some((g) => isSet(g.piece.garment)) ?? false;
