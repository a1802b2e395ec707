import type { ThermalCurve } from '../comfort/comfort.ts';
import { CORE_SLOTS } from '../wardrobe/ensemble.ts';
import type { SearchNode } from './node.ts';
import type { ChoiceList, JointCache, LevelSteps, OpenLevels, Relaxation } from './relaxation.ts';
import type { Level } from './search-space.ts';

/**
 * Insulation is added up in steps of so many milliclo. Most garments have whole hundredths of a clo, so
 * most sums are exact; but not what rain leaves of them.
 */
const STEP = 10;

/** The best choice of a level for each step of insulation; overwritten by the next node. */
interface Profile {
  count: number;
  /** Steps of insulation that occur, ascending; the other rows are parallel. */
  readonly steps: Int32Array;
  /** The largest gain. */
  readonly gains: Float64Array;
  /** Insulation when dry, milliclo. */
  readonly minDry: Float64Array;
  readonly maxDry: Float64Array;
}

const MAX_STEPS = 1024;
const bestOfStep = new Float64Array(MAX_STEPS);
const minDryOfStep = new Float64Array(MAX_STEPS);
const maxDryOfStep = new Float64Array(MAX_STEPS);

/** Memory of one computation, by level: the search computes millions. */
const MAX_LEVELS = CORE_SLOTS.length;
const PROFILES = Array.from(
  { length: MAX_LEVELS },
  (): Profile => ({
    count: 0,
    steps: new Int32Array(MAX_STEPS),
    gains: new Float64Array(MAX_STEPS),
    minDry: new Float64Array(MAX_STEPS),
    maxDry: new Float64Array(MAX_STEPS),
  }),
);
const ROWS = Array.from(
  { length: MAX_LEVELS + 1 },
  (): Float64Array => new Float64Array(MAX_STEPS * MAX_LEVELS),
);

export const createJointCache = (): JointCache => ({
  stepsOf: [],
  bottomLocals: new Map(),
  endOf: new Map(),
});

const isTorso = ({ slot }: Level): boolean => slot === 'mid' || slot === 'main';

/** @param cover water resistance of what is worn over the level; undefined if it is not known yet */
function computeSteps(
  { context, isRain }: Relaxation,
  level: Level,
  cover: number | undefined,
): LevelSteps {
  const { groups, milliClo } = level;
  const steps = new Int32Array(groups.length);
  let slack = 0;
  for (let choice = 0; choice < groups.length; choice++) {
    const group = groups[choice];
    const dry = milliClo[choice]!;
    let [low, high] = [dry, dry];
    if (isRain && group) {
      low = context.wetMilliClo(group.item, cover ?? 0);
      high = cover === undefined ? dry : low;
    }
    steps[choice] = Math.floor(low / STEP);
    slack = Math.max(slack, high - STEP * steps[choice]!);
  }
  return { steps, slack };
}

function stepsFor(relaxation: Relaxation, depth: number, cover: number | undefined): LevelSteps {
  const { stepsOf } = relaxation.joint;
  stepsOf[depth] ??= new Map();
  const cached = stepsOf[depth].get(cover);
  if (cached) return cached;
  const steps = computeSteps(relaxation, relaxation.space.levels[depth]!, cover);
  stepsOf[depth].set(cover, steps);
  return steps;
}

/** Water resistance of what is worn over the garments of a level; undefined if it is not known yet. */
function coverOf(
  { space, overDepth }: Relaxation,
  at: number,
  depth: number,
  node: SearchNode,
): number | undefined {
  const level = space.levels[at]!;
  if (isTorso(level)) return node.torsoWater;
  if (level.slot !== 'bottom' || overDepth < 0) return 0;
  if (overDepth >= depth) return undefined;
  return space.levels[overDepth]!.groups[node.overChoice]?.item.garment.water ?? 0;
}

/**
 * What each choice of trousers decides with overtrousers that are known: shelter and the fit of the
 * legs; and what a pattern can add, if the levels from `depth` on are open.
 */
