import type { ScoringContext } from '../scoring/context.ts';
import { comparableScore } from '../scoring/score.ts';
import { mapEnsemble } from '../wardrobe/ensemble.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import { canFollow, extend, isWearable, type Path, type Sums, upperBound } from './bound.ts';
import {
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

interface Child {
  readonly choice: Choice;
  readonly bound: number;
}

/** A partial outfit, and the choices of the next level that are not followed. */
interface OpenNode {
  readonly space: Space;
  readonly path: Path;
  readonly sums: Sums;
  /** Those that are bounded; the best is the last. */
  readonly children: Child[];
  /** The first choice that is not bounded yet; all after it are worse by themselves. */
  next: number;
  /** Bound of this outfit less what the best choice adds by itself. */
  readonly base: number;
  /** Largest bound of what is not followed. */
  bound: number;
}

/** Choices that are bounded for one node of the budget. */
const CHOICES_PER_NODE = 4;

/** Outfits whose neighbours are tried. */
const CLIMBS = 7;

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
    this.#scratch = Array.from({ length: 8 }, () => ({ ...root }));
  }

  run(spaces: readonly Space[]): SearchResult {
    const isClimbed = this.#options.everyExtras === undefined;
    for (const space of spaces) {
      this.#descend(this.#open(space, [], upperBound(space, space.root, 0)));
      // The neighbours of the first outfit fill the list, so that most choices need not be bounded.
      if (isClimbed && this.#climbed.size === 0) this.#climb(1);
    }
    if (isClimbed) this.#climb(CLIMBS);
    this.#explore();
    const solutions: readonly Solution[] = this.#incumbents.list();
    const next = this.#queue.at(-1);
    const unexplored = next?.bound ?? Number.NEGATIVE_INFINITY;
    const isTruncated = next !== undefined && unexplored >= this.#cutoff();
    const last = solutions.at(-1)?.score ?? 0;
    return { solutions, gap: isTruncated ? Math.max(0, unexplored - last) : 0, isTruncated };
  }

  /** What a bound must reach for its node to be explored. */
  readonly #cutoff = (): number => this.#incumbents.threshold() + MARGIN;

  /** Follows the best bound from node to node to a whole outfit; the other choices wait in the queue. */
  #descend(from: OpenNode): void {
    let node = from;
    for (let best = this.#take(node); best; best = this.#take(node)) {
      this.#push(node);
      const { space } = node;
      const path = [...node.path, best.choice];
      if (path.length === space.levels.length) {
        this.#complete(space, path);
        return;
      }
      node = this.#open(space, path, best.bound);
    }
  }

  /** Takes the best bound of all, until none can be better or the budget is spent. */
  #explore(): void {
    for (let next = this.#queue.pop(); next; next = this.#queue.pop()) {
      if (next.bound < this.#cutoff()) this.#queue.length = 0;
      else if (this.#nodesLeft <= 0) {
        this.#push(next);
        return;
      } else this.#descend(next);
    }
  }

  #push(node: OpenNode): void {
    if (node.bound < this.#cutoff()) return;
    let at = this.#queue.length;
    while (at > 0 && this.#queue[at - 1]!.bound > node.bound) at -= 1;
    this.#queue.splice(at, 0, node);
  }

  #open(space: Space, path: Path, bound: number): OpenNode {
    const sums = { ...this.#sumsOf(space, path) };
    const [best] = space.levels[path.length]!.choices;
    return { space, path, sums, children: [], next: 0, base: bound - best!.best, bound };
  }

  /**
   * The choice with the best bound, which is taken from the node. Choices are bounded until no other can
   * have a larger one: each is at most what the node has, with its own best in place of the best one's.
   */
  #take(node: OpenNode): Child | undefined {
    const { space, path, sums, children, base } = node;
    const depth = path.length;
    const { choices } = space.levels[depth]!;
    const to = this.#scratch[depth + 1]!;
    const needed = this.#cutoff();
    const from = node.next;
    for (let choice = choices[from]; choice; choice = choices[node.next]) {
      const open = base + choice.best;
      if (open < needed || open <= (children.at(-1)?.bound ?? Number.NEGATIVE_INFINITY)) break;
      node.next += 1;
      const bound = upperBound(space, extend(space, sums, path, depth, choice, to), depth + 1);
      if (bound < needed || !canFollow(space, path[depth - 1], depth, choice)) continue;
      if (!this.#isAccepted(space, path, choice)) continue;
      let at = children.length;
      while (at > 0 && children[at - 1]!.bound > bound) at -= 1;
      children.splice(at, 0, { choice, bound });
    }
    this.#nodesLeft -= (node.next - from) / CHOICES_PER_NODE;
    const best = children.pop();
    const next = choices[node.next];
    node.bound = Math.max(
      next ? base + next.best : Number.NEGATIVE_INFINITY,
      children.at(-1)?.bound ?? Number.NEGATIVE_INFINITY,
    );
    return best;
  }

  /** Tries the neighbours of the best outfits, of new ones too. */
  #climb(count: number): void {
    for (let left = count; left > 0; left--) {
      const next = this.#incumbents.list().find((one) => !this.#climbed.has(one));
      if (!next) return;
      this.#climbed.add(next);
      this.#tryNeighbours(next);
    }
  }

  /** Tries every outfit that differs in one visible choice. */
  #tryNeighbours({ space, path }: Found): void {
    for (const [depth, { slot, choices }] of space.levels.entries()) {
      // The outermost garments decide about what is under them, so all is added up anew.
      const isOutermost = depth === 0 || slot === 'over';
      const others = path.with(depth, undefined);
      const base = isOutermost ? undefined : { ...this.#sumsOf(space, others) };
      for (const choice of choices) {
        if (choice === path[depth]) continue;
        const sums = base
          ? extend(space, base, others, depth, choice, this.#scratch[0]!)
          : this.#sumsOf(space, path.with(depth, choice));
        if (upperBound(space, sums, path.length) < this.#cutoff()) continue;
        const next = path.with(depth, choice);
        if (isWearable(space, next) && this.#isAccepted(space, next))
          this.#complete(space, next, sums);
      }
    }
  }

  #sumsOf(space: Space, path: Path): Sums {
    let sums: Sums = space.root;
    const made: (Choice | undefined)[] = [];
    for (const [depth, choice] of path.entries()) {
      if (choice) sums = extend(space, sums, made, depth, choice, this.#scratch[depth + 1]!);
      made.push(choice);
    }
    return sums;
  }

  #isAccepted(space: Space, path: Path, ...next: readonly Choice[]): boolean {
    const { accepts } = this.#options;
    if (!accepts) return true;
    const groups = [...path, ...next].flatMap((one) => one?.group ?? []);
    return accepts(groups, space.levels.length);
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
  const byBound = [...spaces].sort((a, b) => upperBound(b, b.root, 0) - upperBound(a, a.root, 0));
  return new Search(options, options.nodes ?? nodes, spaces[0]).run(byBound);
}
