import type { ScoringContext, WornItem } from '../scoring/context.ts';
import { scoreTerms, totalScore } from '../scoring/score.ts';
import { type Ensemble, EXTRA_SLOTS, mapEnsemble } from '../wardrobe/ensemble.ts';
import type { Accessory, Underlayer } from '../wardrobe/extras.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group, Wardrobe } from '../wardrobe/wardrobe.ts';
import {
  branch,
  choiceBounds,
  createRelaxation,
  levelsAfter,
  occasionRate,
  quickBounds,
  rootBounds,
} from './bounds.ts';
import { copyNode, EMPTY_NODE, isFeasible, type SearchNode } from './node.ts';
import { createHarmonyTable, type OpenLevels, type Relaxation } from './relaxation.ts';
import {
  createFitTables,
  createSearchSpace,
  type Level,
  type SearchSpace,
} from './search-space.ts';
import { createTopList, type TopList } from './top-list.ts';

/** The groups of an outfit without its extras. */
export type Core = { readonly [S in CoreSlot]?: Group };

/** A complete outfit with its score, 0-1. */
export interface Solution {
  readonly score: number;
  readonly core: Core;
  readonly ensemble: Ensemble<WornItem>;
}

export interface SearchResult {
  /** Best first. */
  readonly solutions: readonly Solution[];
  /** By how much an unexplored outfit could beat the last solution, 0-1; 0: proved optimal. */
  readonly gap: number;
  /** Whether the node budget was spent before the search was complete. */
  readonly isTruncated: boolean;
}

/** Scores are rounded to this, so that the order of additions never decides a comparison. */
const RESOLUTION = 1e-9;

/**
 * A node whose bound is below the threshold plus this is pruned: its outfits round to the threshold
 * or less. Half the resolution, less a tenth of it for rounding errors of the bound itself.
 */
const PRUNING_MARGIN = 0.4 * RESOLUTION;

/** The score of an outfit, 0-1, rounded for comparison. */
export const comparableScore = (context: ScoringContext, ensemble: Ensemble<WornItem>): number =>
  Math.round(totalScore(context, scoreTerms(context, ensemble)) * 1e9) / 1e9;

/** What all templates of one search share. */
interface Progress {
  /** The best solutions found so far, one for each key. */
  readonly incumbents: TopList<Solution>;
  /** Outfits with the same groups in these slots count as one, represented by the best of them. */
  readonly keySlots: readonly CoreSlot[];
  /** Whether each combination of extras is an outfit of its own. */
  readonly isEveryExtras: boolean;
  /** Whether an outfit with the groups of `path` and then `group` may be a solution. */
  readonly accepts:
    | ((space: SearchSpace, path: readonly (Group | undefined)[], group: Group) => boolean)
    | undefined;
  nodesLeft: number;
  /** The largest bound of the nodes that the budget left unexplored. */
  unexploredBound: number;
}

/** A node to expand: its open levels start at `depth`. */
interface OpenNode {
  readonly node: SearchNode;
  readonly depth: number;
  readonly path: readonly (Group | undefined)[];
  readonly open: OpenLevels;
  /** Of all outfits below; undefined if they differ. */
  readonly key: string | undefined;
}

interface Child {
  readonly choice: number;
  readonly bound: number;
}

/** One pass over a template. */
interface Pass {
  readonly progress: Progress;
  readonly relaxation: Relaxation;
  /** Children followed at each level but the last. */
  readonly width: number;
  /** The level whose choice completes the key of an outfit. */
  readonly keyDepth: number;
  bestScore: number;
}

/** Groups of a core in these slots: in whatever places they are worn, they are the same outfit. */
export function keyOf(core: Core, { keySlots }: Pick<SearchOptions, 'keySlots'>): string {
  const indexes: number[] = [];
  for (const slot of keySlots) if (core[slot]) indexes.push(core[slot].index);
  return indexes.sort((a, b) => a - b).join('/');
}