export function bottomLocal(relaxation: Relaxation, over: number, depth: number): Float64Array {
  const { space, overDepth, bottomDepth, context, joint } = relaxation;
  const key = over * space.levels.length + depth;
  const cached = joint.bottomLocals.get(key);
  if (cached) return cached;
  const bottom = space.levels[bottomDepth]!;
  const overtrousers = space.levels[overDepth]!;
  const { extras, fits, regionWeight, waterShare } = space;
  const { protection } = context.model.tables.weights;
  const isWorn = overtrousers.groups[over] !== undefined;
  const local = bottom.milliClo.map((dry, choice) => {
    const shelter = isWorn ? overtrousers : bottom;
    const at = isWorn ? over : choice;
    const missing =
      waterShare * shelter.missingWater[at]! + (1 - waterShare) * shelter.missingWind[at]!;
    const legs = dry + overtrousers.milliClo[over]!;
    const fit = fits.bottom.upperBound(legs + extras.bottom.low, legs + extras.bottom.high);
    const ofPattern = relaxation.locals[depth]![bottomDepth]![choice]! - bottom.localBound[choice]!;
    return regionWeight * fit - protection * missing + ofPattern;
  });
  joint.bottomLocals.set(key, local);
  return local;
}

/**
 * The best choice of a level for each step of its insulation.
 * @param deficits by how much each choice is worse than the best of its step
 */
function profileOf(
  { occasion, milliClo }: Level,
  { indexes, count: left }: ChoiceList,
  { steps }: LevelSteps,
  local: Float64Array,
  gains: Float64Array,
  rate: number,
  into: Profile,
  deficits: Float64Array,
): void {
  let lowest = MAX_STEPS;
  let highest = 0;
  for (let i = 0; i < left; i++) {
    const step = steps[indexes[i]!]!;
    if (step < lowest) lowest = step;
    if (step > highest) highest = step;
  }
  bestOfStep.fill(Number.NEGATIVE_INFINITY, lowest, highest + 1);
  minDryOfStep.fill(Number.POSITIVE_INFINITY, lowest, highest + 1);
  maxDryOfStep.fill(0, lowest, highest + 1);
  for (let i = 0; i < left; i++) {
    const choice = indexes[i]!;
    const step = steps[choice]!;
    const gain = gains[choice]! + local[choice]! + rate * occasion[choice]!;
    deficits[choice] = gain;
    if (gain > bestOfStep[step]!) bestOfStep[step] = gain;
    const dry = milliClo[choice]!;
    if (dry < minDryOfStep[step]!) minDryOfStep[step] = dry;
    if (dry > maxDryOfStep[step]!) maxDryOfStep[step] = dry;
  }
  for (let i = 0; i < left; i++) {
    const choice = indexes[i]!;
    deficits[choice] = bestOfStep[steps[choice]!]! - deficits[choice]!;
  }
  collectSteps(lowest, highest, into);
}

/** The steps that occur, ascending. */
function collectSteps(lowest: number, highest: number, into: Profile): void {
  let count = 0;
  for (let step = lowest; step <= highest; step++) {
    const best = bestOfStep[step]!;
    if (best === Number.NEGATIVE_INFINITY) continue;
    into.steps[count] = step;
    into.gains[count] = best;
    into.minDry[count] = minDryOfStep[step]!;
    into.maxDry[count] = maxDryOfStep[step]!;
    count += 1;
  }
  into.count = count;
}

/**
 * The best pair of overtrousers and trousers for each step of their insulation: they share shelter,
 * wetness and the fit of the legs. The profile is that of the overtrousers' level.
 */
