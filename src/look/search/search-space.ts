import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { regionFit } from '../scoring/score.ts';
import { type Ensemble, isSet, slotsOf } from '../wardrobe/ensemble.ts';
import {
  type Accessory,
  createExtras,
  type ExtrasChoice,
  type Underlayer,
} from '../wardrobe/extras.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';

/**
 * Branching order. The outermost layer comes first: it decides wind, rain and the thermal curve. The
 * others follow by their influence on the score.
 */
const BRANCHING_ORDER: readonly CoreSlot[] = ['outer', 'mid', 'main', 'over', 'bottom', 'shoes'];

/** An undefined choice leaves the slot empty: no overtrousers. */
type Choices = readonly (Group | undefined)[];

type ThreatKind = 'water' | 'wind';
type BodyPart = 'torso' | 'legs' | 'feet';

/** One decision of the search: a slot and its choices. Rows are parallel to `groups`. */
export interface Level {
  readonly slot: CoreSlot;
  readonly groups: Choices;
  readonly groupIndexes: Int32Array;
  /** Visible share of the outfit; 0 for overtrousers, which are not scored for looks or occasion. */
  readonly area: number;
  /** Upper bound of the region and shelter terms that the choice alone decides, weighted. */
  readonly localBound: Float64Array;
  /** Insulation, dry. */
  readonly milliClo: Float64Array;
  /** Insulation in the rain without cover: the least a choice can contribute. */
  readonly wetMilliClo: Float64Array;
  readonly occasion: Float64Array;
  /** Shelter the choice leaves missing, weighted by body part. */
  readonly missingWater: Float64Array;
  readonly missingWind: Float64Array;
  readonly maxOccasion: number;
  /** Extremes over the choices, milliclo. */
  readonly minMilliClo: number;
  readonly minDryMilliClo: number;
  readonly maxMilliClo: number;
}

/** Smallest and largest value of a sum, milliclo. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** What the extras of a template can add. */
interface ExtrasRanges {
  readonly total: Range;
  /** All but the accessories. */
  readonly under: Range;
  readonly top: Range;
  readonly bottom: Range;
  readonly shoes: Range;
  readonly accessory: Range;
}

/** The decisions of one template in branching order, with the extremes that bounds are made of. */
export interface SearchSpace {
  readonly template: Template;
  readonly levels: readonly Level[];
  readonly underlayers: readonly Underlayer[];
  readonly accessories: readonly Accessory[];
  readonly extras: ExtrasRanges;
  /** Required accessories without warmth. */
  readonly style: Ensemble<WornItem>;
  readonly isOnePiece: boolean;
  /** Weight of one region in the score. */
  readonly regionWeight: number;
  readonly fits: FitTables;
  /**
   * Share of water in the missing shelter that the bound adds up; the rest is wind. The score charges
   * the larger of both, so any mixture is a lower bound of the loss.
   */
  readonly waterShare: number;
  /** Shelter that no choice provides: that of the feet if the template has no shoes. */
  readonly missingAtRoot: { readonly water: number; readonly wind: number };
}

/** Fit of one region by its insulation in milliclo. */
interface FitTable {
  at(milliClo: number): number;
  /** The largest fit between `low` and `high`: the fit is unimodal with its peak at the target. */
  upperBound(low: number, high: number): number;
}

/** Computes each point once. */
function createFitTable(context: ScoringContext, target: number): FitTable {
  const cached = new Float64Array(context.maxMilliClo + 1);
  const at = (milliClo: number): number => {
    const value = cached[milliClo]!;
    if (value > 0) return value;
    cached[milliClo] = regionFit(context, milliClo, target);
    return cached[milliClo]!;
  };
  const peak = target * 1000;
  return {
    at,
    upperBound: (low, high) => (high < peak ? at(high) : low > peak ? at(low) : 1),
  };
}

/** The fit tables of all regions; every template of one search shares them. */
export const createFitTables = (context: ScoringContext) => {
  const { regions } = context;
  return {
    top: createFitTable(context, regions.top),
    dress: createFitTable(context, regions.dress),
    bottom: createFitTable(context, regions.bottom),
    outer: createFitTable(context, regions.outerwear),
    shoes: createFitTable(context, regions.shoes),
    accessory: createFitTable(context, regions.accessory),
  };
};
export type FitTables = ReturnType<typeof createFitTables>;

function max(values: ArrayLike<number>): number {
  let high = 0;
  for (let i = 0; i < values.length; i++) high = Math.max(high, values[i]!);
  return high;
}

function min(values: ArrayLike<number>): number {
  let low = values[0] ?? 0;
  for (let i = 1; i < values.length; i++) low = Math.min(low, values[i]!);
  return low;
}

