import type { Judgement } from '../scoring/context.ts';
import { greatestHarmony } from '../scoring/harmony.ts';
import type { CoreSlot } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { each, type Prepared } from './plan.ts';
import {
  type Ahead,
  bestOf,
  copyState,
  type HarmonyTable,
  pairsOf,
  type Roof,
  restOf,
  START,
  type State,
  slopeFor,
} from './state.ts';

/** How choices of one template add up, and what the best is that may still come of them. */
export function createBounds(judgement: Judgement, prepared: Prepared, harmony: HarmonyTable) {
  const { levels, extra, isOnePiece, perRegion, fits, kind } = prepared;
  const { weights } = judgement.model.tables;
  const depthOf = (slot: CoreSlot) => levels.findIndex((level) => level.slot === slot);
  const bottomAt = depthOf('bottom');
  const shoesAt = depthOf('shoes');
  const overLevel = depthOf('over');
  const isRain = judgement.model.k.rain.loss * judgement.shelter.torso.water > 0;
  const scratch: State = { ...START };
  const isOut = judgement.plan === 'outdoor';
  const judged = levels.filter(({ slot }) => slot !== 'over').length;
  const allPairs = pairsOf(levels);
  const mostHarmony = greatestHarmony(judgement.model);
  const perPair = allPairs > 0 ? weights.color / allPairs : 0;
  const loneColour = allPairs > 0 ? 0 : weights.color * judgement.model.k.fit.unknown;

  /** Of the levels from a depth on: sums of their extremes. */
  const rest = levels.map((_, depth) => restOf(levels.slice(depth + 1)));

  /** Room for what the levels ahead give after a choice at each depth; used anew for each choice. */
  const buffers = levels.map(() => levels.map(({ groups }) => new Float64Array(groups.length)));

  /** No outfit's least fit for the occasion is more than this. */
  const occasionLeast = Math.min(1, ...levels.map(({ mostOccasion }) => mostOccasion));

  /** What a fit for the occasion is worth at most: its mean counts times its least. */
  const perOccasion = (state: State): number => (weights.occasion / judged) * state.occasionLeast;

  /** Season of each choice, weighted: what it gives whatever else is worn. */
  const ownGains = levels.map((level) =>
    each(level.groups, (group) =>
      group && level.slot !== 'over' ? (weights.season * group.piece.season) / judged : 0,
    ),
  );

  /** The slope of the line over the curves, value per thousandth of a clo. */
  const slope = slopeFor(judgement, prepared, ownGains);
  const pullOf = (milli: number) => weights.thermal * slope * milli;
  const pulls = levels.map(({ milli, leastMilli }) =>
    (slope > 0 ? milli : leastMilli).map((each) => pullOf(each)),
  );
  const extraPull = pullOf(slope > 0 ? extra.total.high : extra.total.low);

  /** Writes into `scratch` what a state becomes by one more choice. */
  function step(state: State, depth: number, at: number, gain: number): void {
    copyState(state, scratch);
    const level = levels[depth]!;
    const group = level.groups[at];
    if (!group) return;
    const { slot } = level;
    const { piece } = group;
    const milli = level.milli[at]!;
    if (depth === 0) {
      scratch.torsoWater = piece.garment.water;
      scratch.curve = judgement.curveFor(piece.garment);
      scratch.lift = scratch.curve.lift(slope);
    }
    const isLegs = slot === 'bottom' && state.overAt >= 0;
    const shelter = isLegs ? levels[overLevel]! : level;
    const shelterAt = isLegs ? state.overAt : at;
    if (slot === 'over') scratch.overAt = at;
    else {
      scratch.water += shelter.water[shelterAt]!;
      scratch.wind += shelter.wind[shelterAt]!;
    }
    scratch.milli += isRain ? judgement.wetMilli(piece, coverOf(state, slot)) : milli;
    if (slot === 'mid' || slot === 'main') scratch.top += milli;
    else if (slot === 'over' || slot === 'bottom') scratch.legs += milli;
    else if (slot === 'outer') scratch.outer = milli;
    else scratch.shoes = milli;
    scratch.settled += gain;
    if (slot === 'over') return;
    const occasion = level.occasion[at]!;
    scratch.occasionSum += occasion;
    scratch.occasionLeast = Math.min(scratch.occasionLeast, occasion);
  }

  /** Water resistance of what is worn over a slot, by what is chosen. */
  function coverOf(state: State, slot: CoreSlot): number {
    if (slot === 'outer' || slot === 'mid' || slot === 'main') return scratch.torsoWater;
    const over = slot === 'bottom' ? levels[overLevel]?.groups[state.overAt] : undefined;
    return over?.piece.garment.water ?? 0;
  }

  /** The regions' greatest value that is still open, but for those that a level ahead accounts for. */
  function regionBound(state: State, depth: number): number {
    const ahead = rest[depth]!;
    const low = state.top + ahead.topLeast + extra.top.low;
    const high = state.top + ahead.topMost + extra.top.high;
    let fit = isOnePiece
      ? 2 *
        fits.dress.bound(low + extra.bottom.low + state.legs, high + extra.bottom.high + state.legs)
      : fits.top.bound(low, high);
    if (!isOnePiece && depth >= bottomAt)
      fit += fits.bottom.bound(state.legs + extra.bottom.low, state.legs + extra.bottom.high);
    if (depth >= shoesAt)
      fit += fits.shoes.bound(state.shoes + extra.shoes.low, state.shoes + extra.shoes.high);
    if (isOut)
      fit +=
        fits.outer.at(state.outer) +
        fits.accessory.bound(extra.accessory.low, extra.accessory.high);
    return perRegion * fit;
  }

  /**
   * At least the score of every outfit that begins like this: by the best warmth within reach, or by
   * a straight line over it, which lets each level ahead weigh its own warmth against all else.
   */
  function roofOf(state: State, depth: number, ahead: Ahead): Roof {
    const open = rest[depth]!;
    const isDone = depth === levels.length - 1;
    const short = isDone ? Math.max(state.water, state.wind) : state[kind];
    const others =
      weights.protection * (1 - short) +
      perOccasion(state) * state.occasionSum +
      state.settled +
      perPair * mostHarmony * open.pairs +
      regionBound(state, depth);
    const low = state.milli + open.least + extra.total.low;
    const high = state.milli + open.most + extra.total.high;
    const reach = weights.thermal * state.curve!.bound(low, high) + ahead.gain;
    const line = weights.thermal * (state.lift + slope * state.milli) + extraPull + ahead.pulled;
    return { reach: others + reach, line: others + line };
  }

  function bound(state: State, depth: number, ahead: Ahead): number {
    const { reach, line } = roofOf(state, depth, ahead);
    return Math.min(reach, line);
  }

  /** What the levels ahead can give at best, each by itself, after `group` is chosen at `depth`. */
  function gainsAfter(
    gains: readonly Float64Array[],
    depth: number,
    group: Group | undefined,
    state: State,
  ) {
    const { area } = levels[depth]!;
    const ahead = { gain: 0, pulled: 0 };
    const bests: Ahead[] = [];
    const next = gains.map((row, at) => {
      const level = levels[at]!;
      if (at <= depth) return row;
      const pair = perPair * area * level.area;
      const isSeen = pair > 0 && group !== undefined;
      const updated = isSeen ? buffers[depth]![at]! : row;
      if (isSeen) {
        const harmonies = harmony.rowOf(group);
        const { indexes } = level;
        for (let i = 0; i < row.length; i++) {
          const known = harmonies[indexes[i]!]!;
          const value = known < 0 ? harmony.compute(harmonies, group, level.groups[i]) : known;
          updated[i] = row[i]! + pair * value;
        }
      }
      const best = bestOf(updated, level, pulls[at]!, perOccasion(state));
      ahead.gain += best.gain;
      ahead.pulled += best.pulled;
      bests[at] = best;
      return updated;
    });
    return { next, bests, ahead };
  }

  /** The same before anything is chosen at `depth`: every pair at the best harmony there is. */
  function mostAhead(gains: readonly Float64Array[], depth: number, state: State): Ahead {
    const ahead = { gain: 0, pulled: 0 };
    for (let at = depth + 1; at < levels.length; at++) {
      const best = bestOf(gains[at]!, levels[at]!, pulls[at]!, perOccasion(state));
      const pair = perPair * mostHarmony * levels[depth]!.area * levels[at]!.area;
      ahead.gain += best.gain + pair;
      ahead.pulled += best.pulled + pair;
    }
    return ahead;
  }

  return {
    ownGains,
    pulls,
    /** The last step taken; copy it to keep it. */
    scratch,
    start: { ...START, ...prepared.bare, settled: loneColour, occasionLeast },
    perOccasion,
    step,
    roofOf,
    bound,
    gainsAfter,
    mostAhead,
  };
}

export type Bounds = ReturnType<typeof createBounds>;
