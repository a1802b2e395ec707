import { isSet } from './ensemble.ts';
import { extrasOf, type Under } from './extras.ts';
import type { Judgement } from './judgement.ts';
import { regionFit } from './score.ts';
import type { CoreSlot, Template } from './templates.ts';
import type { Group } from './wardrobe.ts';

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

const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
const least = (values: readonly number[]): number =>
  values.length > 0 ? values.reduce((a, b) => Math.min(a, b)) : 0;

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
  const missing = (kind: 'water' | 'wind', slot: CoreSlot, group: Group | undefined): number => {
    const has = group?.piece.garment[kind] ?? 0;
    const short = (part: 'torso' | 'legs' | 'feet') =>
      protection[part] * Math.max(0, shelter[part][kind] - has);
    return (
      (slot === torsoAt ? short('torso') : 0) +
      (slot === legsAt || slot === 'over' ? short('legs') : 0) +
      (slot === 'shoes' ? short('feet') : 0)
    );
  };
  /** Rain or wind, whichever asks for more: the one that bounds protection. */
  const kind = shelter.feet.water >= shelter.feet.wind ? ('water' as const) : ('wind' as const);
  const leastMissing = (slot: CoreSlot, any: readonly (Group | undefined)[]): number =>
    slot === 'over' ? 0 : least(any.map((group) => missing(kind, slot, group)));
  const overs = template.core.over ?? [];
  const overMost = most(overs.map(({ piece }) => piece.milli));
  const regionBoundOf = (slot: CoreSlot, group: Group | undefined): number => {
    const milli = group?.piece.milli ?? 0;
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
    const groups = slot === 'over' && !template.fixed.has('over') ? [undefined, ...own] : own;
    const leg = slot === 'bottom' ? overs : [];
    return [
      {
        slot,
        groups,
        indexes: Int32Array.from(groups, (group) => group?.index ?? 0),
        area: areas[slot],
        ownBound: Float64Array.from(
          groups,
          (group) =>
            regionBoundOf(slot, group) -
            weights.protection * leastMissing(slot, [group, ...(group ? leg : [])]),
        ),
        milli: Float64Array.from(groups, (g) => g?.piece.milli ?? 0),
        leastMilli: Float64Array.from(groups, (g) => (g ? judgement.wetMilli(g.piece, 0) : 0)),
        occasion: Float64Array.from(groups, (g) =>
          slot === 'over' ? 0 : (g?.piece.occasion ?? 1),
        ),
        water: Float64Array.from(groups, (g) => missing('water', slot, g)),
        wind: Float64Array.from(groups, (g) => missing('wind', slot, g)),
        mostOccasion: slot === 'over' ? 1 : most(own.map(({ piece }) => piece.occasion)),
        least: least(groups.map((g) => (g ? judgement.wetMilli(g.piece, 0) : 0))),
        leastDry: least(groups.map((g) => g?.piece.milli ?? 0)),
        most: most(groups.map((g) => g?.piece.milli ?? 0)),
      },
    ];
  });
  const bareFeet = (kind: 'water' | 'wind') =>
    template.core.shoes ? 0 : protection.feet * shelter.feet[kind];
  const bare = { water: bareFeet('water'), wind: bareFeet('wind') };
  return { template, bare, unders, accessories, extra, isOnePiece, perRegion, fits, kind, levels };
}
export type Prepared = ReturnType<typeof prepare>;

const hasNoDress = ({ core }: Template): boolean =>
  core.mid?.some((g) => isSet(g.piece.garment)) ?? false;
