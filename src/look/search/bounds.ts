import type { ScoringContext } from '../scoring/context.ts';
import { maxHarmony } from '../scoring/harmony.ts';
import type { CoreSlot } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { copyNode, EMPTY_NODE, type SearchNode } from './node.ts';
import { type Level, mapChoices, type Range, type SearchSpace } from './search-space.ts';

/**
 * Upper bounds on the score of every outfit below a node. docs/outfit-search.md derives them.
 *
 * The score is no sum over levels: the thermal term couples all insulation, the colour term couples
 * pairs of garments, and the fit for the occasion is multiplied by its minimum. The relaxation drops
 * each coupling in favour of the outfit, so that every open level can be maximised by itself:
 *
 * - a pair of two open levels has the best harmony that exists;
 * - the minimum occasion fit is that of the choices made so far;
 * - rules about which layers go together are ignored;
 * - the thermal term is bounded twice: by its maximum over the interval of insulation within reach,
 *   and by a line above the thermal curve, which gives each level its share of the term.
 */
export interface Relaxation {
  readonly context: ScoringContext;
  readonly space: SearchSpace;
  readonly harmony: HarmonyTable;
  readonly root: Readonly<SearchNode>;
  /** Weighted season of each choice and its harmony with required accessories: its gain at the root. */
  readonly ownGains: readonly Float64Array[];
  /** Slope of the line above the thermal curves, thermal value per milliclo. */
  readonly slope: number;
  /** The line's share of each choice: weight times slope times milliclo, at the larger extreme. */
  readonly slopeTerms: readonly Float64Array[];
  readonly extrasSlopeTerm: number;
  /** Extremes of the levels after each depth. */
  readonly open: readonly OpenExtremes[];
  /** Weight of a pair of garments per product of their visible areas. */
  readonly pairWeight: number;
  readonly maxHarmony: number;
  /** Weight of the occasion fit of one garment, before it is multiplied by the outfit's minimum. */
  readonly occasionWeight: number;
  readonly isOutdoor: boolean;
  readonly isRain: boolean;
  readonly bottomDepth: number;
  readonly shoesDepth: number;
  readonly overDepth: number;
  /** The last child that `branch` returned. */
  readonly scratch: SearchNode;
  /** Gains of open levels by depth of the branch; reused by its siblings. */
  readonly gainBuffers: readonly (readonly Float64Array[])[];
}

/** Two upper bounds on the same score: the smaller one is the node's bound. */
export interface UpperBounds {
  /** With the thermal term at its maximum over the interval of insulation within reach. */
  readonly interval: number;
  /** With the thermal term on the line. */
  readonly linear: number;
}

/** Maximum over the choices of one level, or its sum over several levels. */
export interface LevelMaximum {
  /** Without insulation. */
  gain: number;
  /** With the slope term of the choice's insulation. */
  withSlope: number;
}

/** Sums of the extremes of the open levels, milliclo. */
interface OpenExtremes {
  readonly total: Range;
  readonly top: Range;
  /** Sum over pairs of open levels of the product of their visible areas. */
  readonly pairArea: number;
}

/** Harmony of groups by index; each pair is computed once per search. */
export function createHarmonyTable(context: ScoringContext, groups: number) {
  const rows: (Float64Array | undefined)[] = [];
  return {
    /** Harmony of a group with every other; -1 if not computed yet. */
    rowOf(group: Group): Float64Array {
      const cached = rows[group.index];
      if (cached) return cached;
      const row = new Float64Array(groups).fill(-1);
      rows[group.index] = row;
      return row;
    },
    compute(row: Float64Array, a: Group, b: Group | undefined): number {
      const value = b ? context.harmonyOf(a.item, b.item) : 0;
      if (b) row[b.index] = value;
      return value;
    },
  };
}

type HarmonyTable = ReturnType<typeof createHarmonyTable>;

const sumOf = <T>(all: readonly T[], select: (one: T, at: number) => number): number =>
  all.reduce((sum, one, at) => sum + select(one, at), 0);

const pairArea = (levels: readonly Pick<Level, 'area'>[]): number =>
  levels.reduce(
    (sum, a, i) => levels.slice(i + 1).reduce((more, b) => more + a.area * b.area, sum),
    0,
  );

function openExtremes(levels: readonly Level[]): OpenExtremes {
  const torso = levels.filter(({ slot }) => slot === 'mid' || slot === 'main');
  return {
    total: {
      low: sumOf(levels, (level) => level.minMilliClo),
      high: sumOf(levels, (level) => level.maxMilliClo),
    },
    top: {
      low: sumOf(torso, (level) => level.minDryMilliClo),
      high: sumOf(torso, (level) => level.maxMilliClo),
    },
    pairArea: pairArea(levels),
  };
}

