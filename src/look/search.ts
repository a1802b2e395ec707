import { type Curve, liftOf } from './comfort.ts';
import type { Worn } from './ensemble.ts';
import type { Accessory, Under } from './extras.ts';
import { greatestHarmony } from './harmony.ts';
import type { Judgement, Piece } from './judgement.ts';
import { termsOf, weigh } from './score.ts';
import { fitTables, type Level, type Prepared, prepare } from './search-plan.ts';
import { type CoreSlot, isUnder, type Template } from './templates.ts';
import { createTopList, type TopList } from './top-list.ts';
import type { Group, Wardrobe } from './wardrobe.ts';

/** An outfit found, with its score 0-1. */
export interface Found {
  readonly score: number;
  readonly form: Template['form'];
  readonly core: { readonly [S in CoreSlot]?: Group };
  readonly worn: Worn<Piece>;
}

export interface Search {
  /** Best first. */
  readonly found: readonly Found[];
  /** By how much an outfit not looked at could beat the last one found, 0-1; 0: there is none. */
  readonly gap: number;
  readonly isExhausted: boolean;
}

const SLACK = 1e-9;

/** Scores are compared and told in billionths, so that the order of additions never shows. */
export const exactScore = (judgement: Judgement, worn: Worn<Piece>): number =>
  Math.round(weigh(judgement, termsOf(judgement, worn)) * 1e9) / 1e9;

