import type { ScoringContext } from '../scoring/context.ts';
import { comparableScore } from '../scoring/score.ts';
import { mapEnsemble } from '../wardrobe/ensemble.ts';
import type { CoreSlot, Template } from '../wardrobe/templates.ts';
import type { Group } from '../wardrobe/wardrobe.ts';
import {
  extend,
  isWearable,
  openBound,
  type Path,
  type Sums,
  sumsOf,
  upperBound,
} from './bound.ts';
import {
  completionsOf,
  coreOf,
  extrasKey,
  keyOf,
  MARGIN,
  type Solution,
  tieBreakerOf,
} from './complete.ts';
import { type Choice, createSpace, type Space } from './space.ts';
import type { SearchTables } from './tables.ts';

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
  readonly key: string;
}

interface Child {
  readonly choice: Choice;
  readonly bound: number;
}

/** A partial outfit, and the choices of the next level that are not followed. */
interface OpenNode {
  readonly space: Space;
  readonly path: Path;
  /** Of all outfits below it; undefined if they have several. */
  readonly key: string | undefined;
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

const precedes = (one: Found, other: Found): boolean =>
  one.score > other.score ||
  (one.score === other.score && tieBreakerOf(one.core) < tieBreakerOf(other.core));

/** The best `size` solutions, at most one for each key. */
class TopList {
  readonly #size: number;
  readonly #best: Found[] = [];
  readonly #byKey = new Map<string, Found>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Score to beat: that of the key's solution, else of the last place; -Infinity if there is room. */
  threshold(key?: string): number {
    const found = (key !== undefined && this.#byKey.get(key)) || this.#best[this.#size - 1];
    return found ? found.score : Number.NEGATIVE_INFINITY;
  }

  /** Adds a solution if it precedes the last place and that of its key. */
  add(found: Found): void {
    const best = this.#best;
    const last = best[this.#size - 1];
    if (last && !precedes(found, last)) return;
    const previous = this.#byKey.get(found.key);
    if (previous) {
      if (!precedes(found, previous)) return;
      best.splice(best.indexOf(previous), 1);
    }
    const at = best.findIndex((other) => precedes(found, other));
    best.splice(at < 0 ? best.length : at, 0, found);
    this.#byKey.set(found.key, found);
    const evicted = best.length > this.#size ? best.pop() : undefined;
    if (evicted) this.#byKey.delete(evicted.key);
  }

  /** Best first; equal scores in the order of their garments. */
  list(): readonly Found[] {
    return this.#best;
  }
}

/** Keeps a list in order of bounds, the best last. */
function insert<T extends { readonly bound: number }>(list: T[], one: T): void {
  let at = list.length;
  while (at > 0 && list[at - 1]!.bound > one.bound) at -= 1;
  list.splice(at, 0, one);
}

/** Choices that are bounded for one node of the budget. */
const CHOICES_PER_NODE = 4;

/** Outfits whose neighbours are tried. */
const CLIMBS = 7;

class Search {
  readonly #options: SearchOptions;
  readonly #incumbents: TopList;
  readonly #climbed = new Set<Found>();
  /** The best bound is the last. */
  readonly #queue: OpenNode[] = [];
  #nodesLeft: number;
  /** Overwritten by the next choice that is bounded. */
  readonly #scratch: Sums;

  constructor(options: SearchOptions, nodes: number, { root }: Space) {
    this.#options = options;
    this.#incumbents = new TopList(options.size);
    this.#nodesLeft = nodes;
    this.#scratch = { ...root };
  }

  run(spaces: readonly Space[]): SearchResult {
    const isClimbed = this.#options.everyExtras === undefined;
    const roots = spaces.map((space) =>
      this.#open(space, [], space.root, upperBound(space, space.root, space.rest[0]!)),
    );
    for (const root of roots.sort((a, b) => b.bound - a.bound)) {
      this.#descend(root);
      // The neighbours of the first outfit fill the list, so that most choices need not be bounded.
      if (isClimbed && this.#climbed.size === 0) this.#climb(1);
    }
    if (isClimbed) this.#climb(CLIMBS);
    this.#explore();
    const solutions: readonly Solution[] = this.#incumbents.list();
    const next = this.#queue.findLast(({ bound, key }) => bound >= this.#needed(key));
    const last = solutions.at(-1)?.score ?? 0;
    return { solutions, gap: next ? Math.max(0, next.bound - last) : 0, isTruncated: !!next };
  }

  /** What a bound must reach: of one key, only a better outfit of that key is needed. */
  #needed(key?: string): number {
    return this.#incumbents.threshold(key) + MARGIN;
  }

  /** The key of all outfits below a path; undefined while they have several. */
  #keyBelow(space: Space, path: Path): string | undefined {
    const { keySlots, everyExtras } = this.#options;
    const isOpen = space.levels.some(({ slot }, at) => !path[at] && keySlots.includes(slot));
    return isOpen || everyExtras !== undefined ? undefined : keyOf(coreOf(space, path), keySlots);
  }

  /** Follows the best bound from node to node to a whole outfit; the other choices wait in the queue. */
  #descend(node: OpenNode): void {
    const best = this.#take(node);
    if (!best) return;
    if (node.bound >= this.#needed(node.key)) insert(this.#queue, node);
    const { space, path: before, sums: from } = node;
    const path = [...before, best.choice];
    const sums = extend(space, from, before, before.length, best.choice, { ...from });
    if (path.length === space.levels.length) this.#complete(space, path, sums);
    else this.#descend(this.#open(space, path, sums, best.bound));
  }

  /** Takes the best bound of all, until none can be better or the budget is spent. */
  #explore(): void {
    while (this.#nodesLeft > 0) {
      const next = this.#queue.pop();
      if (!next) return;
      if (next.bound >= this.#needed(next.key)) this.#descend(next);
    }
  }

  #open(space: Space, path: Path, sums: Sums, bound: number): OpenNode {
    const [best] = space.levels[path.length]!.choices;
    const key = this.#keyBelow(space, path);
    return { space, path, key, sums, children: [], next: 0, base: bound - best!.best, bound };
  }

