import type { ThermalCurve } from '../comfort/comfort.ts';
import type { ScoringContext } from '../scoring/context.ts';
import { costOf } from '../scoring/sense.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import type { SearchNode } from './node.ts';
import type { Range, SearchSpace } from './search-space.ts';

/** The insulation of each choice of a level under one outermost layer. */
export interface LevelSteps {
  readonly steps: Int32Array;
  /** At most this much more than the steps, milliclo. */
  readonly slack: number;
}

/** Choices of a level that are left, by index; the others cannot be part of a solution. */
export interface ChoiceList {
  count: number;
  readonly indexes: Int32Array;
}

/** The levels of a node, by depth; those before its own are undefined or stale. */
export interface OpenLevels {
  /** Gain of each choice. */
  readonly gains: readonly Float64Array[];
  readonly choices: readonly ChoiceList[];
}

/** Caches what depends on the outermost layer and the level alone. */
export interface JointCache {
  /** By level, then by cover. */
  readonly stepsOf: Map<number | undefined, LevelSteps>[];
  /** By overtrousers and depth. */
  readonly bottomLocals: Map<number, Float64Array>;
  /** By curve and slack. */
  readonly endOf: Map<ThermalCurve, Map<number, Float64Array>>;
}
/** Sums of the extremes of the open levels, milliclo. */
export interface OpenExtremes {
  readonly total: Range;
  readonly top: Range;
  /** Sum over pairs of open levels of the product of their visible areas. */
  readonly pairArea: number;
  /** Sum of the visible areas of open levels. */
  readonly area: number;
}

/** Harmony of groups by index; each pair is computed once. */
export function createHarmonyTable(context: ScoringContext, groups: readonly Group[]) {
  const { sense } = context;
  const rows: (Float64Array | undefined)[] = [];
  const clashes = new Map<Group, Float64Array>();
  const inPairs = groups.filter(({ item }) => sense.isInPairs(item.garment));
  const clash = (a: Group, b: Group) => costOf(sense.brokenByPair(a.item.garment, b.item.garment));
  /** What a group costs together with every other by common sense; undefined if nothing. */
  function clashesOf(group: Group): Float64Array | undefined {
    const cached = clashes.get(group);
    if (cached || !sense.isInPairs(group.item.garment)) return cached;
    const row = new Float64Array(groups.length);
    for (const other of inPairs) row[other.index] = clash(group, other);
    clashes.set(group, row);
    return row;
  }
  /** Harmony of a group with every other; -1 if not computed yet. */
  function rowOf(group: Group): Float64Array {
    const cached = rows[group.index];
    if (cached) return cached;
    const row = new Float64Array(groups.length).fill(-1);
    rows[group.index] = row;
    return row;
  }
  function compute(row: Float64Array, a: Group, b: Group | undefined): number {
    const value = b ? context.harmonyOf(a.item, b.item) : 0;
    if (b) row[b.index] = value;
    return value;
  }
  return {
    rowOf,
    compute,
    clash,
    clashesOf,
    of(a: Group, b: Group): number {
      const row = rowOf(a);
      const cached = row[b.index]!;
      return cached < 0 ? compute(row, a, b) : cached;
    },
  };
}

export type HarmonyTable = ReturnType<typeof createHarmonyTable>;

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
 * - extras are bounded by the range of what they add to a region.
 */
export interface Relaxation {
  readonly context: ScoringContext;
  readonly space: SearchSpace;
  readonly harmony: HarmonyTable;
  readonly root: Readonly<SearchNode>;
  /**
   * All choices of all levels. The gain of each is its weighted season and its harmony with required
   * accessories.
   */
  readonly ownLevels: OpenLevels;
  readonly joint: JointCache;
  /**
   * Bound of what each choice decides alone, by depth of the first open level and by level: `localBound`
   * and what a pattern can add to the pairs with other open levels.
   */
  readonly locals: readonly (readonly Float64Array[])[];
  /** Extremes of the levels from each depth on. */
  readonly open: readonly OpenExtremes[];
  /** Weight of a pair of garments per product of their visible areas. */
  readonly pairWeight: number;
  readonly maxHarmony: number;
  /** Weight of the occasion fit of one garment, before it is multiplied by the outfit's minimum. */
  readonly occasionWeight: number;
  readonly isOutdoor: boolean;
  readonly isRain: boolean;
  readonly mainDepth: number;
  readonly bottomDepth: number;
  readonly shoesDepth: number;
  readonly overDepth: number;
  /** The last child that `branch` returned. */
  readonly scratch: SearchNode;
  /** Open levels by depth of the branch; reused by its siblings. */
  readonly openBuffers: readonly OpenLevels[];
  /** Memory for the bounds of the next level; reused by nodes of the same depth. */
  readonly nodeBuffers: readonly NodeBuffers[];
}

/**
 * Bounds of the choices of the next level, and by how much each choice of a later level is worse than
 * the best of its insulation: an outfit with both has the bound less that deficit.
 */
export interface NodeBuffers {
  readonly bounds: Float64Array;
  /** Of each choice, by level. */
  readonly deficits: readonly Float64Array[];
}
