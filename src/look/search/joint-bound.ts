import type { ThermalCurve } from '../comfort/comfort.ts';
import { CORE_SLOTS } from '../wardrobe/ensemble.ts';
import type { SearchNode } from './node.ts';
import type { JointCache, LevelSteps, Relaxation } from './relaxation.ts';
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

const MAX_STEPS = 512;
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
const ROWS = Array.from({ length: MAX_LEVELS + 1 }, () => new Float64Array(MAX_STEPS * MAX_LEVELS));

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

/** The best choice of a level for each step of its insulation. */
function profileOf(
  { occasion, milliClo }: Level,
  { steps }: LevelSteps,
  local: Float64Array,
  gains: Float64Array,
  rate: number,
  penalty: number,
  { occasionMin, occasionSum }: SearchNode,
  into: Profile,
): void {
  let lowest = MAX_STEPS;
  let highest = 0;
  for (let choice = 0; choice < steps.length; choice++) {
    const step = steps[choice]!;
    if (step < lowest) lowest = step;
    if (step > highest) highest = step;
  }
  bestOfStep.fill(Number.NEGATIVE_INFINITY, lowest, highest + 1);
  minDryOfStep.fill(Number.POSITIVE_INFINITY, lowest, highest + 1);
  maxDryOfStep.fill(0, lowest, highest + 1);
  for (let choice = 0; choice < steps.length; choice++) {
    const step = steps[choice]!;
    const fit = occasion[choice]!;
    let gain = gains[choice]! + local[choice]! + rate * fit;
    if (fit < occasionMin) gain -= penalty * (occasionMin - fit) * (occasionSum + fit);
    if (gain > bestOfStep[step]!) bestOfStep[step] = gain;
    const dry = milliClo[choice]!;
    if (dry < minDryOfStep[step]!) minDryOfStep[step] = dry;
    if (dry > maxDryOfStep[step]!) maxDryOfStep[step] = dry;
  }
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

/** The largest sum of warmth and accessories from each step of a core's insulation on. */
function endTable(relaxation: Relaxation, curve: ThermalCurve, slack: number): Float64Array {
  const { endOf } = relaxation.joint;
  const bySlack = endOf.get(curve) ?? new Map<number, Float64Array>();
  endOf.set(curve, bySlack);
  const cached = bySlack.get(slack);
  if (cached) return cached;
  const table = new Float64Array(Math.ceil(relaxation.context.maxMilliClo / STEP) + 1).fill(-1);
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
  let best = 0;
  for (const { milliClo } of accessories) {
    const from = STEP * step + low + milliClo;
    const fit = isOutdoor ? regionWeight * fits.accessory.at(milliClo) : 0;
    const to = Math.min(limit, STEP * step + slack + high + milliClo);
    best = Math.max(best, fit + thermal * curve.upperBound(Math.min(from, to), to));
  }
  table[step] = best;
  return best;
}

/**
 * Upper bounds below a node for each choice of the next level: the largest sum of gains of the levels
 * after it, of warmth and of the fit of torso and accessories, jointly over the insulation of all.
 * @param charged level whose choices pay for lowering the occasion fit; -1 for none
 * @param into one number for each choice of the level at `depth`
 */
export function jointBounds(
  relaxation: Relaxation,
  node: SearchNode,
  depth: number,
  gains: readonly Float64Array[],
  charged: number,
  into: Float64Array,
): void {
  const rate = relaxation.occasionWeight * node.occasionMin;
  const { levels, extras, fits, isOnePiece, regionWeight } = relaxation.space;
  const curve = node.curve!;
  const stepsAt = levels.map((_, at) =>
    at < depth ? undefined : stepsFor(relaxation, at, coverOf(relaxation, at, depth, node)),
  );
  const base = Math.floor(node.milliClo / STEP);
  let slack = node.milliClo - STEP * base;
  const isOverOpen = levels[depth]!.slot === 'over';
  for (let at = depth; at < levels.length; at++)
    // With each overtrousers in turn, the insulation of wet trousers is known.
    slack += isOverOpen && at === depth + 1 ? STEP - 1 : stepsAt[at]!.slack;
  const end = endTable(relaxation, curve, slack);

  for (let at = depth + 1; at < levels.length; at++)
    profileOf(
      levels[at]!,
      stepsAt[at]!,
      relaxation.locals[depth]![at]!,
      gains[at]!,
      rate,
      at === charged ? relaxation.occasionWeight : 0,
      node,
      PROFILES[at]!,
    );
  // Reachable sums before each level.
  const lows: number[] = [];
  const highs: number[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  for (const step of stepsAt[depth]!.steps) {
    if (step < lowest) lowest = step;
    if (step > highest) highest = step;
  }
  lows[depth + 1] = base + lowest;
  highs[depth + 1] = base + highest;
  for (let at = depth + 1; at < levels.length; at++) {
    const { steps, count } = PROFILES[at]!;
    lows[at + 1] = lows[at]! + steps[0]!;
    // Under overtrousers, trousers stay dry.
    const last =
      isOverOpen && at === depth + 1
        ? Math.floor(levels[at]!.maxMilliClo / STEP)
        : steps[count - 1]!;
    highs[at + 1] = highs[at]! + last;
  }

  /** Fit of the torso with this much insulation, dry. */
  const legs = node.legsMilliClo;
  const torsoFit = (low: number, high: number): number => {
    const [from, to] = [
      low + node.topMilliClo + extras.top.low,
      high + node.topMilliClo + extras.top.high,
    ];
    return isOnePiece
      ? 2 *
          regionWeight *
          fits.dress.upperBound(from + legs + extras.bottom.low, to + legs + extras.bottom.high)
      : regionWeight * fits.top.upperBound(from, to);
  };
  const isMidOpen = levels[depth]!.slot === 'mid';
  const firstAfter = isMidOpen || isOverOpen ? depth + 2 : depth + 1;

  // Best of the levels from `at` on, from each reachable sum; first that of none.
  let after = ROWS[levels.length]!;
  const lastLow = lows[levels.length]!;
  const lastHigh = highs[levels.length]!;
  for (let step = lastLow; step <= lastHigh; step++) {
    const cached = end[step]!;
    after[step - lastLow] = cached >= 0 ? cached : endAt(relaxation, curve, end, step, slack);
  }
  for (let at = levels.length - 1; at >= firstAfter; at--) {
    const { steps, gains: best, count } = PROFILES[at]!;
    const row = ROWS[at]!;
    const length = highs[at]! - lows[at]! + 1;
    row.fill(Number.NEGATIVE_INFINITY, 0, length);
    for (let j = 0; j < count; j++) {
      const gain = best[j]!;
      const shift = steps[j]! + lows[at]! - lows[at + 1]!;
      for (let i = 0; i < length; i++) {
        const value = gain + after[i + shift]!;
        if (value > row[i]!) row[i] = value;
      }
    }
    after = row;
  }
  const afterLow = lows[firstAfter]!;

  const level = levels[depth]!;
  const { steps } = stepsAt[depth]!;
  const isMain = level.slot === 'main';
  /** Overtrousers with the best trousers beneath: they share shelter and the fit of the legs. */
  function overBounds(): void {
    const bottom = levels[depth + 1]!;
    const own = gains[depth + 1]!;
    const penalty = depth + 1 === charged ? relaxation.occasionWeight : 0;
    for (let choice = 0; choice < into.length; choice++) {
      const local = bottomLocal(relaxation, choice, depth);
      const cover = level.groups[choice]?.item.garment.water ?? 0;
      const beneath = stepsFor(relaxation, depth + 1, cover).steps;
      let best = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < local.length; i++) {
        const fit = bottom.occasion[i]!;
        let value =
          own[i]! + local[i]! + rate * fit + after[base + steps[choice]! + beneath[i]! - afterLow]!;
        if (fit < node.occasionMin)
          value -= penalty * (node.occasionMin - fit) * (node.occasionSum + fit);
        if (value > best) best = value;
      }
      into[choice] = best;
    }
  }
  if (!isMidOpen && !isOverOpen) {
    for (let choice = 0; choice < into.length; choice++) {
      const dry = level.milliClo[choice]!;
      const rest = after[base + steps[choice]! - afterLow]!;
      into[choice] = rest + (isMain ? torsoFit(dry, dry) : 0);
    }
    return;
  }
  if (isOverOpen) {
    overBounds();
    return;
  }
  const main = PROFILES[depth + 1]!;
  const known = new Map<number, number>();
  for (let choice = 0; choice < into.length; choice++) {
    const dry = level.milliClo[choice]!;
    const key = dry * MAX_STEPS + steps[choice]!;
    let best = known.get(key);
    if (best === undefined) {
      best = Number.NEGATIVE_INFINITY;
      for (let j = 0; j < main.count; j++) {
        const value =
          main.gains[j]! +
          torsoFit(dry + main.minDry[j]!, dry + main.maxDry[j]!) +
          after[base + steps[choice]! + main.steps[j]! - afterLow]!;
        if (value > best) best = value;
      }
      known.set(key, best);
    }
    into[choice] = best;
  }
}