function profileLegs({ relaxation, node, depth, open }: JointProblem, at: number): void {
  const { space, occasionWeight, nodeBuffers } = relaxation;
  const { groups } = space.levels[at]!;
  const { occasion } = space.levels[at + 1]!;
  const rate = occasionWeight * node.occasionMin;
  const gains = open.gains[at + 1]!;
  const { steps } = SUMS.stepsAt[at]!;
  const over = open.choices[at]!;
  const bottom = open.choices[at + 1]!;
  bestOfStep.fill(Number.NEGATIVE_INFINITY);
  let lowest = MAX_STEPS;
  let highest = 0;
  for (let n = 0; n < over.count; n++) {
    const choice = over.indexes[n]!;
    const shift = steps[choice]!;
    const local = bottomLocal(relaxation, choice, depth);
    const own = stepsFor(relaxation, at + 1, groups[choice]?.item.garment.water ?? 0).steps;
    for (let j = 0; j < bottom.count; j++) {
      const i = bottom.indexes[j]!;
      const step = own[i]! + shift;
      const value = gains[i]! + local[i]! + rate * occasion[i]!;
      if (value > bestOfStep[step]!) bestOfStep[step] = value;
      if (step < lowest) lowest = step;
      if (step > highest) highest = step;
    }
  }
  const overDeficits = nodeBuffers[depth]!.deficits[at]!.fill(Number.POSITIVE_INFINITY);
  const deficits = nodeBuffers[depth]!.deficits[at + 1]!.fill(Number.POSITIVE_INFINITY);
  for (let n = 0; n < over.count; n++) {
    const choice = over.indexes[n]!;
    const shift = steps[choice]!;
    const local = bottomLocal(relaxation, choice, depth);
    const own = stepsFor(relaxation, at + 1, groups[choice]?.item.garment.water ?? 0).steps;
    let least = Number.POSITIVE_INFINITY;
    for (let j = 0; j < bottom.count; j++) {
      const i = bottom.indexes[j]!;
      const value = gains[i]! + local[i]! + rate * occasion[i]!;
      const deficit = bestOfStep[own[i]! + shift]! - value;
      if (deficit < least) least = deficit;
      if (deficit < deficits[i]!) deficits[i] = deficit;
    }
    overDeficits[choice] = least;
  }
  collectSteps(lowest, highest, PROFILES[at]!);
}

/** The largest sum of warmth and accessories from each step of a core's insulation on. */
function endTable(relaxation: Relaxation, curve: ThermalCurve, slack: number): Float64Array {
  const { endOf } = relaxation.joint;
  const bySlack = endOf.get(curve) ?? new Map<number, Float64Array>();
  endOf.set(curve, bySlack);
  const cached = bySlack.get(slack);
  if (cached) return cached;
  const table = new Float64Array(Math.ceil(relaxation.context.maxMilliClo / STEP) + 1).fill(
    Number.NaN,
  );
  bySlack.set(slack, table);
  return table;
}

function endAt(
  relaxation: Relaxation,
  curve: ThermalCurve,
  table: Float64Array,
  step: number,
  slack: number,
): number {
  const { context, space, isOutdoor } = relaxation;
  const { accessories, extras, regionWeight, fits } = space;
  const { thermal } = context.model.tables.weights;
  const { low, high } = extras.under;
  const limit = context.maxMilliClo;
  let best = Number.NEGATIVE_INFINITY;
  for (const { milliClo } of accessories) {
    const from = STEP * step + low + milliClo;
    const fit = isOutdoor ? regionWeight * fits.accessory.at(milliClo) : 0;
    const to = Math.min(limit, STEP * step + slack + high + milliClo);
    best = Math.max(best, fit + thermal * curve.upperBound(Math.min(from, to), to));
  }
  table[step] = best;
  return best;
}

/** The insulation of the open levels below one node; overwritten by the next one. */
interface OpenSums {
  stepsAt: (LevelSteps | undefined)[];
  /** Step of the insulation so far. */
  base: number;
  /** Reachable sums before each level. */
  lows: number[];
  highs: number[];
}
const SUMS: OpenSums = { stepsAt: [], base: 0, lows: [], highs: [] };

/** What the levels of a node share. */
interface JointProblem {
  readonly relaxation: Relaxation;
  readonly node: SearchNode;
  readonly depth: number;
  readonly open: OpenLevels;
}

/** The largest sums of warmth and accessories from each step that the levels reach together. */
function endRow(relaxation: Relaxation, curve: ThermalCurve, slack: number): Float64Array {
  const end = endTable(relaxation, curve, slack);
  const last = relaxation.space.levels.length;
  const row = ROWS[last]!;
  const low = SUMS.lows[last]!;
  const high = SUMS.highs[last]!;
  for (let step = low; step <= high; step++) {
    const cached = end[step]!;
    row[step - low] = Number.isNaN(cached) ? endAt(relaxation, curve, end, step, slack) : cached;
  }
  return row;
}

/** The best of the levels from `at` on, from each reachable sum, by those after it. */
function addLevel(at: number, after: Float64Array, next = at + 1): Float64Array {
  const { steps, gains, count } = PROFILES[at]!;
  const { lows, highs } = SUMS;
  const row = ROWS[at]!;
  const length = highs[at]! - lows[at]! + 1;
  row.fill(Number.NEGATIVE_INFINITY, 0, length);
  for (let j = 0; j < count; j++) {
    const gain = gains[j]!;
    const shift = steps[j]! + lows[at]! - lows[next]!;
    for (let i = 0; i < length; i++) {
      const value = gain + after[i + shift]!;
      if (value > row[i]!) row[i] = value;
    }
  }
  return row;
}