/** What a bound must reach for its node to be explored. */
const cutoff = ({ incumbents }: Progress): number => incumbents.threshold() + PRUNING_MARGIN;

/** The groups of a path by slot. */
function coreOf({ space }: Relaxation, path: OpenNode['path']): Core {
  const core: { [S in CoreSlot]?: Group } = {};
  for (const [depth, group] of path.entries()) if (group) core[space.levels[depth]!.slot] = group;
  return core;
}

/**
 * Depth-first branch and bound over one template, children in order of their bounds.
 * @param width children followed at each level but the last; 1 is a dive
 * @returns the best score found; 0 if none
 */
function explore(progress: Progress, relaxation: Relaxation, width: number): number {
  const { root, ownLevels, space } = relaxation;
  const isOfKey = ({ slot }: Level) => progress.keySlots.includes(slot);
  const keyDepth = progress.isEveryExtras
    ? space.levels.length
    : space.levels.findLastIndex(isOfKey);
  const pass: Pass = { progress, relaxation, width, keyDepth, bestScore: 0 };
  expand(pass, { node: root, depth: 0, path: [], open: ownLevels, key: undefined });
  return pass.bestScore;
}

function expand(pass: Pass, parent: OpenNode): void {
  const { progress, relaxation, width, keyDepth } = pass;
  const { depth, open } = parent;
  const { levels } = relaxation.space;
  const isLast = depth === levels.length - 1;
  const children = promisingChildren(pass, parent);
  for (const { choice, bound } of isLast ? children : children.slice(0, width)) {
    // Children are sorted by bound, so the siblings after this one are pruned or unexplored too.
    if (bound < cutoff(progress)) return;
    const group = levels[depth]!.groups[choice];
    const path = [...parent.path, group];
    const key =
      parent.key ?? (depth === keyDepth ? keyOf(coreOf(relaxation, path), progress) : undefined);
    // Below this node all outfits have one key, and that has a better outfit already.
    if (key !== undefined && bound < progress.incumbents.thresholdFor(key) + PRUNING_MARGIN)
      continue;
    if (progress.nodesLeft <= 0) {
      progress.unexploredBound = Math.max(progress.unexploredBound, bound);
      return;
    }
    if (!isLast) progress.nodesLeft -= 1;
    const gain = open.gains[depth]![choice]!;
    const branched = branch(relaxation, parent.node, depth, choice, gain);
    if (isLast) {
      complete(pass, branched, path, key);
      continue;
    }
    const node = copyNode(branched, { ...EMPTY_NODE });
    const needed = depth > 0 ? cutoff(progress) : Number.NEGATIVE_INFINITY;
    const after = levelsAfter(relaxation, open, depth, choice, needed);
    if (after) expand(pass, { node, depth: depth + 1, path, open: after, key });
  }
}

/** The children that may hold an outfit better than the last incumbent, best bound first. */
function promisingChildren({ progress, relaxation, width }: Pass, parent: OpenNode): Child[] {
  const { node, depth, path, open } = parent;
  const { context, space } = relaxation;
  const { groups } = space.levels[depth]!;
  const needed = cutoff(progress);
  const bounds =
    depth > 0
      ? choiceBounds(relaxation, node, depth, open, needed)
      : width === 1
        ? quickBounds(relaxation)
        : rootBounds(relaxation, needed);
  const children: Child[] = [];
  const { indexes, count } = open.choices[depth]!;
  for (let i = 0; i < count; i++) {
    const choice = indexes[i]!;
    const bound = bounds[choice]!;
    if (bound < needed) continue;
    const group = groups[choice];
    if (!isFeasible(context, space.levels, depth, path, group)) continue;
    if (progress.accepts && group && !progress.accepts(space, path, group)) continue;
    children.push({ choice, bound });
  }
  return children.sort((a, b) => b.bound - a.bound);
}

