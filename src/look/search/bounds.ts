import type { ThermalCurve } from '../comfort/comfort.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { branch, fixCurve } from './branch.ts';
import { bottomLocal, jointBounds } from './joint-bound.ts';
import type { SearchNode } from './node.ts';
import type { Class } from './occasion-classes.ts';
import type { ChoiceList, HarmonyTable, OpenLevels, Relaxation } from './relaxation.ts';
import type { Level, SearchSpace } from './search-space.ts';

/** Value of one unit of occasion fit: the term is the mean fit times the minimum fit. */
export const occasionRate = ({ occasionWeight }: Relaxation, node: SearchNode): number =>
  occasionWeight * node.occasionMin;

/** The best choice left of one level, all others and its insulation ignored. */
function levelMaximum(
  gains: Float64Array,
  { indexes, count }: ChoiceList,
  local: Float64Array,
  { occasion }: Level,
  rate: number,
): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const choice = indexes[i]!;
    const gain = gains[choice]! + local[choice]! + rate * occasion[choice]!;
    if (gain > best) best = gain;
  }
  return best;
}

/**
 * The levels after `depth`, once `choice` is made there: pairs with it have their harmony, and choices
 * that no outfit with it that reaches `needed` can have are left out. They are overwritten by the next
 * call for this depth.
 * @returns undefined if a level has no choice left
 */
export function levelsAfter(
  relaxation: Relaxation,
  { gains, choices }: OpenLevels,
  depth: number,
  choice: number,
  needed: number,
): OpenLevels | undefined {
  const { space, harmony, pairWeight, openBuffers } = relaxation;
  const { levels } = space;
  const after = openBuffers[depth]!;
  const { area, groups } = levels[depth]!;
  const group = groups[choice];
  for (let at = depth + 1; at < levels.length; at++) {
    const level = levels[at]!;
    const left = after.choices[at]!;
    keepPromising(relaxation, depth, choice, at, choices[at]!, needed, left);
    if (left.count === 0) return undefined;
    const pair = group ? pairWeight * area * level.area : 0;
    addHarmony(harmony, gains[at]!, group, level, left, pair, after.gains[at]!);
  }
  return after;
}

/** Copies the choices of a level that an outfit with this choice of the level at `depth` may have. */
function keepPromising(
  { nodeBuffers, space }: Relaxation,
  depth: number,
  choice: number,
  at: number,
  { indexes, count }: ChoiceList,
  needed: number,
  into: ChoiceList,
): void {
  const { bounds, deficits } = nodeBuffers[depth]!;
  let left = 0;
  // Overtrousers and the trousers beneath have one bound, and the first level has a bound of its own.
  const isJoint = space.levels[depth]!.slot === 'over' && at === depth + 1;
  if (isJoint || needed === Number.NEGATIVE_INFINITY) {
    into.indexes.set(indexes);
    into.count = count;
    return;
  }
  const slack = bounds[choice]! - needed;
  const deficit = deficits[at]!;
  for (let i = 0; i < count; i++) {
    const one = indexes[i]!;
    if (deficit[one]! <= slack) into.indexes[left++] = one;
  }
  into.count = left;
}

function addHarmony(
  harmony: HarmonyTable,
  gains: Float64Array,
  group: Group | undefined,
  { groups, groupIndexes }: Level,
  { indexes, count }: ChoiceList,
  pair: number,
  into: Float64Array,
): void {
  if (!group || pair === 0) {
    for (let i = 0; i < count; i++) into[indexes[i]!] = gains[indexes[i]!]!;
  } else {
    const row = harmony.rowOf(group);
    for (let i = 0; i < count; i++) {
      const choice = indexes[i]!;
      const cached = row[groupIndexes[choice]!]!;
      const value = cached < 0 ? harmony.compute(row, group, groups[choice]) : cached;
      into[choice] = gains[choice]! + pair * value;
    }
  }
  const clashes = group && harmony.clashesOf(group);
  if (!clashes) return;
  for (let i = 0; i < count; i++) {
    const choice = indexes[i]!;
    if (groups[choice]) into[choice]! -= clashes[groupIndexes[choice]!]!;
  }
}