/** Fit of the torso with this much insulation, dry, under any underlayers. */
function torsoFit({ relaxation, node }: JointProblem, low: number, high: number): number {
  const { extras, fits, isOnePiece, regionWeight } = relaxation.space;
  const from = low + node.topMilliClo + extras.top.low;
  const to = high + node.topMilliClo + extras.top.high;
  if (!isOnePiece) return regionWeight * fits.top.upperBound(from, to);
  const { bottom } = extras;
  const legs = node.legsMilliClo;
  return (
    2 * regionWeight * fits.dress.upperBound(from + legs + bottom.low, to + legs + bottom.high)
  );
}

/** Slots whose choices are maximised together with those of the next level. */
const isPaired = ({ slot }: Level): boolean => slot === 'mid' || slot === 'over';

/**
 * Upper bounds below a node for each choice of the next level: the largest sum of gains of the levels
 * after it, of warmth and of the fit of torso and accessories, jointly over the insulation of all.
 * @param into one number for each choice left of the level at `depth`
 */
export function jointBounds(
  relaxation: Relaxation,
  node: SearchNode,
  depth: number,
  open: OpenLevels,
  into: Float64Array,
): void {
  const problem: JointProblem = { relaxation, node, depth, open };
  const { overDepth, bottomDepth } = relaxation;
  const { levels } = relaxation.space;
  const { choices } = open;
  const { stepsAt, lows, highs } = SUMS;
  const base = Math.floor(node.milliClo / STEP);
  SUMS.base = base;
  let slack = node.milliClo - STEP * base;
  const isOverOpen = levels[depth]!.slot === 'over';
  // With each overtrousers in turn, the insulation of wet trousers is known.
  const pairedDepth = overDepth >= depth ? bottomDepth : -1;
  for (let at = depth; at < levels.length; at++) {
    const steps = stepsFor(relaxation, at, coverOf(relaxation, at, depth, node));
    stepsAt[at] = steps;
    slack += at === pairedDepth ? STEP - 1 : steps.slack;
  }
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  const { indexes, count } = choices[depth]!;
  const { steps: own } = stepsAt[depth]!;
  for (let i = 0; i < count; i++) {
    const step = own[indexes[i]!]!;
    if (step < lowest) lowest = step;
    if (step > highest) highest = step;
  }
  lows[depth + 1] = base + lowest;
  highs[depth + 1] = base + highest;
  for (let at = depth + 1; at < levels.length; at++) {
    if (at === overDepth) {
      profileLegs(problem, at);
      const { steps, count: found } = PROFILES[at]!;
      lows[at + 2] = lows[at]! + steps[0]!;
      highs[at + 2] = highs[at]! + steps[found - 1]!;
      at += 1;
      continue;
    }
    profileLevel(problem, at);
    const { steps, count: found } = PROFILES[at]!;
    lows[at + 1] = lows[at]! + steps[0]!;
    // Under overtrousers, trousers stay dry.
    const isDry = isOverOpen && at === depth + 1;
    const last = isDry ? Math.floor(levels[at]!.maxMilliClo / STEP) : steps[found - 1]!;
    highs[at + 1] = highs[at]! + last;
  }
  let after = endRow(relaxation, node.curve!, slack);
  const firstAfter = isPaired(levels[depth]!) ? depth + 2 : depth + 1;
  for (let at = levels.length - 1; at >= firstAfter; at--) {
    if (at === bottomDepth && overDepth > depth) after = addLevel(--at, after, bottomDepth + 1);
    else after = addLevel(at, after);
  }
  finish(problem, after, firstAfter, into);
}