/** One number for each choice. */
export function mapChoices(
  groups: Choices,
  select: (group: Group | undefined) => number,
): Float64Array {
  const row = new Float64Array(groups.length);
  for (let i = 0; i < row.length; i++) row[i] = select(groups[i]);
  return row;
}

const dryMilliClo = (group: Group | undefined): number => group?.item.milliClo ?? 0;

/** Shelter that each choice leaves missing on the body parts it covers, weighted by part. */
function missingShelter(
  { model, shelter }: ScoringContext,
  kind: ThreatKind,
  parts: readonly BodyPart[],
  groups: Choices,
): Float64Array {
  const row = new Float64Array(groups.length);
  for (const part of parts) {
    const share = model.tables.protection[part];
    const need = shelter[part][kind];
    for (let i = 0; i < row.length; i++)
      row[i]! += share * Math.max(0, need - (groups[i]?.item.garment[kind] ?? 0));
  }
  return row;
}

/** The same for a mixture of both kinds. */
function mixedShelter(
  context: ScoringContext,
  waterShare: number,
  parts: readonly BodyPart[],
  groups: Choices,
): Float64Array {
  const water = missingShelter(context, 'water', parts, groups);
  const wind = missingShelter(context, 'wind', parts, groups);
  return water.map((missing, i) => waterShare * missing + (1 - waterShare) * wind[i]!);
}

const WATER_SHARES = [0, 0.25, 0.5, 0.75, 1];

/** The mixture with the largest loss that no choices avoid. */
function chooseWaterShare(
  context: ScoringContext,
  { over = [], ...core }: Template['core'],
  partsCovered: (slot: CoreSlot) => readonly BodyPart[],
): number {
  const { water, wind } = context.shelter.feet;
  let best = water >= wind ? 1 : 0;
  let bestLoss = 0;
  for (const share of WATER_SHARES) {
    let loss = 0;
    for (const slot of BRANCHING_ORDER) {
      const groups = slot === 'over' ? undefined : core[slot];
      if (!groups) continue;
      const choices = slot === 'bottom' ? [...groups, ...over] : groups;
      loss += min(mixedShelter(context, share, partsCovered(slot), choices));
    }
    if (loss <= bestLoss) continue;
    best = share;
    bestLoss = loss;
  }
  return best;
}

function extrasRanges(
  underlayers: readonly Underlayer[],
  accessories: readonly Accessory[],
): ExtrasRanges {
  const range = (select: (under: Underlayer) => number): Range => {
    const values = underlayers.map(select);
    return { low: min(values), high: max(values) };
  };
  const clos = accessories.map(({ milliClo }) => milliClo);
  const accessory: Range = { low: min(clos), high: max(clos) };
  const under = range(({ total }) => total);
  return {
    total: { low: under.low + accessory.low, high: under.high + accessory.high },
    under,
    top: range(({ top }) => top),
    bottom: range(({ bottom }) => bottom),
    shoes: range(({ shoes }) => shoes),
    accessory,
  };
}

/** Visible areas of the slots of a template, and the body parts that each slot covers. */
function createLayout({ model }: ScoringContext, { core, form }: Template) {
  const { visibleArea } = model.tables;
  const isOnePiece = form === 'one-piece';
  const isSetForm = isOnePiece && (core.mid?.some(({ item }) => isSet(item.garment)) ?? false);
  const outermost: CoreSlot = core.outer ? 'outer' : core.mid ? 'mid' : 'main';
  const legs: CoreSlot = isOnePiece ? (isSetForm ? 'mid' : 'main') : 'bottom';
  const mainArea = core.mid ? visibleArea.beneath : visibleArea.torso;
  const areas: Record<CoreSlot, number> = {
    outer: visibleArea.outer,
    mid: isSetForm ? visibleArea.dress : visibleArea.torso,
    main: isOnePiece && !isSetForm ? visibleArea.dress : mainArea,
    over: 0,
    bottom: visibleArea.legs,
    shoes: visibleArea.feet,
  };
  const partsCovered = (slot: CoreSlot): BodyPart[] => {
    const parts: BodyPart[] = [];
    if (slot === outermost) parts.push('torso');
    if (slot === legs || slot === 'over') parts.push('legs');
    if (slot === 'shoes') parts.push('feet');
    return parts;
  };
  return { isOnePiece, areas, partsCovered };
}

/** Whether overtrousers are as good as others of the same insulation, whatever is worn beneath. */
function isAsGood({ model, shelter: { legs, torso } }: ScoringContext, one: Group, other: Group) {
  const [a, b] = [one.item.garment, other.item.garment];
  const isRain = model.k.rain.loss * torso.water > 0;
  return (
    a.category === b.category &&
    one.item.sense === other.item.sense &&
    one.item.milliClo === other.item.milliClo &&
    (!isRain || a.water === b.water) &&
    Math.min(a.water, legs.water) >= Math.min(b.water, legs.water) &&
    Math.min(a.wind, legs.wind) >= Math.min(b.wind, legs.wind)
  );
}

