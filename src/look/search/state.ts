import type { Curve } from '../comfort/comfort.ts';
import type { Judgement } from '../scoring/context.ts';
import { isUnder } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { Level, Prepared } from './plan.ts';

/** What the choices made so far come to. */
export interface State {
  milli: number;
  top: number;
  legs: number;
  outer: number;
  shoes: number;
  /** Weighted season and colour. */
  settled: number;
  occasionSum: number;
  occasionLeast: number;
  water: number;
  wind: number;
  torsoWater: number;
  /** Which overtrousers; -1 before they are chosen. */
  overAt: number;
  curve: Curve | undefined;
  /** What the slope has to be lifted by to lie nowhere below the curve. */
  lift: number;
}

export const START: Readonly<State> = {
  milli: 0,
  top: 0,
  legs: 0,
  outer: 0,
  shoes: 0,
  settled: 0,
  occasionSum: 0,
  occasionLeast: 1,
  water: 0,
  wind: 0,
  torsoWater: 0,
  overAt: -1,
  curve: undefined,
  lift: 0,
};

/** Field by field: several times as fast as a spread, in the innermost loop. */
export function copyState(from: Readonly<State>, to: State): State {
  to.milli = from.milli;
  to.top = from.top;
  to.legs = from.legs;
  to.outer = from.outer;
  to.shoes = from.shoes;
  to.settled = from.settled;
  to.occasionSum = from.occasionSum;
  to.occasionLeast = from.occasionLeast;
  to.water = from.water;
  to.wind = from.wind;
  to.torsoWater = from.torsoWater;
  to.overAt = from.overAt;
  to.curve = from.curve;
  to.lift = from.lift;
  return to;
}

/** Harmony of groups by number, each pair computed once. */
export function harmonyTable(judgement: Judgement, groups: number) {
  const rows: (Float64Array | undefined)[] = [];
  return {
    /** Row of a group; -1 where not computed yet. */
    rowOf(group: Group): Float64Array {
      const known = rows[group.index];
      if (known) return known;
      const row = new Float64Array(groups).fill(-1);
      rows[group.index] = row;
      return row;
    },
    compute(row: Float64Array, a: Group, b: Group | undefined): number {
      const value = b ? judgement.harmonyOf(a.piece, b.piece) : 0;
      if (b) row[b.index] = value;
      return value;
    },
  };
}

export type HarmonyTable = ReturnType<typeof harmonyTable>;

/** The best that levels ahead can give, without their warmth and with it along the line. */
export interface Ahead {
  gain: number;
  pulled: number;
}

/** The best of one level. */
export function bestOf(
  gains: Float64Array,
  { ownBound, occasion }: Level,
  pull: Float64Array,
  perOccasion: number,
): Ahead {
  const best = { gain: Number.NEGATIVE_INFINITY, pulled: Number.NEGATIVE_INFINITY };
  for (let i = 0; i < gains.length; i++) {
    const gain = gains[i]! + ownBound[i]! + perOccasion * occasion[i]!;
    if (gain > best.gain) best.gain = gain;
    if (gain + pull[i]! > best.pulled) best.pulled = gain + pull[i]!;
  }
  return best;
}

/** Two bounds on a score; both hold. */
export interface Roof {
  reach: number;
  line: number;
}

/** Slopes to choose from, value per clo: as steep as warmth gets, too cold and too warm. */
const SLOPES = [-0.6, -0.3, -0.15, 0.08, 0.15, 0.25, 0.4, 0.6];

/** The slope that bounds a template best before anything is chosen, seen from one first choice. */
export function slopeFor(
  judgement: Judgement,
  { levels, extra }: Prepared,
  gains: readonly Float64Array[],
): number {
  const { thermal } = judgement.model.tables.weights;
  const first = levels[0]!.groups[0];
  if (!first) return 0;
  const curve = judgement.curveFor(first.piece.garment);
  const boundBy = (slope: number): number => {
    const perMilli = thermal * slope;
    let sum = 0;
    for (let at = 0; at < levels.length; at++) {
      const level = levels[at]!;
      const pull = (slope > 0 ? level.milli : level.leastMilli).map((milli) => perMilli * milli);
      sum += bestOf(gains[at]!, level, pull, 0).pulled;
    }
    const { low, high } = extra.total;
    return sum + thermal * curve.lift(slope) + perMilli * (slope > 0 ? high : low);
  };
  const tried = [0, ...SLOPES.map((perClo) => perClo / 1000)];
  const bounds = tried.map(boundBy);
  return tried[bounds.indexOf(Math.min(...bounds))] ?? 0;
}

/** Whether a choice goes with those made: a middle layer over what is beneath, no garment twice. */
export function isAllowed(
  judgement: Judgement,
  levels: readonly Level[],
  depth: number,
  chosen: readonly (Group | undefined)[],
  group: Group | undefined,
): boolean {
  if (!group) return true;
  const { slot } = levels[depth]!;
  if (slot === 'bottom') return !chosen.includes(group);
  if (slot !== 'main') return true;
  const mid = chosen[levels.findIndex((level) => level.slot === 'mid')];
  return !mid || isUnder(judgement, mid, group);
}

/** Sum over pairs of levels of the shares of the look that they are. */
export const pairsOf = (levels: readonly Level[]): number =>
  levels.reduce(
    (sum, a, i) => levels.slice(i + 1).reduce((more, b) => more + a.area * b.area, sum),
    0,
  );

/** Sums of the extremes of the levels that are still to choose from. */
export function restOf(levels: readonly Level[]) {
  const torso = levels.filter(({ slot }) => slot === 'mid' || slot === 'main');
  const sum = (some: readonly Level[], of: (level: Level) => number) =>
    some.reduce((total, level) => total + of(level), 0);
  return {
    least: sum(levels, (level) => level.least),
    most: sum(levels, (level) => level.most),
    topLeast: sum(torso, (level) => level.leastDry),
    topMost: sum(torso, (level) => level.most),
    /** Shares of pairs that are both still to choose. */
    pairs: pairsOf(levels),
  };
}