/** What the choices made so far come to. */
interface State {
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

const START: Readonly<State> = {
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
function copyState(from: Readonly<State>, to: State): State {
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
function harmonyTable(judgement: Judgement, groups: number) {
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

type HarmonyTable = ReturnType<typeof harmonyTable>;

/** What all templates of one search share. */
interface Shared {
  judgement: Judgement;
  harmony: HarmonyTable;
  top: TopList<Found>;
  /** Outfits that count as one, the best of them, have one key. */
  keyOf(core: Found['core']): string;
  nodesLeft: number;
  /** The best bound among what was left unseen. */
  unseen: number;
}

/** The best that levels ahead can give, without their warmth and with it along the line. */
interface Ahead {
  gain: number;
  pulled: number;
}

/** The best of one level. */
function bestOf(
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
interface Roof {
  reach: number;
  line: number;
}

interface Child {
  group: Group | undefined;
  state: State;
  bound: number;
}

/** Branch and bound over one template: depth first, best bound first. */
function explore(shared: Shared, prepared: Prepared): void {
  const { judgement, harmony, top } = shared;
  const { template, levels, unders, accessories, extra, isOnePiece, perRegion, fits, kind } =
    prepared;
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
    Float64Array.from(level.groups, (group) =>
      group && level.slot !== 'over' ? (weights.season * group.piece.season) / judged : 0,
    ),
  );

  /** The line over the curves. */
  const line = lineFor(judgement, prepared, slopeFor(judgement, prepared, ownGains));
  const { slope, pulls } = line;
  const lifts = new Map<Curve, number>();
  function liftFor(curve: Curve): number {
    let lift = lifts.get(curve);
    if (lift === undefined) {
      lift = liftOf(curve, slope, judgement.mostMilli);
      lifts.set(curve, lift);
    }
    return lift;
  }

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
      scratch.lift = liftFor(scratch.curve);
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
    const pulled = weights.thermal * (state.lift + slope * state.milli) + ahead.pulled;
    return { reach: others + reach, line: others + pulled + line.beyond(state, depth) };
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

  /** Completes an outfit with the small things that suit it best, and offers it. */
  function settle(state: State, chosen: readonly (Group | undefined)[]): void {
    const core: { [S in CoreSlot]?: Group } = {};
    for (let at = 0; at < levels.length; at++) {
      const group = chosen[at];
      if (group) core[levels[at]!.slot] = group;
    }
    const key = shared.keyOf(core);
    const extras = bestExtras(state, top.needs(key) - SLACK);
    if (!extras) return;
    const worn = { ...wornOf(core), ...extras };
    const score = exactScore(judgement, worn);
    const tie = Object.values(core)
      .map(({ piece }) => piece.garment.id)
      .sort()
      .join(' ');
    top.offer(key, score, tie, () => ({ score, form: template.form, core, worn }));
  }

  /** The small things with which an outfit scores best; none where it stays below `needed`. */
  function bestExtras(state: State, needed: number): Worn<Piece> | undefined {
    const curve = state.curve!;
    const base =
      weights.protection * (1 - Math.max(state.water, state.wind)) +
      perOccasion(state) * state.occasionSum +
      state.settled +
      (isOut ? perRegion * fits.outer.at(state.outer) : 0);
    const perAccessory = isOut ? perRegion : 0;
    const { low, high } = extra.accessory;
    const accessoryRoof = perAccessory * fits.accessory.bound(low, high);
    let best = needed;
    let bestUnder: Under | undefined;
    let bestAccessory: Accessory | undefined;
    for (const under of unders) {
      const milli = state.milli + under.total;
      const body = isOnePiece
        ? 2 * fits.dress.at(state.top + under.top + state.legs + under.bottom)
        : fits.top.at(state.top + under.top) + fits.bottom.at(state.legs + under.bottom);
      const settled = base + perRegion * (body + fits.shoes.at(state.shoes + under.shoes));
      const roof = weights.thermal * curve.bound(milli + low, milli + high) + accessoryRoof;
      if (settled + roof < best) continue;
      for (const accessory of accessories) {
        const value =
          settled +
          perAccessory * fits.accessory.at(accessory.milli) +
          weights.thermal * curve.at(milli + accessory.milli);
        if (value < best || (value === best && bestUnder)) continue;
        best = value;
        bestUnder = under;
        bestAccessory = accessory;
      }
    }
    return bestUnder && bestAccessory && { ...bestUnder.worn, ...bestAccessory.worn };
  }

  function descend(
    state: State,
    depth: number,
    gains: readonly Float64Array[],
    chosen: readonly (Group | undefined)[],
    roof: Roof,
    best: Ahead,
  ): void {
    const level = levels[depth]!;
    const isLast = depth === levels.length - 1;
    const ahead = mostAhead(gains, depth, state);
    const floor = top.threshold() - SLACK;
    const children: Child[] = [];
    const row = gains[depth]!;
    const pull = pulls[depth]!;
    const perFit = perOccasion(state);
    for (let at = 0; at < level.groups.length; at++) {
      const gives = row[at]! + level.ownBound[at]! + perFit * level.occasion[at]!;
      if (roof.reach - best.gain + gives < floor) continue;
      if (roof.line - best.pulled + gives + pull[at]! < floor) continue;
      const group = level.groups[at];
      shared.nodesLeft -= 1;
      if (!isAllowed(judgement, levels, depth, chosen, group)) continue;
      step(state, depth, at, row[at]!);
      const most = bound(scratch, depth, ahead);
      if (most >= floor)
        children.push({ group, state: copyState(scratch, { ...START }), bound: most });
    }
    children.sort((a, b) => b.bound - a.bound);
    for (const child of children) {
      if (child.bound < top.threshold() - SLACK) return;
      if (shared.nodesLeft <= 0) {
        shared.unseen = Math.max(shared.unseen, child.bound);
        return;
      }
      const path = [...chosen, child.group];
      if (isLast) {
        settle(child.state, path);
        continue;
      }
      const { next, bests, ahead: exactly } = gainsAfter(gains, depth, child.group, child.state);
      const below = roofOf(child.state, depth, exactly);
      if (Math.min(below.reach, below.line) < top.threshold() - SLACK) continue;
      descend(child.state, depth + 1, next, path, below, bests[depth + 1]!);
    }
  }

  descend(
    { ...START, ...prepared.bare, settled: loneColour, occasionLeast },
    0,
    ownGains,
    [],
    { reach: Number.POSITIVE_INFINITY, line: Number.POSITIVE_INFINITY },
    { gain: 0, pulled: 0 },
  );
}

/** Slopes to choose from, value per thousandth of a clo: as steep as warmth gets. */
const SLOPES = [-600, -300, -150, 0, 60, 120, 200, 300, 450, 700].map((each) => each / 1e6);

/**
 * What a straight line of warmth makes of a template: every choice, and every small thing with its
 * region, is weighed with its own warmth, each by itself.
 */
function lineFor(judgement: Judgement, prepared: Prepared, slope: number) {
  const { levels, fits, sums, perRegion, isOnePiece, extra, overMost } = prepared;
  const { thermal } = judgement.model.tables.weights;
  const perMilli = thermal * slope;
  const isOut = judgement.plan === 'outdoor';
  const bottomAt = levels.findIndex(({ slot }) => slot === 'bottom');
  const shoesAt = levels.findIndex(({ slot }) => slot === 'shoes');
  const withSmall = (sums: readonly number[], fitOf: (sum: number) => number): number => {
    let best = Number.NEGATIVE_INFINITY;
    for (const sum of sums) best = Math.max(best, perRegion * fitOf(sum) + perMilli * sum);
    return best;
  };
  const legs = (low: number, high: number) =>
    withSmall(sums.bottoms, (sum) => fits.bottom.bound(low + sum, high + sum));
  const feet = (milli: number) => withSmall(sums.socks, (sum) => fits.shoes.at(milli + sum));
  const pulls = levels.map(({ slot, milli, leastMilli, ownRegion }) => {
    const each = slope > 0 ? milli : leastMilli;
    return each.map((warmth, at) => {
      const dry = milli[at]!;
      const own = slot === 'bottom' ? legs(dry, dry + overMost) : slot === 'shoes' ? feet(dry) : 0;
      return perMilli * warmth + own - ownRegion[at]!;
    });
  });
  const extreme = (values: readonly number[]) => Math.max(...values.map((each) => perMilli * each));
  const { low, high } = extra.accessory;
  const accessories = isOut
    ? withSmall(sums.accessories, fits.accessory.at) - perRegion * fits.accessory.bound(low, high)
    : extreme(sums.accessories);
  const loose = accessories + extreme(sums.tops) + (isOnePiece ? extreme(sums.bottoms) : 0);
  return {
    slope,
    pulls,
    loose,
    /** What small things add along the line, beyond the regions' bounds, once their slot is filled. */
    beyond(state: State, depth: number): number {
      let sum = loose;
      if (!isOnePiece && depth >= bottomAt)
        sum +=
          legs(state.legs, state.legs) -
          perRegion *
            fits.bottom.bound(state.legs + extra.bottom.low, state.legs + extra.bottom.high);
      if (depth >= shoesAt)
        sum +=
          feet(state.shoes) -
          perRegion *
            fits.shoes.bound(state.shoes + extra.shoes.low, state.shoes + extra.shoes.high);
      return sum;
    },
  };
}

/** The slope that bounds a template best before anything is chosen. */
function slopeFor(
  judgement: Judgement,
  prepared: Prepared,
  gains: readonly Float64Array[],
): number {
  const { thermal } = judgement.model.tables.weights;
  const [first, ...others] = prepared.levels;
  if (!first) return 0;
  const curves = first.groups.map((group) => group && judgement.curveFor(group.piece.garment));
  const boundBy = (slope: number): number => {
    const { pulls, loose } = lineFor(judgement, prepared, slope);
    const lifts = new Map<Curve, number>();
    const open = others.reduce(
      (sum, level, at) => sum + bestOf(gains[at + 1]!, level, pulls[at + 1]!, 0).pulled,
      loose,
    );
    const each = first.groups.map((_, at) => {
      const curve = curves[at];
      if (!curve) return 0;
      const lift = lifts.get(curve) ?? liftOf(curve, slope, judgement.mostMilli);
      lifts.set(curve, lift);
      return gains[0]![at]! + pulls[0]![at]! + thermal * lift;
    });
    return open + Math.max(...each);
  };
  const bounds = SLOPES.map(boundBy);
  return SLOPES[bounds.indexOf(Math.min(...bounds))] ?? 0;
}

/** Whether a choice goes with those made: a middle layer over what is beneath, no garment twice. */
function isAllowed(
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
const pairsOf = (levels: readonly Level[]): number =>
  levels.reduce(
    (sum, a, i) => levels.slice(i + 1).reduce((more, b) => more + a.area * b.area, sum),
    0,
  );

/** Sums of the extremes of the levels that are still to choose from. */
function restOf(levels: readonly Level[]) {
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

const wornOf = (core: Found['core']): Worn<Piece> =>
  Object.fromEntries(Object.entries(core).map(([slot, { piece }]) => [slot, piece]));

/**
 * The best outfits of all templates, proved best unless the budget of nodes is spent.
 * @param size how many, at most
 * @param keyOf outfits with one key count as one, by the best of them
 */
export function search(
  judgement: Judgement,
  wardrobe: Wardrobe,
  templates: readonly Template[],
  size: number,
  keyOf: Shared['keyOf'],
): Search {
  const shared: Shared = {
    judgement,
    harmony: harmonyTable(judgement, wardrobe.groups.length),
    top: createTopList<Found>(size),
    keyOf,
    nodesLeft: judgement.model.k.search.nodes,
    unseen: Number.NEGATIVE_INFINITY,
  };
  const fits = fitTables(judgement);
  for (const template of templates) explore(shared, prepare(judgement, template, fits));
  const found = shared.top.list().map(({ item }) => item);
  const last = found.at(-1)?.score ?? 0;
  return {
    found,
    gap: found.length < size && shared.nodesLeft > 0 ? 0 : Math.max(0, shared.unseen - last),
    isExhausted: shared.nodesLeft <= 0,
  };
}