/**
 * Leaves out overtrousers that others replace. They are not scored for looks, so of two outfits that
 * differ in them alone, only the better one counts. Two are needed that are trousers too: one of them
 * may be what is worn beneath.
 */
function withoutReplaceable(
  context: ScoringContext,
  { over = [], bottom = [] }: Template['core'],
): readonly Group[] {
  return over.filter((group, at) => {
    let replacements = 0;
    for (const [i, other] of over.entries()) {
      if (i === at || !isAsGood(context, other, group)) continue;
      if (i > at && isAsGood(context, group, other)) continue;
      replacements += bottom.includes(other) ? 1 : 2;
    }
    return replacements < 2;
  });
}

/** Prepares one template for the search. */
export function createSearchSpace(
  context: ScoringContext,
  template: Template,
  fits: FitTables,
  extrasChoice: ExtrasChoice,
  isOverMerged = false,
): SearchSpace {
  const { model, shelter, plan } = context;
  const { weights, protection } = model.tables;
  const { core, fixed } = template;
  const { underlayers, accessories } = createExtras(context, template, extrasChoice);
  const extras = extrasRanges(underlayers, accessories);
  const { isOnePiece, areas, partsCovered } = createLayout(context, template);
  const regionWeight = weights.regions / (plan === 'indoor' ? 3 : 5);
  const waterShare = chooseWaterShare(context, core, partsCovered);

  const overtrousers = core.over ?? [];
  const maxOverMilliClo = max(mapChoices(overtrousers, dryMilliClo));
  const minOverMissing =
    overtrousers.length > 0
      ? min(mixedShelter(context, waterShare, ['legs'], overtrousers))
      : Number.POSITIVE_INFINITY;

  /** Upper bound of the region term that a choice of bottom or shoes decides, weighted. */
  function regionBound(slot: CoreSlot, milliClo: number): number {
    const { bottom, shoes } = extras;
    if (slot === 'bottom')
      return (
        regionWeight *
        fits.bottom.upperBound(milliClo + bottom.low, milliClo + maxOverMilliClo + bottom.high)
      );
    if (slot === 'shoes')
      return regionWeight * fits.shoes.upperBound(milliClo + shoes.low, milliClo + shoes.high);
    return 0;
  }

  function createLevel(slot: CoreSlot, own: readonly Group[]): Level {
    const isOver = slot === 'over';
    const groups = isOver && !fixed.has('over') ? [undefined, ...own] : own;
    const milliClo = mapChoices(groups, dryMilliClo);
    const wetMilliClo = mapChoices(groups, (group) =>
      group ? context.wetMilliClo(group.item, 0) : 0,
    );
    const missingWater = missingShelter(context, 'water', partsCovered(slot), groups);
    const missingWind = missingShelter(context, 'wind', partsCovered(slot), groups);
    const missing = mixedShelter(context, waterShare, partsCovered(slot), groups);
    // Overtrousers may shelter the legs better than the trousers beneath.
    const missingCap = slot === 'bottom' ? minOverMissing : Number.POSITIVE_INFINITY;
    const localBound = milliClo.map((dry, choice) => {
      const unavoidable = isOver ? 0 : Math.min(missing[choice]!, missingCap);
      return regionBound(slot, dry) - weights.protection * unavoidable;
    });
    return {
      slot,
      groups,
      groupIndexes: Int32Array.from(groups.map((group) => group?.index ?? 0)),
      area: areas[slot],
      localBound,
      milliClo,
      wetMilliClo,
      occasion: mapChoices(groups, (group) => (isOver ? 0 : (group?.item.occasion ?? 1))),
      missingWater,
      missingWind,
      maxOccasion: isOver ? 1 : max(mapChoices(own, (group) => group?.item.occasion ?? 0)),
      minMilliClo: min(wetMilliClo),
      minDryMilliClo: min(milliClo),
      maxMilliClo: max(milliClo),
    };
  }

  const missingOnFeet = (kind: ThreatKind): number =>
    core.shoes ? 0 : protection.feet * shelter.feet[kind];
  return {
    template,
    levels: BRANCHING_ORDER.flatMap((slot) => {
      const own = core[slot];
      if (!own) return [];
      const isMerged = slot === 'over' && isOverMerged;
      return [createLevel(slot, isMerged ? withoutReplaceable(context, core) : own)];
    }),
    underlayers,
    accessories,
    extras,
    style: Object.fromEntries(
      template.style.map(({ item }) => [slotsOf(model, item.garment)[0], item]),
    ),
    isOnePiece,
    regionWeight,
    fits,
    waterShare,
    missingAtRoot: { water: missingOnFeet('water'), wind: missingOnFeet('wind') },
  };
}
