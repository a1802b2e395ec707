import { round } from '../numeric.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import { CORE_SLOTS } from '../wardrobe/ensemble.ts';
import type { CandidatesRequest } from '../wardrobe/wardrobe-request.ts';
import { type CandidateSet, type SearchProblem, toCandidate } from './candidates.ts';
import { type Core, keyOf, type Solution } from './complete.ts';
import { type SearchOptions, search } from './search.ts';

/** Best outfits that are combined in every way. */
const MAX_POOL = 100;
/** Outfits added for each outfit that differs from those before it. */
const MAX_ADDED = 20;
/** Sets and parts of sets that are tried. */
const MAX_SETS = 100_000;

/** The visible garments of an outfit, by group; required accessories are in every outfit. */
const visibleGroups = ({ over: _, ...visible }: Core): number[] =>
  Object.values(visible).map((group) => group.index);

const countShared = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((count, index) => count + Number(b.includes(index)), 0);

/** An outfit to combine with others. */
interface Option {
  readonly solution: Solution;
  readonly visible: readonly number[];
}

/**
 * The best set of `size` options of which any two are different enough.
 * @param options best first
 * @returns the best set found, and an upper bound on the sum of its scores; −Infinity if there is none
 */
function bestSet(
  options: readonly Option[],
  size: number,
  isVaried: (a: Option, b: Option) => boolean,
) {
  let best: readonly Option[] = [];
  let bestSum = Number.NEGATIVE_INFINITY;
  let openBound = Number.NEGATIVE_INFINITY;
  let setsLeft = MAX_SETS;
  function visit(chosen: readonly Option[], sum: number, left: readonly Option[]): void {
    const missing = size - chosen.length;
    if (missing === 0) {
      if (sum > bestSum) [best, bestSum] = [chosen, sum];
      return;
    }
    for (let at = 0; at + missing <= left.length; at++) {
      let bound = sum;
      for (let i = at; i < at + missing; i++) bound += left[i]!.solution.score;
      if (bound <= bestSum) return;
      if (setsLeft-- <= 0) {
        openBound = Math.max(openBound, bound);
        return;
      }
      const option = left[at]!;
      const rest = left.slice(at + 1).filter((other) => isVaried(option, other));
      visit([...chosen, option], sum + option.solution.score, rest);
    }
  }
  visit([], 0, options);
  return { set: best, upperBound: Math.max(bestSum, openBound) };
}

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
  const isVaried = (a: Option, b: Option): boolean => {
    const pieces = style + Math.min(a.visible.length, b.visible.length);
    return style + countShared(a.visible, b.visible) <= pieces / 2;
  };
  const toOption = (solution: Solution): Option => ({
    solution,
    visible: visibleGroups(solution.core),
  });
  const find = (options: Omit<SearchOptions, 'keySlots'>) =>
    search(problem, {
      ...options,
      keySlots: CORE_SLOTS,
      nodes: Math.ceil(context.model.k.search.nodes / 2),
    });

  const first = find({ size: MAX_POOL });
  const pool = first.solutions.map(toOption);
  const all = new Map(pool.map((option) => [keyOf(option.solution.core, CORE_SLOTS), option]));
  const chain = pool.slice(0, 1);
  while (chain.length > 0 && chain.length < size) {
    const added = find({
      size: MAX_ADDED,
      accepts: (groups, pieces) => {
        const visible = groups.map(({ index }) => index);
        return chain.every(
          (before) =>
            style + countShared(before.visible, visible) <=
            (style + Math.min(pieces, before.visible.length)) / 2,
        );
      },
    }).solutions.map(toOption);
    for (const option of added) all.set(keyOf(option.solution.core, CORE_SLOTS), option);
    const [next] = added;
    if (!next) break;
    chain.push(next);
  }

  const options = [...all.values()].sort((a, b) => b.solution.score - a.solution.score);
  let found = bestSet(options, size, isVaried);
  const { upperBound } = found;
  for (let fewer = size - 1; found.set.length === 0 && fewer > 0; fewer--)
    found = bestSet(options, fewer, isVaried);
  const sum = found.set.reduce((total, { solution }) => total + solution.score, 0);

  // An outfit outside the pool scores at most as much as the last in it.
  const isComplete = first.solutions.length < MAX_POOL && !first.isTruncated;
  const other = (pool.at(-1)?.solution.score ?? 0) + first.gap;
  const bounds = isComplete
    ? []
    : Array.from({ length: size }, (_, inside) => {
        const { upperBound: ofPool } = bestSet(pool, inside, isVaried);
        return ofPool + (size - inside) * other;
      });
  const best = Math.max(sum, upperBound, ...bounds);
  const count = found.set.length;
  const detail = fill(DIAGNOSTICS['too-similar'][request.locale ?? 'en'], { count: String(count) });
  return {
    context,
    place: problem.place,
    candidates: found.set.map(({ solution: { ensemble } }) => ({
      candidate: toCandidate(ensemble),
      ensemble,
    })),
    truncated: first.isTruncated,
    gap: round((best - sum) / size, 9),
    diagnostics: count < size ? [...diagnostics, { code: 'too-similar', detail }] : diagnostics,
  };
}