  /**
   * The choice with the best bound, which is taken from the node. Choices are bounded until no other can
   * have a larger one: each is at most what the node has, with its own best in place of the best one's.
   */
  #take(node: OpenNode): Child | undefined {
    const { space, path, sums, children, base } = node;
    const depth = path.length;
    const { choices } = space.levels[depth]!;
    const rest = space.rest[depth + 1]!;
    const needed = this.#needed(node.key);
    const from = node.next;
    for (let choice = choices[from]; choice; choice = choices[node.next]) {
      const open = base + choice.best;
      if (open < needed || open <= (children.at(-1)?.bound ?? Number.NEGATIVE_INFINITY)) break;
      node.next += 1;
      const bound = upperBound(
        space,
        extend(space, sums, path, depth, choice, this.#scratch),
        rest,
      );
      if (bound >= needed && this.#isAllowed(space, [...path, choice]))
        insert(children, { choice, bound });
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

  /** Tries every outfit that differs in one visible choice and may be better than the last. */
  #tryNeighbours({ space, path }: Found): void {
    const whole = space.rest[path.length]!;
    const isWet = space.context.shelter.torso.water > 0;
    for (const [depth, { slot, choices }] of space.levels.entries()) {
      // The outermost garments decide about what is under them, so all is added up anew.
      const isOutermost = slot === 'over' || (depth === 0 && isWet);
      const others = path.with(depth, undefined);
      const key = this.#keyBelow(space, others);
      const base = sumsOf(space, others);
      const open = openBound(space, base, depth);
      for (const choice of choices) {
        if (open + choice.best < this.#needed(key)) break;
        if (choice === path[depth]) continue;
        const sums = isOutermost
          ? sumsOf(space, path.with(depth, choice))
          : extend(space, base, others, depth, choice, this.#scratch);
        if (upperBound(space, sums, whole) < this.#needed(key)) continue;
        const next = path.with(depth, choice);
        if (this.#isAllowed(space, next)) this.#complete(space, next, sums);
      }
    }
  }

  #isAllowed(space: Space, path: Path): boolean {
    const { accepts } = this.#options;
    const visible = () => path.flatMap((one) => one?.group ?? []);
    return isWearable(space, path) && (accepts?.(visible(), space.levels.length) ?? true);
  }

  /** Offers the outfits of a core. */
  #complete(space: Space, path: Path, sums: Sums): void {
    this.#nodesLeft -= 1;
    const { keySlots, everyExtras } = this.#options;
    const core = coreOf(space, path);
    const isEvery = everyExtras !== undefined;
    const key = keyOf(core, keySlots);
    const needed = this.#needed(isEvery ? undefined : key);
    const completions = completionsOf(space, sums, needed, isEvery);
    const best = isEvery ? completions.sort((a, b) => b.value - a.value) : completions.slice(-1);
    for (const { value, under, accessory } of best) {
      if (value < this.#needed()) break;
      this.#nodesLeft -= 1;
      const extras = { ...under.ensemble, ...accessory.ensemble };
      const ensemble = { ...mapEnsemble(core, ({ item }) => item), ...extras, ...space.style };
      const score = comparableScore(space.context, ensemble);
      const ofExtras = isEvery ? `${key}|${extrasKey(extras)}` : key;
      this.#incumbents.add({ score, core, ensemble, space, path, key: ofExtras });
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