/** The larger extreme of each choice's insulation on a line: dry if it rises, wet if it falls. */
const slopeTermsOf = ({ milliClo, wetMilliClo }: Level, slope: number, weight: number) =>
  (slope > 0 ? milliClo : wetMilliClo).map((clo) => weight * clo);

/** Slopes to choose from, thermal value per clo: the steepest that curves get, and between. */
const SLOPES = [-0.6, -0.3, -0.15, 0.08, 0.15, 0.25, 0.4, 0.6];

/** The slope with the smallest linear bound at the root, for the curve of the first choice. */
function chooseSlope(
  context: ScoringContext,
  { levels, extras }: SearchSpace,
  gains: readonly Float64Array[],
): number {
  const { thermal } = context.model.tables.weights;
  const first = levels[0]!.groups[0];
  if (!first) return 0;
  const curve = context.curveFor(first.item.garment);
  const rootBound = (slope: number): number => {
    const weight = thermal * slope;
    let sum = 0;
    for (let depth = 0; depth < levels.length; depth++) {
      const level = levels[depth]!;
      const slopeTerms = slopeTermsOf(level, slope, weight);
      sum += levelMaximum(gains[depth]!, level, slopeTerms, 0).withSlope;
    }
    const { low, high } = extras.total;
    return sum + thermal * curve.intercept(slope) + weight * (slope > 0 ? high : low);
  };
  const slopes = [0, ...SLOPES.map((perClo) => perClo / 1000)];
  const bounds = slopes.map(rootBound);
  return slopes[bounds.indexOf(Math.min(...bounds))] ?? 0;
}

/** Prepares the bounds of one template: everything that is the same at all its nodes. */
export function createRelaxation(
  context: ScoringContext,
  space: SearchSpace,
  harmony: HarmonyTable,
): Relaxation {
  const { levels, extras, missingAtRoot } = space;
  const { k, tables } = context.model;
  const { weights } = tables;
  const depthOf = (slot: CoreSlot) => levels.findIndex((level) => level.slot === slot);
  const style = space.template.style.map(({ item }) => item);
  const scored = levels.filter(({ slot }) => slot !== 'over').length + style.length;
  const styleArea = tables.visibleArea.accessory;
  const allPairs = pairArea([...levels, ...style.map(() => ({ area: styleArea }))]);
  const pairWeight = allPairs > 0 ? weights.color / allPairs : 0;
  const seasonWeight = weights.season / scored;
  const ownGains = levels.map(({ slot, groups, area }) =>
    mapChoices(groups, (group) => {
      if (!group || slot === 'over') return 0;
      const harmonies = sumOf(style, (item) => context.harmonyOf(group.item, item));
      return seasonWeight * group.item.season + pairWeight * area * styleArea * harmonies;
    }),
  );
  const styleHarmony = sumOf(style, (item, at) =>
    sumOf(style.slice(at + 1), (other) => context.harmonyOf(item, other)),
  );
  const slope = chooseSlope(context, space, ownGains);
  const slopeWeight = weights.thermal * slope;
  return {
    context,
    space,
    harmony,
    root: {
      ...EMPTY_NODE,
      missingWater: missingAtRoot.water,
      missingWind: missingAtRoot.wind,
      // Without any pair the colour term has the value of unknown data.
      fixedGain:
        (allPairs > 0 ? 0 : weights.color * k.fit.unknown) +
        pairWeight * styleArea * styleArea * styleHarmony +
        seasonWeight * sumOf(style, ({ season }) => season),
      occasionSum: sumOf(style, ({ occasion }) => occasion),
      occasionMin: Math.min(
        1,
        ...levels.map(({ maxOccasion }) => maxOccasion),
        ...style.map(({ occasion }) => occasion),
      ),
    },
    ownGains,
    slope,
    slopeTerms: levels.map((level) => slopeTermsOf(level, slope, slopeWeight)),
    extrasSlopeTerm: slopeWeight * (slope > 0 ? extras.total.high : extras.total.low),
    open: levels.map((_, depth) => openExtremes(levels.slice(depth + 1))),
    pairWeight,
    maxHarmony: maxHarmony(context.model),
    occasionWeight: weights.occasion / scored,
    isOutdoor: context.plan === 'outdoor',
    isRain: k.rain.loss * context.shelter.torso.water > 0,
    bottomDepth: depthOf('bottom'),
    shoesDepth: depthOf('shoes'),
    overDepth: depthOf('over'),
    scratch: { ...EMPTY_NODE },
    gainBuffers: levels.map(() => levels.map(({ groups }) => new Float64Array(groups.length))),
  };
}

