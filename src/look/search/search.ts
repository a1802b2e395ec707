import type { ScoringContext } from '../scoring/context.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Wardrobe } from '../wardrobe/wardrobe.ts';
import { choiceBounds, firstBounds, levelsAfter, quickBounds } from './bounds.ts';
import { branch } from './branch.ts';
import { createRelaxation } from './create-relaxation.ts';
import {
  complete,
  completeInEveryWay,
  coreOf,
  cutoff,
  type Found,
  keyOf,
  type Path,
  PRUNING_MARGIN,
  type Progress,
  type Solution,
} from './leaf.ts';
import { climb, widen } from './neighbours.ts';
import { copyNode, EMPTY_NODE, isFeasible, type SearchNode } from './node.ts';
import { type Class, occasionClasses } from './occasion-classes.ts';
import {
  createHarmonyTable,
  type HarmonyTable,
  type OpenLevels,
  type Relaxation,
} from './relaxation.ts';
import { createFitTables, createSearchSpace, type FitTables, type Level } from './search-space.ts';
import { createTopList } from './top-list.ts';

export interface SearchResult {
  /** Best first. */
  readonly solutions: readonly Solution[];
  /** By how much an unexplored outfit could beat the last solution, 0-1; 0: proved optimal. */
  readonly gap: number;
  /** Whether the node budget was spent before the search was complete. */
  readonly isTruncated: boolean;
}

/** A node to expand: its open levels start at `depth`. */
interface OpenNode {
  readonly node: SearchNode;
  readonly depth: number;
  readonly path: Path;
  readonly open: OpenLevels;
  /** Of all outfits below; undefined if they differ. */
  readonly key: string | undefined;
}

interface Child {
  readonly choice: number;
  readonly bound: number;
}

/** The search of the outfits of one template and occasion class. */
interface Pass {
  readonly progress: Progress;
  readonly relaxation: Relaxation;
  readonly from: Class;
  /** The level whose choice completes the key of an outfit. */
  readonly keyDepth: number;
  readonly root: OpenNode;
}

function createPass(progress: Progress, relaxation: Relaxation, from: Class): Pass {
  const { space } = relaxation;
  const isOfKey = ({ slot }: Level) => progress.keySlots.includes(slot);
  return {
    progress,
    relaxation,
    from,
    keyDepth: progress.isEveryExtras ? space.levels.length : space.levels.findLastIndex(isOfKey),
    root: { node: from.root, depth: 0, path: [], open: from.levels, key: undefined },
  };
}

/** The node of a choice; undefined if nothing below it can be a solution. */
function enter(pass: Pass, parent: OpenNode, { choice, bound }: Child): OpenNode | undefined {
  const { progress, relaxation, keyDepth } = pass;
  const { depth, open } = parent;
  const path = [...parent.path, relaxation.space.levels[depth]!.groups[choice]];
  const key =
    parent.key ?? (depth === keyDepth ? keyOf(coreOf(relaxation, path), progress) : undefined);
  // Below this node all outfits have one key, and that has a better outfit already.
  if (key !== undefined && bound < progress.incumbents.thresholdFor(key) + PRUNING_MARGIN)
    return undefined;
  const needed = depth > 0 ? cutoff(progress) : Number.NEGATIVE_INFINITY;
  const after = levelsAfter(relaxation, open, depth, choice, needed);
  if (!after) return undefined;
  const branched = branch(relaxation, parent.node, depth, choice, open.gains[depth]![choice]!);
  const node = copyNode(branched, { ...EMPTY_NODE });
  return { node, depth: depth + 1, path, open: after, key };
}

const isLeaf = ({ relaxation }: Pass, { depth }: OpenNode): boolean =>
  depth === relaxation.space.levels.length;

/** Offers the outfits of a leaf as incumbents. */
function completeLeaf({ progress, relaxation }: Pass, { node, path, key }: OpenNode): void {
  if (key === undefined) completeInEveryWay(progress, relaxation, node, path);
  else {
    complete(progress, relaxation, node, path, key);
    climb(progress);
  }
}

/** Follows the best choice of each level, and all of the last. */
function dive(pass: Pass): void {
  let parent = pass.root;
  const last = pass.relaxation.space.levels.length - 1;
  while (parent.depth < last) {
    const [best] = promisingChildren(pass, parent);
    const next = best && enter(pass, parent, best);
    if (!next) return;
    pass.progress.nodesLeft -= 1;
    parent = next;
  }
  expand(pass, parent);
}

/**
 * Depth-first branch and bound below a node.
 * @param children in order of their bounds
 */
function expand(pass: Pass, parent: OpenNode, children = promisingChildren(pass, parent)): void {
  const { progress } = pass;
  for (const child of children) {
    // Siblings after this one have no larger bounds, so they are pruned or unexplored too.
    if (child.bound < cutoff(progress)) return;
    if (progress.nodesLeft <= 0) {
      progress.unexploredBound = Math.max(progress.unexploredBound, child.bound);
      return;
    }
    const next = enter(pass, parent, child);
    if (!next) continue;
    if (isLeaf(pass, next)) {
      completeLeaf(pass, next);
      continue;
    }
    progress.nodesLeft -= 1;
    expand(pass, next);
  }
}