/** Profiles a level, and the fit of the torso with it if it is the only one there under a coat. */
function profileLevel({ relaxation, node, depth, open }: JointProblem, at: number): void {
  const { locals, nodeBuffers, space } = relaxation;
  const { deficits } = nodeBuffers[depth]!;
  const profile = PROFILES[at]!;
  profileOf(
    space.levels[at]!,
    open.choices[at]!,
    SUMS.stepsAt[at]!,
    locals[depth]![at]!,
    open.gains[at]!,
    relaxation.occasionWeight * node.occasionMin,
    profile,
    deficits[at]!,
  );
  if (!isTopNext(space.levels, depth) || at !== depth + 1) return;
  const { count, gains, minDry, maxDry } = profile;
  for (let j = 0; j < count; j++)
    gains[j]! += torsoFit({ relaxation, node, depth, open }, minDry[j]!, maxDry[j]!);
}

const isTopNext = (levels: readonly Level[], depth: number): boolean =>
  levels[depth]!.slot === 'outer' && levels[depth + 1]?.slot === 'main';

/**
 * The bound of each choice, by the best of the levels from `firstAfter` on.
 */
function finish(
  problem: JointProblem,
  after: Float64Array,
  firstAfter: number,
  into: Float64Array,
): void {
  const { relaxation, depth, open } = problem;
  const { levels } = relaxation.space;
  const level = levels[depth]!;
  const afterLow = SUMS.lows[firstAfter]!;
  if (level.slot === 'over') finishOver(problem, after, afterLow, into);
  else if (level.slot === 'mid') finishMid(problem, after, afterLow, into);
  else {
    const { indexes, count } = open.choices[depth]!;
    const { steps } = SUMS.stepsAt[depth]!;
    // Under a coat, what is on the torso is open, and so is its fit.
    const { low, high } = relaxation.open[depth + 1]!.top;
    const isTorsoOpen = level.slot === 'outer' && !isTopNext(levels, depth);
    const torso = isTorsoOpen ? torsoFit(problem, low, high) : 0;
    const shift = SUMS.base - afterLow;
    for (let i = 0; i < count; i++) {
      const choice = indexes[i]!;
      const dry = level.milliClo[choice]!;
      const own = level.slot === 'main' ? torsoFit(problem, dry, dry) : torso;
      into[choice] = after[steps[choice]! + shift]! + own;
    }
  }
}

/** Middle layers with the best top beneath: they share the fit of the torso. */
function finishMid(
  problem: JointProblem,
  after: Float64Array,
  afterLow: number,
  into: Float64Array,
): void {
  const { relaxation, depth, open } = problem;
  const { milliClo } = relaxation.space.levels[depth]!;
  const { indexes, count } = open.choices[depth]!;
  const { steps } = SUMS.stepsAt[depth]!;
  const main = PROFILES[depth + 1]!;
  const known = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const choice = indexes[i]!;
    const dry = milliClo[choice]!;
    const key = dry * MAX_STEPS + steps[choice]!;
    let best = known.get(key);
    if (best === undefined) {
      best = Number.NEGATIVE_INFINITY;
      const shift = SUMS.base + steps[choice]! - afterLow;
      for (let j = 0; j < main.count; j++) {
        const value =
          main.gains[j]! +
          torsoFit(problem, dry + main.minDry[j]!, dry + main.maxDry[j]!) +
          after[main.steps[j]! + shift]!;
        if (value > best) best = value;
      }
      known.set(key, best);
    }
    into[choice] = best;
  }
}

/** Overtrousers with the best trousers beneath: they share shelter and the fit of the legs. */
function finishOver(
  { relaxation, node, depth, open }: JointProblem,
  after: Float64Array,
  afterLow: number,
  into: Float64Array,
): void {
  const { levels } = relaxation.space;
  const { groups } = levels[depth]!;
  const { occasion } = levels[depth + 1]!;
  const rate = relaxation.occasionWeight * node.occasionMin;
  const { indexes, count } = open.choices[depth]!;
  const { steps } = SUMS.stepsAt[depth]!;
  const beneath = open.choices[depth + 1]!;
  const own = open.gains[depth + 1]!;
  for (let n = 0; n < count; n++) {
    const choice = indexes[n]!;
    const local = bottomLocal(relaxation, choice, depth);
    const cover = groups[choice]?.item.garment.water ?? 0;
    const dry = stepsFor(relaxation, depth + 1, cover).steps;
    const shift = SUMS.base + steps[choice]! - afterLow;
    let best = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < beneath.count; j++) {
      const i = beneath.indexes[j]!;
      const value = own[i]! + local[i]! + rate * occasion[i]! + after[dry[i]! + shift]!;
      if (value > best) best = value;
    }
    into[choice] = best;
  }
}
