import type { ScoringContext } from '../scoring/context.ts';
import { mapEnsemble } from '../wardrobe/ensemble.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { extend, isWearable, type Path, type Sums, upperBound } from './bound.ts';
import {
  comparableScore,
  completionsOf,
  coreOf,
  extrasKey,
  keyOf,
  MARGIN,
  type Solution,
  tieBreakerOf,
} from './complete.ts';
import { type Choice, createSpace, type SearchTables, type Space } from './space.ts';
import { createTopList, type TopList } from './top-list.ts';

export interface SearchResult {
  /** Best first. */
  readonly solutions: readonly Solution[];
  /** By how much an unexplored outfit could beat the last solution, 0-1; 0: proved optimal. */
  readonly gap: number;
  /** Whether the node budget was spent before the search was complete. */
  readonly isTruncated: boolean;
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
  /** Whether these visible groups, of so many that an outfit has, may be part of a solution. */
  readonly accepts?: (visible: readonly Group[], pieces: number) => boolean;
}

/** The outfits to search. */
export interface Searchable {
  readonly context: ScoringContext;
  readonly templates: readonly Template[];
  readonly tables: SearchTables;
}

/** A solution with the choices that it is of. */
interface Found extends Solution {
  readonly space: Space;
  readonly path: Path;
}

/** A partial outfit, and the choices of the next level that are not explored; the best is the last. */
interface OpenNode {
  readonly space: Space;
  readonly path: Path;
  readonly children: Child[];
}

interface Child {
  readonly choice: Choice;
  readonly bound: number;
}

const boundOf = ({ children }: OpenNode): number =>
  children.at(-1)?.bound ?? Number.NEGATIVE_INFINITY;

/** Choices that are bounded for one node of the budget: those of a large wardrobe cost more. */
const CHOICES_PER_NODE = 12;

/** Outfits whose neighbours are tried. */
const CLIMBS = Number(process.env.CLIMBS ?? 5);

class Search {
  readonly #options: SearchOptions;
  readonly #incumbents: TopList<Found>;
  readonly #climbed = new Set<Found>();
  /** The best bound is the last. */
  readonly #queue: OpenNode[] = [];
  #nodesLeft: number;
  /** Sums by depth; overwritten by the next path. */
  readonly #scratch: readonly Sums[];

  constructor(options: SearchOptions, nodes: number, { root }: Space) {
    this.#options = options;
    this.#incumbents = createTopList(options.size);
    this.#nodesLeft = nodes;
    this.#scratch = Array.from({ length: 7 }, () => ({ ...root }));
  }

  run(spaces: readonly Space[]): SearchResult {
    for (const space of spaces) this.#descend(this.#open(space, []));
    if (this.#options.everyExtras === undefined) this.#climb();
    this.#explore();
    const solutions: readonly Solution[] = this.#incumbents.list();
    const next = this.#queue.at(-1);
    const unexplored = next ? boundOf(next) : Number.NEGATIVE_INFINITY;
    const isTruncated = next !== undefined && unexplored >= this.#cutoff();
    const last = solutions.at(-1)?.score ?? 0;
    return { solutions, gap: isTruncated ? Math.max(0, unexplored - last) : 0, isTruncated };
  }

  /** What a bound must reach for its node to be explored. */
  readonly #cutoff = (): number => this.#incumbents.threshold() + MARGIN;

  /** Follows the best bound from node to node to a whole outfit; the other choices wait in the queue. */
  #descend(from: OpenNode): void {
    let node = from;
    for (let best = node.children.pop(); best; best = node.children.pop()) {
      this.#push(node);
      const { space } = node;
      const path = [...node.path, best.choice];
      if (path.length === space.levels.length) return this.#complete(space, path);
      node = this.#open(space, path);
    }
  }