/** The children that may hold an outfit better than the last incumbent, best bound first. */
function promisingChildren({ progress, relaxation, from }: Pass, parent: OpenNode): Child[] {
  const { node, depth, path, open } = parent;
  const needed = cutoff(progress);
  const bounds =
    depth > 0 ? choiceBounds(relaxation, node, depth, open) : quickBounds(relaxation, from);
  return childrenOf(progress, relaxation, path, bounds, open.choices[depth]!, needed);
}

/** Choices of the next level whose bound is enough, best first. */
function childrenOf(
  progress: Progress,
  { context, space }: Relaxation,
  path: Path,
  bounds: Float64Array,
  { indexes, count }: OpenLevels['choices'][number],
  needed: number,
): Child[] {
  const depth = path.length;
  const { groups } = space.levels[depth]!;
  const children: Child[] = [];
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

/** A first choice of a template that is not explored yet. */
interface Start extends Child {
  readonly pass: Pass;
  /** Whether the bound is that of its best second choice. */
  readonly isTight: boolean;
}

function startsOf(pass: Pass): Start[] {
  const { progress, relaxation, root, from } = pass;
  const needed = cutoff(progress);
  const bounds = firstBounds(relaxation, from, needed);
  const all = root.open.choices[0]!;
  return childrenOf(progress, relaxation, [], bounds, all, needed).map((child) => ({
    ...child,
    pass,
    isTight: false,
  }));
}

/** Explores the first choices of all templates, best bound first. */
function exploreAll(progress: Progress, passes: readonly Pass[]): void {
  // The best one is the last.
  const starts = passes.flatMap(startsOf).sort((a, b) => a.bound - b.bound);
  for (let start = starts.pop(); start; start = starts.pop()) {
    const { pass, bound } = start;
    if (bound < cutoff(progress)) return;
    if (progress.nodesLeft <= 0) {
      progress.unexploredBound = Math.max(progress.unexploredBound, bound);
      return;
    }
    const next = enter(pass, pass.root, start);
    if (!next) continue;
    if (isLeaf(pass, next)) {
      completeLeaf(pass, next);
      continue;
    }
    const children = promisingChildren(pass, next);
    const [best] = children;
    if (!best) continue;
    const tight = Math.min(bound, best.bound);
    if (start.isTight || tight >= (starts.at(-1)?.bound ?? 0)) {
      progress.nodesLeft -= 1;
      expand(pass, next, children);
    } else {
      let at = starts.length;
      while (at > 0 && starts[at - 1]!.bound > tight) at -= 1;
      starts.splice(at, 0, { ...start, bound: tight, isTight: true });
    }
  }
}

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

/** What all searches of one wardrobe share: each value is computed once. */
interface SearchTables {
  readonly harmony: HarmonyTable;
  readonly fits: FitTables;
}

export const createSearchTables = (
  context: ScoringContext,
  { groups }: Wardrobe,
): SearchTables => ({
  harmony: createHarmonyTable(context, groups),
  fits: createFitTables(context),
});

/** The outfits to search. */
export interface Searchable {
  readonly context: ScoringContext;
  readonly templates: readonly Template[];
  readonly tables: SearchTables;
}

/** The best outfits of all templates, proved optimal unless the node budget is spent. */
export function search(
  { context, templates, tables }: Searchable,
  { size, keySlots, everyExtras, nodes, accepts }: SearchOptions,
): SearchResult {
  const { thicknesses, nodes: defaultNodes } = context.model.k.search;
  const progress: Progress = {
    incumbents: createTopList<Found>(size),
    keySlots,
    isEveryExtras: everyExtras !== undefined,
    accepts,
    nodesLeft: nodes ?? defaultNodes,
    unexploredBound: Number.NEGATIVE_INFINITY,
    climbed: new Set(),
  };
  const extras = { thicknesses: everyExtras ?? thicknesses, isMerged: everyExtras === undefined };

  const byTemplate = templates.map((template) => {
    const space = createSearchSpace(
      context,
      template,
      tables.fits,
      extras,
      !keySlots.includes('over'),
    );
    const relaxation = createRelaxation(context, space, tables.harmony);
    return occasionClasses(relaxation).map((from) => createPass(progress, relaxation, from));
  });
  for (const [best] of byTemplate) if (best) dive(best);
  // Incumbents from neighbours of a few good outfits prune much of the exact search.
  if (everyExtras === undefined) widen(progress);
  exploreAll(progress, byTemplate.flat());

  const solutions: readonly Solution[] = progress.incumbents.list();
  const lastScore = solutions.at(-1)?.score ?? 0;
  return {
    solutions,
    gap: Math.max(0, progress.unexploredBound - lastScore),
    isTruncated: progress.nodesLeft <= 0,
  };
}