/** Value of one unit of occasion fit: the term is the mean fit times the minimum fit. */
export const occasionRate = ({ occasionWeight }: Relaxation, node: SearchNode): number =>
  occasionWeight * node.occasionMin;

/**
 * The child of a node by one more choice. It is overwritten by the next call: copy it to keep it.
 * @param gain weighted season of the choice and its harmony with the path
 */
export function branch(
  relaxation: Relaxation,
  parent: SearchNode,
  depth: number,
  choice: number,
  gain: number,
): SearchNode {
  const child = copyNode(parent, relaxation.scratch);
  const level = relaxation.space.levels[depth]!;
  const group = level.groups[choice];
  if (!group) return child;
  if (depth === 0) fixCurve(relaxation, child, group);
  addShelter(relaxation, child, level, choice);
  addInsulation(relaxation, child, level, choice, group);
  child.fixedGain += gain;
  if (level.slot === 'over') return child;
  const occasion = level.occasion[choice]!;
  child.occasionSum += occasion;
  child.occasionMin = Math.min(child.occasionMin, occasion);
  return child;
}

/** The first choice is the outermost layer: it fixes the thermal curve and what the rain reaches. */
function fixCurve({ context, slope }: Relaxation, child: SearchNode, group: Group): void {
  const { garment } = group.item;
  child.torsoWater = garment.water;
  child.curve = context.curveFor(garment);
  child.intercept = child.curve.intercept(slope);
}

/** Overtrousers shelter the legs instead of the trousers beneath; they count at the bottom level. */
function addShelter(relaxation: Relaxation, child: SearchNode, level: Level, choice: number): void {
  if (level.slot === 'over') {
    child.overChoice = choice;
    return;
  }
  const isCovered = level.slot === 'bottom' && child.overChoice >= 0;
  const shelter = isCovered ? relaxation.space.levels[relaxation.overDepth]! : level;
  const shelterChoice = isCovered ? child.overChoice : choice;
  child.missingWater += shelter.missingWater[shelterChoice]!;
  child.missingWind += shelter.missingWind[shelterChoice]!;
}

function addInsulation(
  { context, space, isRain, overDepth }: Relaxation,
  child: SearchNode,
  { slot, milliClo }: Level,
  choice: number,
  group: Group,
): void {
  const dry = milliClo[choice]!;
  const isTorso = slot === 'outer' || slot === 'mid' || slot === 'main';
  if (!isRain) child.milliClo += dry;
  else if (isTorso) child.milliClo += context.wetMilliClo(group.item, child.torsoWater);
  else {
    const over = slot === 'bottom' ? space.levels[overDepth]?.groups[child.overChoice] : undefined;
    child.milliClo += context.wetMilliClo(group.item, over?.item.garment.water ?? 0);
  }
  if (slot === 'mid' || slot === 'main') child.topMilliClo += dry;
  else if (slot === 'over' || slot === 'bottom') child.legsMilliClo += dry;
  else if (slot === 'outer') child.outerMilliClo = dry;
  else child.shoesMilliClo = dry;
}

/** The best choice of one level, all others ignored. */
function levelMaximum(
  gains: Float64Array,
  { localBound, occasion }: Level,
  slopeTerms: Float64Array,
  rate: number,
): LevelMaximum {
  const best = { gain: Number.NEGATIVE_INFINITY, withSlope: Number.NEGATIVE_INFINITY };
  for (let i = 0; i < gains.length; i++) {
    const gain = gains[i]! + localBound[i]! + rate * occasion[i]!;
    if (gain > best.gain) best.gain = gain;
    if (gain + slopeTerms[i]! > best.withSlope) best.withSlope = gain + slopeTerms[i]!;
  }
  return best;
}

/**
 * Maximum of the levels after `depth`, whatever is chosen at `depth`: pairs with that choice have the
 * best harmony that exists. One value serves all children of a node.
 */
export function maximumBeforeChoice(
  relaxation: Relaxation,
  gains: readonly Float64Array[],
  depth: number,
  node: SearchNode,
): LevelMaximum {
  const { space, slopeTerms, pairWeight } = relaxation;
  const { levels } = space;
  const rate = occasionRate(relaxation, node);
  const sum = { gain: 0, withSlope: 0 };
  for (let at = depth + 1; at < levels.length; at++) {
    const best = levelMaximum(gains[at]!, levels[at]!, slopeTerms[at]!, rate);
    const pair = pairWeight * relaxation.maxHarmony * levels[depth]!.area * levels[at]!.area;
    sum.gain += best.gain + pair;
    sum.withSlope += best.withSlope + pair;
  }
  return sum;
}