/**
 * Completes a leaf with its best extras, or each in turn, and offers it as an incumbent.
 * @param knownKey of the outfit; undefined if its extras belong to it
 */
function complete(
  pass: Pass,
  leaf: SearchNode,
  path: OpenNode['path'],
  knownKey: string | undefined,
): void {
  const { progress, relaxation } = pass;
  const { context, space } = relaxation;
  let extras: Ensemble<WornItem> | undefined;
  if (knownKey !== undefined) {
    // Most leaves are no better than an incumbent: nothing else is computed for these.
    extras = bestExtras(
      relaxation,
      leaf,
      progress.incumbents.thresholdFor(knownKey) + PRUNING_MARGIN,
    );
    if (!extras) return;
  }
  const core = coreOf(relaxation, path);
  const items = mapEnsemble(core, ({ item }) => item);
  const tieBreaker = tieBreakerOf(core);
  const offer = (key: string, worn: Ensemble<WornItem>) => {
    const ensemble = { ...items, ...worn, ...space.style };
    const score = comparableScore(context, ensemble);
    progress.nodesLeft -= 1;
    pass.bestScore = Math.max(pass.bestScore, score);
    progress.incumbents.add(key, score, tieBreaker, () => ({ score, core, ensemble }));
  };
  if (knownKey !== undefined && extras) {
    offer(knownKey, extras);
    return;
  }
  const coreKey = keyOf(core, progress);
  forPromisingExtras(
    relaxation,
    leaf,
    () => cutoff(progress),
    (worn) => offer(`${coreKey}|${extrasKey(worn)}`, worn),
  );
}

/** The extras of an outfit, by their ids. */
export const extrasKey = (ensemble: Ensemble<WornItem>): string =>
  EXTRA_SLOTS.map((slot) => ensemble[slot]?.garment.id ?? '').join('|');

/** Scores a leaf with any extras, fast: all that does not depend on them is computed once. */
function createLeafScore(relaxation: Relaxation, leaf: SearchNode) {
  const { context, space, isOutdoor } = relaxation;
  const { extras, isOnePiece, regionWeight, fits } = space;
  const { weights } = context.model.tables;
  const { low, high } = extras.accessory;
  const curve = leaf.curve!;
  const base =
    weights.protection * (1 - Math.max(leaf.missingWater, leaf.missingWind)) +
    occasionRate(relaxation, leaf) * leaf.occasionSum +
    leaf.fixedGain +
    (isOutdoor ? regionWeight * fits.outer.at(leaf.outerMilliClo) : 0);
  const accessoryWeight = isOutdoor ? regionWeight : 0;
  const accessoryBound = accessoryWeight * fits.accessory.upperBound(low, high);
  return {
    /** All but the accessories and warmth. */
    dressed(under: Underlayer): number {
      const top = leaf.topMilliClo + under.top;
      const body = isOnePiece
        ? 2 * fits.dress.at(top + leaf.legsMilliClo + under.bottom)
        : fits.top.at(top) + fits.bottom.at(leaf.legsMilliClo + under.bottom);
      return base + regionWeight * (body + fits.shoes.at(leaf.shoesMilliClo + under.shoes));
    },
    /** At least the score with any accessories. */
    upperBound(dressed: number, under: Underlayer): number {
      const milliClo = leaf.milliClo + under.total;
      const thermal = weights.thermal * curve.upperBound(milliClo + low, milliClo + high);
      return dressed + (thermal + accessoryBound);
    },
    at: (dressed: number, under: Underlayer, { milliClo }: Accessory): number =>
      dressed +
      accessoryWeight * fits.accessory.at(milliClo) +
      weights.thermal * curve.at(leaf.milliClo + under.total + milliClo),
  };
}