/** Fits of the regions that the choices before `depth` decide, at most; the torso only by `main`. */
function decidedRegions(
  { space, mainDepth, bottomDepth, shoesDepth, isOutdoor }: Relaxation,
  node: SearchNode,
  depth: number,
): number {
  const { extras, fits, isOnePiece, regionWeight } = space;
  const legs = node.legsMilliClo;
  const low = node.topMilliClo + extras.top.low;
  const high = node.topMilliClo + extras.top.high;
  let fit = 0;
  if (depth > mainDepth)
    fit += isOnePiece
      ? 2 * fits.dress.upperBound(low + extras.bottom.low + legs, high + extras.bottom.high + legs)
      : fits.top.upperBound(low, high);
  if (!isOnePiece && depth > bottomDepth)
    fit += fits.bottom.upperBound(legs + extras.bottom.low, legs + extras.bottom.high);
  if (depth > shoesDepth)
    fit += fits.shoes.upperBound(
      node.shoesMilliClo + extras.shoes.low,
      node.shoesMilliClo + extras.shoes.high,
    );
  // The first level may be the coat itself.
  if (isOutdoor && (depth > 0 || space.levels[0]?.slot !== 'outer'))
    fit += fits.outer.at(node.outerMilliClo);
  return regionWeight * fit;
}

/** Shelter that the choices made leave missing, at least: the larger of both kinds is more. */
const missingOf = (
  { waterShare }: SearchSpace,
  { missingWater, missingWind }: SearchNode,
): number => waterShare * missingWater + (1 - waterShare) * missingWind;

/** What the choices before `depth` decide, at most, and the pairs of open levels. */
function decidedScore(relaxation: Relaxation, node: SearchNode, depth: number): number {
  const { context, space, open, pairWeight } = relaxation;
  const { protection } = context.model.tables.weights;
  const missing = missingOf(space, node);
  return (
    protection * (1 - missing) +
    occasionRate(relaxation, node) * node.occasionSum +
    node.fixedGain +
    pairWeight * relaxation.maxHarmony * open[depth]!.pairArea +
    decidedRegions(relaxation, node, depth)
  );
}

/** Upper bound on a complete core with any extras. */
export function leafBound(relaxation: Relaxation, leaf: SearchNode): number {
  const { context, space, isOutdoor } = relaxation;
  const { extras, fits, regionWeight, levels } = space;
  const { low, high } = extras.accessory;
  return (
    decidedScore(relaxation, leaf, levels.length) +
    (isOutdoor ? regionWeight * fits.accessory.upperBound(low, high) : 0) +
    context.model.tables.weights.thermal *
      leaf.curve!.upperBound(leaf.milliClo + extras.total.low, leaf.milliClo + extras.total.high)
  );
}

/** Adds to the gain of each choice of a level its harmony with a garment of another level. */
export function addPairs(
  { space, harmony, pairWeight, ownLevels }: Relaxation,
  depth: number,
  group: Group | undefined,
  area: number,
  gains: Float64Array,
): void {
  const level = space.levels[depth]!;
  const all = ownLevels.choices[depth]!;
  addHarmony(harmony, gains, group, level, all, pairWeight * area * level.area, gains);
}

/**
 * Upper bounds on every outfit with each choice of the first level. Warmth is at its maximum over the
 * insulation within reach, and each later level is maximised by itself.
 */
export function quickBounds(relaxation: Relaxation, { root, levels: left }: Class): Float64Array {
  const { context, space, open, locals, isOutdoor } = relaxation;
  const { gains: ownGains, choices } = left;
  const { levels, extras, fits, regionWeight, isOnePiece } = space;
  const { thermal } = context.model.tables.weights;
  const rate = occasionRate(relaxation, root);
  let later = 0;
  for (let at = 1; at < levels.length; at++)
    later += levelMaximum(ownGains[at]!, choices[at]!, locals[0]![at]!, levels[at]!, rate);
  const bounds = new Float64Array(ownGains[0]!.length).fill(Number.NEGATIVE_INFINITY);
  const local = locals[0]![0]!;
  const { total, top } = open[1]!;
  const accessories = isOutdoor
    ? regionWeight * fits.accessory.upperBound(extras.accessory.low, extras.accessory.high)
    : 0;
  const pairs = relaxation.pairWeight * relaxation.maxHarmony * open[0]!.pairArea;
  const { indexes, count } = choices[0]!;
  for (let i = 0; i < count; i++) {
    const choice = indexes[i]!;
    const node = branch(relaxation, root, 0, choice, ownGains[0]![choice]!);
    const low = node.topMilliClo + top.low + extras.top.low;
    const high = node.topMilliClo + top.high + extras.top.high;
    const torso = isOnePiece
      ? 2 * fits.dress.upperBound(low + extras.bottom.low, high + extras.bottom.high)
      : fits.top.upperBound(low, high);
    const missing = missingOf(space, node);
    const shoes =
      relaxation.shoesDepth < 0 ? fits.shoes.upperBound(extras.shoes.low, extras.shoes.high) : 0;
    bounds[choice] =
      context.model.tables.weights.protection * (1 - missing) +
      rate * node.occasionSum +
      node.fixedGain +
      local[choice]! -
      levels[0]!.localBound[choice]! +
      pairs +
      regionWeight * (torso + shoes + (isOutdoor ? fits.outer.at(node.outerMilliClo) : 0)) +
      accessories +
      later +
      thermal *
        node.curve!.upperBound(
          node.milliClo + total.low + extras.total.low,
          node.milliClo + total.high + extras.total.high,
        );
  }
  return bounds;
}