/** The open levels once the choice at a depth is known. */
interface OpenLevels {
  /** Gain of each choice: its season, and its harmony with every choice made. */
  readonly gains: readonly Float64Array[];
  /** Maximum of each open level. */
  readonly maxima: readonly LevelMaximum[];
  readonly sum: LevelMaximum;
}

/**
 * The same after `group` is chosen at `depth`: pairs with it have their own harmony. The gains lie in
 * buffers that the next sibling overwrites.
 */
export function maximumAfterChoice(
  relaxation: Relaxation,
  gains: readonly Float64Array[],
  depth: number,
  group: Group | undefined,
  child: SearchNode,
): OpenLevels {
  const { space, slopeTerms, pairWeight, gainBuffers } = relaxation;
  const { levels } = space;
  const { area } = levels[depth]!;
  const rate = occasionRate(relaxation, child);
  const sum = { gain: 0, withSlope: 0 };
  const maxima: LevelMaximum[] = [];
  const updated = gains.map((row, at) => {
    if (at <= depth) return row;
    const level = levels[at]!;
    const pair = pairWeight * area * level.area;
    const next =
      group && pair > 0
        ? addHarmony(relaxation.harmony, row, group, level, pair, gainBuffers[depth]![at]!)
        : row;
    const best = levelMaximum(next, level, slopeTerms[at]!, rate);
    sum.gain += best.gain;
    sum.withSlope += best.withSlope;
    maxima[at] = best;
    return next;
  });
  return { gains: updated, maxima, sum };
}

function addHarmony(
  harmony: HarmonyTable,
  gains: Float64Array,
  group: Group,
  { groups, groupIndexes }: Level,
  pair: number,
  into: Float64Array,
): Float64Array {
  const row = harmony.rowOf(group);
  for (let i = 0; i < gains.length; i++) {
    const cached = row[groupIndexes[i]!]!;
    const value = cached < 0 ? harmony.compute(row, group, groups[i]) : cached;
    into[i] = gains[i]! + pair * value;
  }
  return into;
}

/** Region terms that the choices made decide in part; `localBound` of an open level has the others. */
function regionBound(relaxation: Relaxation, node: SearchNode, depth: number): number {
  const { space, open, bottomDepth, shoesDepth, isOutdoor } = relaxation;
  const { extras, fits, isOnePiece, regionWeight } = space;
  const { top } = open[depth]!;
  const low = node.topMilliClo + top.low + extras.top.low;
  const high = node.topMilliClo + top.high + extras.top.high;
  const legs = node.legsMilliClo;
  let fit = isOnePiece
    ? 2 * fits.dress.upperBound(low + extras.bottom.low + legs, high + extras.bottom.high + legs)
    : fits.top.upperBound(low, high);
  if (!isOnePiece && depth >= bottomDepth)
    fit += fits.bottom.upperBound(legs + extras.bottom.low, legs + extras.bottom.high);
  if (depth >= shoesDepth)
    fit += fits.shoes.upperBound(
      node.shoesMilliClo + extras.shoes.low,
      node.shoesMilliClo + extras.shoes.high,
    );
  if (isOutdoor)
    fit +=
      fits.outer.at(node.outerMilliClo) +
      fits.accessory.upperBound(extras.accessory.low, extras.accessory.high);
  return regionWeight * fit;
}

/**
 * Both bounds of a node whose choices up to `depth` are made. Each is at least the score of every
 * outfit below the node.
 * @param openMaximum of the levels after `depth`
 */
export function upperBounds(
  relaxation: Relaxation,
  node: SearchNode,
  depth: number,
  openMaximum: LevelMaximum,
): UpperBounds {
  const { context, space, open, slope, pairWeight } = relaxation;
  const { weights } = context.model.tables;
  const { total, pairArea } = open[depth]!;
  const isLeaf = depth === space.levels.length - 1;
  const boundMissing = space.boundKind === 'water' ? node.missingWater : node.missingWind;
  const missing = isLeaf ? Math.max(node.missingWater, node.missingWind) : boundMissing;
  const others =
    weights.protection * (1 - missing) +
    occasionRate(relaxation, node) * node.occasionSum +
    node.fixedGain +
    pairWeight * relaxation.maxHarmony * pairArea +
    regionBound(relaxation, node, depth);
  const low = node.milliClo + total.low + space.extras.total.low;
  const high = node.milliClo + total.high + space.extras.total.high;
  const interval = weights.thermal * node.curve!.upperBound(low, high) + openMaximum.gain;
  const linear =
    weights.thermal * (node.intercept + slope * node.milliClo) +
    relaxation.extrasSlopeTerm +
    openMaximum.withSlope;
  return { interval: others + interval, linear: others + linear };
}

export const tighterOf = ({ interval, linear }: UpperBounds): number => Math.min(interval, linear);