/** The extras with which a leaf scores best; undefined if that is below `needed`. */
function bestExtras(
  relaxation: Relaxation,
  leaf: SearchNode,
  needed: number,
): Ensemble<WornItem> | undefined {
  const { underlayers, accessories } = relaxation.space;
  const score = createLeafScore(relaxation, leaf);
  let best = needed;
  let bestUnder: Underlayer | undefined;
  let bestAccessory: Accessory | undefined;
  for (const under of underlayers) {
    const dressed = score.dressed(under);
    if (score.upperBound(dressed, under) < best) continue;
    for (const accessory of accessories) {
      const value = score.at(dressed, under, accessory);
      if (value < best || (value === best && bestUnder)) continue;
      best = value;
      bestUnder = under;
      bestAccessory = accessory;
    }
  }
  return bestUnder && bestAccessory && { ...bestUnder.ensemble, ...bestAccessory.ensemble };
}

/** Calls `visit` with the extras of a leaf whose score reaches `needed`, which may rise meanwhile. */
function forPromisingExtras(
  relaxation: Relaxation,
  leaf: SearchNode,
  needed: () => number,
  visit: (extras: Ensemble<WornItem>) => void,
): void {
  const { underlayers, accessories } = relaxation.space;
  const score = createLeafScore(relaxation, leaf);
  for (const under of underlayers) {
    const dressed = score.dressed(under);
    if (score.upperBound(dressed, under) < needed()) continue;
    for (const accessory of accessories) {
      if (score.at(dressed, under, accessory) >= needed())
        visit({ ...under.ensemble, ...accessory.ensemble });
    }
  }
}

/** Ids of the garments, so that equal scores have one order whatever the order of the items. */
const tieBreakerOf = (core: Core): string =>
  Object.values(core)
    .map(({ item }) => item.garment.id)
    .sort()
    .join(' ');

/** What a search looks for. */
export interface SearchOptions {
  /** Maximum number of solutions. */
  readonly size: number;
  /** Outfits with the same groups in these slots count as one, represented by the best of them. */
  readonly keySlots: readonly CoreSlot[];
  /**
   * Thicknesses of extras to try, each combination as an outfit of its own. By default, the extras are
   * those with which an outfit scores best.
   */
  readonly everyExtras?: number;
  /** Budget; that of the params by default. */
  readonly nodes?: number;
  /** Whether a core with these choices so far may be part of a solution; all by default. */
  readonly accepts?: Progress['accepts'];
}

/** The best outfits of all templates, proved optimal unless the node budget is spent. */
export function search(
  context: ScoringContext,
  wardrobe: Wardrobe,
  templates: readonly Template[],
  { size, keySlots, everyExtras, nodes, accepts }: SearchOptions,
): SearchResult {
  const { thicknesses, nodes: defaultNodes } = context.model.k.search;
  const progress: Progress = {
    incumbents: createTopList<Solution>(size),
    keySlots,
    isEveryExtras: everyExtras !== undefined,
    accepts,
    nodesLeft: nodes ?? defaultNodes,
    unexploredBound: Number.NEGATIVE_INFINITY,
  };
  const harmony = createHarmonyTable(context, wardrobe.groups.length);
  const fits = createFitTables(context);
  const extras = { thicknesses: everyExtras ?? thicknesses, isMerged: everyExtras === undefined };

  // A dive into every template finds incumbents that prune most of the exact passes.
  const dives = templates.map((template) => {
    const space = createSearchSpace(context, template, fits, extras);
    const relaxation = createRelaxation(context, space, harmony);
    return { relaxation, score: explore(progress, relaxation, 1) };
  });
  for (const { relaxation } of dives.sort((a, b) => b.score - a.score))
    explore(progress, relaxation, Number.POSITIVE_INFINITY);

  const solutions = progress.incumbents.list();
  const lastScore = solutions.at(-1)?.score ?? 0;
  return {
    solutions,
    gap: Math.max(0, progress.unexploredBound - lastScore),
    isTruncated: progress.nodesLeft <= 0,
  };
}
