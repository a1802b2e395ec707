import { round } from '../numeric.ts';
import { keyOf, type Solution } from '../search/complete.ts';
import { type SearchOptions, search } from '../search/search.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import { CORE_SLOTS } from '../wardrobe/ensemble.ts';
import type { CandidatesRequest } from '../wardrobe/wardrobe-request.ts';
import { type CandidateSet, toCandidate } from './candidates.ts';
import type { SearchProblem } from './problem.ts';

/** Best outfits that are combined in every way. */
const MAX_POOL = 100;
/** Outfits added for each outfit that differs from those before it. */
const MAX_ADDED = 20;
/** Sets and parts of sets that are tried. */
const MAX_SETS = 100_000;

/** An outfit to combine with others. */
interface Option {
  readonly score: number;
  /** Undefined: any outfit that was not found, which differs from all others. */
  readonly solution?: Solution;
  /** Its visible garments, by group; required accessories are in every outfit. */
  readonly visible: readonly number[];
}

type IsVaried = (a: Option, b: Option) => boolean;

/**
 * The best set of `size` options of which any two are different enough.
 * @param options best first
 * @returns the best set found, and an upper bound on the sum of its scores; −Infinity if there is none
 */
function bestSet(options: readonly Option[], size: number, isVaried: IsVaried) {
  let best: readonly Option[] = [];
  let bestSum = Number.NEGATIVE_INFINITY;
  let openBound = Number.NEGATIVE_INFINITY;
  let setsLeft = MAX_SETS;
  function visit(chosen: readonly Option[], sum: number, left: readonly Option[]): void {
    const missing = size - chosen.length;
    if (missing === 0 && sum > bestSum) [best, bestSum] = [chosen, sum];
    for (let at = 0; missing > 0 && at + missing <= left.length; at++) {
      const bound = left.slice(at, at + missing).reduce((total, one) => total + one.score, sum);
      if (bound <= bestSum) return;
      if (setsLeft-- <= 0) {
        openBound = Math.max(openBound, bound);
        return;
      }
      const option = left[at]!;
      const rest = left.slice(at + 1).filter((other) => isVaried(option, other));
      visit([...chosen, option], sum + option.score, rest);
    }
  }
  visit([], 0, options);
  return { set: best, upperBound: Math.max(bestSum, openBound) };
}

const inOrder = (options: readonly Option[]) => [...options].sort((a, b) => b.score - a.score);

/**
 * Finds outfits of which any two share at most half of their visible pieces, so that the sum of their
 * scores is largest. There are fewer than `size` if no more were found.
 * @param problem with each garment as a choice of its own
 */
export function findVaried(
  problem: SearchProblem,
  request: Pick<CandidatesRequest, 'locale'>,
  size: number,
): Omit<CandidateSet, 'totalValid'> {
  const { context, templates, diagnostics } = problem;
  const style = templates[0]?.style.length ?? 0;
  const isFarFrom = (a: readonly number[], b: readonly number[], pieces = b.length): boolean => {
    const shared = a.filter((group) => b.includes(group)).length;
    return style + shared <= (style + Math.min(a.length, pieces)) / 2;
  };
  const isVaried: IsVaried = (a, b) =>
    !a.solution || !b.solution || isFarFrom(a.visible, b.visible);
  const find = (options: Omit<SearchOptions, 'keySlots'>) => {
    const nodes = Math.ceil(context.model.k.search.nodes / 2);
    const found = search(problem, { ...options, keySlots: CORE_SLOTS, nodes });
    const toOption = (solution: Solution): Option => {
      const { over: _, ...visible } = solution.core;
      const { score } = solution;
      return { score, solution, visible: Object.values(visible).map(({ index }) => index) };
    };
    return { ...found, options: found.solutions.map(toOption) };
  };

  const first = find({ size: MAX_POOL });
  const pool = first.options;
  const all = new Map<string, Option>();
  const add = (options: readonly Option[]) => {
    for (const option of options) all.set(keyOf(option.solution!.core, CORE_SLOTS), option);
  };
  add(pool);
  const chain = pool.slice(0, 1);
  while (chain.length > 0 && chain.length < size) {
    const { options } = find({
      size: MAX_ADDED,
      accepts: (groups, pieces) => {
        const visible = groups.map(({ index }) => index);
        return chain.every((before) => isFarFrom(before.visible, visible, pieces));
      },
    });
    if (!options[0]) break;
    add(options);
    chain.push(options[0]);
  }

  let found = bestSet(inOrder([...all.values()]), size, isVaried);
  const { upperBound } = found;
  for (let fewer = size - 1; found.set.length === 0 && fewer > 0; fewer--)
    found = bestSet(inOrder([...all.values()]), fewer, isVaried);
  const sum = found.set.reduce((total, { score }) => total + score, 0);

  // An outfit outside the pool scores at most as much as the last in it.
  const isComplete = pool.length < MAX_POOL && !first.isTruncated;
  const other = { score: (pool.at(-1)?.score ?? 0) + first.gap, visible: [] };
  const anyOthers = isComplete ? [] : Array.from({ length: size }, () => other);
  const bound = bestSet(inOrder([...pool, ...anyOthers]), size, isVaried).upperBound;
  const best = Math.max(sum, upperBound, bound);
  const count = found.set.length;
  const detail = fill(DIAGNOSTICS['too-similar'][request.locale ?? 'en'], { count: String(count) });
  return {
    context,
    place: problem.place,
    candidates: found.set.map(({ solution }) => {
      const { ensemble } = solution!;
      return { candidate: toCandidate(ensemble), ensemble };
    }),
    truncated: first.isTruncated,
    gap: round((best - sum) / size, 9),
    diagnostics: count < size ? [...diagnostics, { code: 'too-similar', detail }] : diagnostics,
  };
}
