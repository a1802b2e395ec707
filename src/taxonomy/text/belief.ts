import { CATEGORY_IDS } from '../dictionary/schema.ts';
import { type Belief, normalised } from '../odds.ts';
import { NO_GARMENT } from './contradictions.ts';
import { refine } from './refine.ts';
import type { Hints } from './text-attributes.ts';
import type { Vote } from './votes.ts';

/** Log-odds of a category for a vote of weight 1. */
const VOTE_LOG_ODDS = 9;
/** Odds of a category without votes, and of "no garment": more than all those of a title that only says what it is for. */
const BASE_ODDS = 0.3;
const NOT_GARMENT_BASE_ODDS = 34;
/** Factor on the odds of a category outside the row's Google branch. */
const OUTSIDE_BRANCH_FACTOR = 0.05;
/** Vote of a Google branch for its categories, in a row without any mention. */
const BRANCH_VOTE = 0.6;
/** Additional vote for refinements of the branch's general categories ("denim" among pants). */
const SUGGESTED_VOTE = 0.3;
/** Additional vote, relative to the name of a group, for what it most often stands for. */
const FAVOURITE_VOTE = 0.3;
/** Maximum total probability given to the evidence: words mislead, sellers err. */
const MAX_TRUST = 0.97;

const indexOf = new Map(CATEGORY_IDS.map((id, i) => [id, i]));

/** Sums votes over columns; within a column, a category counts with its strongest vote. */
function sumVotes(votes: readonly Vote[]): { categories: number[]; notGarment: number } {
  const byColumn = new Map<string, Map<string, number>>();
  for (const { ids, favourite, weight, naming } of votes) {
    const column = byColumn.get(naming.field.name) ?? new Map<string, number>();
    byColumn.set(naming.field.name, column);
    for (const id of ids.length > 0 ? ids : [NO_GARMENT]) {
      const own = id === favourite && ids.length > 1 ? weight * (1 + FAVOURITE_VOTE) : weight;
      column.set(id, Math.max(column.get(id) ?? 0, own));
    }
  }
  const categories = CATEGORY_IDS.map(() => 0);
  let notGarment = 0;
  for (const column of byColumn.values()) {
    for (const [id, weight] of column) {
      const i = indexOf.get(id);
      if (i === undefined) notGarment += weight;
      else categories[i] = (categories[i] ?? 0) + weight;
    }
  }
  return { categories, notGarment };
}

/** Converts odds to probabilities, mixed with a uniform distribution of weight 1 - MAX_TRUST. */
function trusted(odds: Belief): Belief {
  const { categories, notGarment } = normalised(odds);
  const residual = (1 - MAX_TRUST) / (categories.length + 1);
  const mixed = (probability: number) => MAX_TRUST * probability + residual;
  return { categories: categories.map(mixed), notGarment: mixed(notGarment) };
}

/** Categories that a Google category has below it; none if it is no apparel; undefined if there is no such column. */
export type Branch = ReadonlySet<string> | undefined;

/** Factor on the odds of a category with this score; most have none. */
const factorOf = (score: number): number => (score === 0 ? 1 : Math.exp(VOTE_LOG_ODDS * score));

/** Weighs the votes of words. */
export function believe(votes: readonly Vote[]): Belief {
  const sums = sumVotes(votes);
  return trusted({
    categories: sums.categories.map((score) => BASE_ODDS * factorOf(score)),
    notGarment: NOT_GARMENT_BASE_ODDS * factorOf(sums.notGarment),
  });
}

/** Lets a Google branch vote, in a row without any mention. */
export function believeBranch(branch: ReadonlySet<string>, hints: Hints): Belief {
  const suggested = new Set([...branch].map((id) => refine('garment', id, hints)?.[1]));
  const voteOf = (id: string): number =>
    (branch.has(id) ? BRANCH_VOTE : 0) + (suggested.has(id) ? SUGGESTED_VOTE : 0);
  return trusted({
    categories: CATEGORY_IDS.map((id) => BASE_ODDS * factorOf(voteOf(id))),
    notGarment: NOT_GARMENT_BASE_ODDS,
  });
}

/** Makes what is outside of a Google branch less likely; an empty branch is no apparel. */
export function within({ categories, notGarment }: Belief, branch: Branch): Belief {
  if (!branch) return { categories, notGarment };
  return normalised({
    categories: categories.map((belief, i) =>
      branch.has(CATEGORY_IDS[i] ?? '') ? belief : belief * OUTSIDE_BRANCH_FACTOR,
    ),
    notGarment: branch.size > 0 ? notGarment * OUTSIDE_BRANCH_FACTOR : notGarment,
  });
}