/**
 * Upper bounds on every outfit below a node with each choice of the level at `depth`, the first that is
 * open. Insulation, warmth and torso are maximised jointly with the gains of all open levels.
 */
export function choiceBounds(
  relaxation: Relaxation,
  node: SearchNode,
  depth: number,
  open: OpenLevels,
): Float64Array {
  const { space, nodeBuffers } = relaxation;
  const { bounds } = nodeBuffers[depth]!;
  const { indexes, count } = open.choices[depth]!;
  const level = space.levels[depth]!;
  const isCovered = level.slot === 'bottom' && node.overChoice >= 0;
  const local = isCovered
    ? bottomLocal(relaxation, node.overChoice, depth)
    : relaxation.locals[depth]![depth]!;
  const rate = occasionRate(relaxation, node);
  const decided = decidedScore(relaxation, node, depth);
  const own = open.gains[depth]!;
  const coatWeight = level.slot === 'outer' && relaxation.isOutdoor ? space.regionWeight : 0;
  jointBounds(relaxation, node, depth, open, bounds);
  for (let i = 0; i < count; i++) {
    const choice = indexes[i]!;
    bounds[choice]! +=
      decided +
      own[choice]! +
      local[choice]! +
      rate * level.occasion[choice]! +
      coatWeight * space.fits.outer.at(level.milliClo[choice]!);
  }
  return bounds;
}

/** Choices of the first level that shelter the others alike, with the node they share. */
interface Shelter {
  readonly node: SearchNode;
  readonly choices: ChoiceList;
}

function sheltersOf(relaxation: Relaxation, root: SearchNode, all: readonly number[]): Shelter[] {
  const { space, isRain } = relaxation;
  const shelters = new Map<ThermalCurve | undefined, Map<number, number[]>>();
  const nodes: Shelter[] = [];
  for (const choice of all) {
    const group = space.levels[0]!.groups[choice];
    if (!group) continue;
    const node = { ...root };
    fixCurve(relaxation, node, group);
    const byWater = shelters.get(node.curve) ?? new Map<number, number[]>();
    shelters.set(node.curve, byWater);
    const water = isRain ? node.torsoWater : 0;
    const known = byWater.get(water);
    if (known) known.push(choice);
    else byWater.set(water, [choice]);
  }
  for (const byWater of shelters.values())
    for (const choices of byWater.values()) {
      const node = { ...root };
      fixCurve(relaxation, node, space.levels[0]!.groups[choices[0]!]!);
      nodes.push({ node, choices: { count: choices.length, indexes: Int32Array.from(choices) } });
    }
  return nodes;
}

/**
 * Upper bounds on every outfit with each choice of the first level, jointly if a quicker bound is not
 * below `needed`.
 */
export function firstBounds(relaxation: Relaxation, from: Class, needed: number): Float64Array {
  const bounds = quickBounds(relaxation, from);
  const { root, levels } = from;
  if (relaxation.space.levels.length === 1) return bounds;
  const promising = [...bounds.keys()].filter((choice) => bounds[choice]! >= needed);
  for (const { node, choices } of sheltersOf(relaxation, root, promising)) {
    const open = { ...levels, choices: [choices, ...levels.choices.slice(1)] };
    const joint = choiceBounds(relaxation, node, 0, open);
    for (const choice of choices.indexes)
      bounds[choice] = Math.min(bounds[choice]!, joint[choice]!);
  }
  return bounds;
}