  /** Takes the best bound of all, until none can be better or the budget is spent. */
  #explore(): void {
    for (let next = this.#queue.pop(); next; next = this.#queue.pop()) {
      if (boundOf(next) < this.#cutoff()) this.#queue.length = 0;
      else if (this.#nodesLeft <= 0) return void this.#push(next);
      else this.#descend(next);
    }
  }

  #push(node: OpenNode): void {
    const bound = boundOf(node);
    if (node.children.length === 0 || bound < this.#cutoff()) return;
    let at = this.#queue.length;
    while (at > 0 && boundOf(this.#queue[at - 1]!) > bound) at -= 1;
    this.#queue.splice(at, 0, node);
  }

  /** A partial outfit with the choices of its next level that may be part of a solution. */
  #open(space: Space, path: Path): OpenNode {
    const depth = path.length;
    const sums = this.#sumsOf(space, path);
    const to = this.#scratch[depth + 1]!;
    const needed = this.#cutoff();
    const children: Child[] = [];
    const { choices } = space.levels[depth]!;
    const spare = upperBound(space, sums, depth) - choices[0]!.best - needed;
    let count = 0;
    for (const choice of choices) {
      // Those after it are worse by themselves, and its own bound would be no larger than this.
      if (choice.best + spare < 0) break;
      count += 1;
      const bound = upperBound(space, extend(space, sums, path, depth, choice, to), depth + 1);
      if (bound >= needed && this.#isAllowed(space, path, choice)) children.push({ choice, bound });
    }
    this.#nodesLeft -= Math.ceil(count / CHOICES_PER_NODE);
    return { space, path, children: children.sort((a, b) => a.bound - b.bound) };
  }

  /** Tries the neighbours of the best outfits, of new ones too. */
  #climb(): void {
    for (let left = CLIMBS; left > 0; left--) {
      const next = this.#incumbents.list().find((one) => !this.#climbed.has(one));
      if (!next) return;
      this.#climbed.add(next);
      this.#tryNeighbours(next);
    }
  }

  /** Tries every outfit that differs in one visible choice. */
  #tryNeighbours({ space, path }: Found): void {
    for (const [depth, { choices }] of space.levels.entries()) {
      for (const choice of choices) {
        if (choice === path[depth]) continue;
        const next = path.with(depth, choice);
        const sums = this.#sumsOf(space, next, depth);
        if (upperBound(space, sums, next.length) < this.#cutoff()) continue;
        if (next.every((one, at) => this.#isAllowed(space, next.slice(0, at), one)))
          this.#complete(space, next, sums);
      }
    }
  }

  /** @param from depth before which the sums are those of the last path */
  #sumsOf(space: Space, path: Path, from = 0): Sums {
    let sums = from > 0 ? this.#scratch[from]! : space.root;
    for (let depth = from; depth < path.length; depth++)
      sums = extend(space, sums, path, depth, path[depth]!, this.#scratch[depth + 1]!);
    return sums;
  }

  #isAllowed(space: Space, path: Path, choice: Choice): boolean {
    if (!isWearable(space, path, choice)) return false;
    const { accepts } = this.#options;
    return (
      !accepts ||
      accepts(
        [...path, choice].map(({ group }) => group),
        space.levels.length,
      )
    );
  }

  /** Offers the outfits of a core. */
  #complete(space: Space, path: Path, sums = this.#sumsOf(space, path)): void {
    this.#nodesLeft -= 1;
    const { keySlots, everyExtras } = this.#options;
    const core = coreOf(space, path);
    const isEvery = everyExtras !== undefined;
    const key = keyOf(core, keySlots);
    const needed = isEvery ? this.#cutoff() : this.#incumbents.thresholdFor(key) + MARGIN;
    const completions = completionsOf(space, sums, needed, isEvery);
    const best = isEvery ? completions.sort((a, b) => b.value - a.value) : completions.slice(-1);
    for (const { value, under, accessory } of best) {
      if (value < this.#cutoff()) break;
      this.#nodesLeft -= 1;
      const extras = { ...under.ensemble, ...accessory.ensemble };
      const ensemble = { ...mapEnsemble(core, ({ item }) => item), ...extras, ...space.style };
      const score = comparableScore(space.context, ensemble);
      const solution = { score, core, ensemble, space, path };
      this.#incumbents.add(
        isEvery ? `${key}|${extrasKey(extras)}` : key,
        score,
        () => tieBreakerOf(core),
        () => solution,
      );
    }
  }
}

/** The best outfits of all templates, proved optimal unless the node budget is spent. */
export function search(
  { context, templates, tables }: Searchable,
  options: SearchOptions,
): SearchResult {
  const { thicknesses, nodes } = context.model.k.search;
  const { everyExtras } = options;
  const extras = { thicknesses: everyExtras ?? thicknesses, isMerged: everyExtras === undefined };
  const spaces = templates.map((template) => createSpace(context, template, tables, extras));
  if (!spaces[0]) return { solutions: [], gap: 0, isTruncated: false };
  return new Search(options, options.nodes ?? nodes, spaces[0]).run(spaces);
}
