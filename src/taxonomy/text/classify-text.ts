import { CATEGORY_IDS, dictionary, type Locale } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { type Field, type RowText, readRow, type TextMatch, toTextMatch } from './fields.ts';
import { readGoogleCategory } from './google.ts';
import { type ArticleMention, type TextKind, weighMentions } from './heads.ts';
import { ambiguousCategories, refine } from './refine.ts';
import { type Hints, readTextAttributes, type TextAttributes } from './text-attributes.ts';

/** The evidence in a feed row about its article. */
export interface TextEvidence {
  /** Probability of each category, in the order of CATEGORY_IDS. They sum to 1 with `notGarment`. */
  categories: readonly number[];
  /** Probability that the row sells no garment of the dictionary. */
  notGarment: number;
  /** Whether any word or id is evidence for a garment. */
  hasEvidence: boolean;
  /** The row's main language; undefined if it could not be detected. */
  language: Locale | undefined;
  /** For each category id with evidence: the matched words, the strongest first. */
  matches: ReadonlyMap<string, readonly TextMatch[]>;
  attributes: TextAttributes;
}

const COLUMN_WEIGHTS: Readonly<Record<Field['name'], number>> = {
  title: 1,
  product_type: 0.75,
  google_product_category: 0.5,
  description: 0.3,
};
/** Weights if neither title nor product type names an article. */
const FALLBACK_WEIGHTS: typeof COLUMN_WEIGHTS = {
  ...COLUMN_WEIGHTS,
  google_product_category: 0.75,
  description: 0.7,
};
const TEXT_KINDS: Readonly<Record<Field['name'], TextKind>> = {
  title: 'title',
  product_type: 'path',
  google_product_category: 'path',
  description: 'title',
};
/** In a description, only the first mentions are likely to be the article. */
const MAX_DESCRIPTION_MENTIONS = 2;

/** Log-odds of a category for a vote of weight 1. */
const VOTE_LOG_ODDS = 9;
/** Odds of a category without votes, and of "no garment". */
const BASE_ODDS = 0.3;
const NOT_GARMENT_BASE_ODDS = 30;
/** Factor on the odds of a category outside the row's Google branch. */
const OUTSIDE_BRANCH_FACTOR = 0.05;
/** Vote of a Google branch for its categories, in a row without any mention. */
const BRANCH_VOTE = 0.6;
/** Additional vote for refinements of the branch's general categories ("denim" among pants). */
const SUGGESTED_VOTE = 0.3;
/** Maximum total probability given to the evidence: words mislead, sellers err. */
const MAX_TRUST = 0.97;

const indexOf = new Map(CATEGORY_IDS.map((id, i) => [id, i]));
const members = new Map(
  dictionary.categoryGroups.map(({ id }) => [
    id,
    dictionary.categories.filter(({ parentId }) => parentId === id).map((category) => category.id),
  ]),
);

/** A word's vote for some categories, or for none. */
interface Vote {
  /** Empty if the word names something other than a garment. */
  ids: readonly string[];
  weight: number;
  field: Field['name'];
  /** The word, and the one that refined its category. */
  matches: readonly TextMatch[];
}

function toVote(
  field: Field,
  { match, weight }: ArticleMention,
  column: number,
  hints: Hints,
): Vote {
  const vote = { weight: weight * column, field: field.name };
  const { kind, id } = match.entry;
  const own = toTextMatch(field, match);
  if (kind !== 'garment' && kind !== 'group') return { ...vote, ids: [], matches: [own] };
  const [hint, refined] = refine(kind, id, hints) ?? [];
  const refinement = hint && hints.get(hint);
  if (refined && refinement) return { ...vote, ids: [refined], matches: [own, refinement] };
  const name = field.tokens.slice(match.first, match.last + 1).map(({ text }) => text);
  const ambiguous = ambiguousCategories(name.join(' '), field.locale);
  if (ambiguous) return { ...vote, ids: ambiguous, matches: [own] };
  return { ...vote, ids: kind === 'garment' ? [id] : (members.get(id) ?? []), matches: [own] };
}

/** Returns the mentions of a column; of a description, only the first. */
function mentionsIn(field: Field): ArticleMention[] {
  const mentions = weighMentions(
    field.tokens,
    field.clauseMatches,
    field.locale,
    TEXT_KINDS[field.name],
  );
  const named = mentions.filter(({ weight }) => weight > 0);
  return field.name === 'description' ? named.slice(0, MAX_DESCRIPTION_MENTIONS) : named;
}

function collectVotes({ fields }: RowText, hints: Hints): Vote[] {
  const columns = fields.map((field) => ({ field, mentions: mentionsIn(field) }));
  const isNamed = columns.some(
    ({ field: { name }, mentions }) =>
      (name === 'title' || name === 'product_type') && mentions.length > 0,
  );
  const weights = isNamed ? COLUMN_WEIGHTS : FALLBACK_WEIGHTS;
  return columns.flatMap(({ field, mentions }) =>
    mentions.map((mention) => toVote(field, mention, weights[field.name], hints)),
  );
}

/** Sums votes over columns; within a column, a category counts with its strongest vote. */
function sumVotes(votes: readonly Vote[]): { categories: number[]; notGarment: number } {
  const byColumn = new Map<string, Map<string, number>>();
  for (const { ids, weight, field } of votes) {
    const column = byColumn.get(field) ?? new Map<string, number>();
    byColumn.set(field, column);
    for (const id of ids.length > 0 ? ids : ['']) {
      column.set(id, Math.max(column.get(id) ?? 0, weight));
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
function normalise(odds: readonly number[], notGarmentOdds: number) {
  const sum = odds.reduce((a, b) => a + b, notGarmentOdds);
  const residual = (1 - MAX_TRUST) / (odds.length + 1);
  const toProbability = (odd: number) => MAX_TRUST * (odd / sum) + residual;
  return { categories: odds.map(toProbability), notGarment: toProbability(notGarmentOdds) };
}

const unique = (matches: readonly TextMatch[]): TextMatch[] => [
  ...new Map(matches.map((match) => [`${match.field} ${match.span}`, match])).values(),
];

function matchesByCategory(votes: readonly Vote[]): Map<string, TextMatch[]> {
  const byCategory = new Map<string, TextMatch[]>();
  for (const { ids, matches } of votes.toSorted((a, b) => b.weight - a.weight)) {
    for (const id of ids) byCategory.set(id, unique([...(byCategory.get(id) ?? []), ...matches]));
  }
  return byCategory;
}

/**
 * Classifies a feed row by its words, and reads its attributes: colour, material, pattern, wearer. Pure and
 * deterministic; the order of the columns does not matter.
 */
export function classifyText(row: FeedAttributes): TextEvidence {
  const google = row.google_product_category;
  const hint = google === undefined ? undefined : readGoogleCategory(google);
  const text = readRow(row, hint && 'text' in hint ? hint.text : undefined);
  const { attributes, hints } = readTextAttributes(row, text);
  const votes = collectVotes(text, hints);
  const sums = sumVotes(votes);
  const branch = hint && 'categories' in hint ? hint.categories : undefined;
  const voting = votes.length > 0 ? undefined : branch;
  const suggested = new Set([...(voting ?? [])].map((id) => refine('garment', id, hints)?.[1]));
  const odds = CATEGORY_IDS.map((id, i) => {
    const isInBranch = branch?.has(id) ?? true;
    const score =
      (sums.categories[i] ?? 0) +
      (voting?.has(id) ? BRANCH_VOTE : 0) +
      (suggested.has(id) ? SUGGESTED_VOTE : 0);
    return BASE_ODDS * Math.exp(VOTE_LOG_ODDS * score) * (isInBranch ? 1 : OUTSIDE_BRANCH_FACTOR);
  });
  const apparelOdds =
    branch === undefined ? 1 : branch.size > 0 ? OUTSIDE_BRANCH_FACTOR : 1 / OUTSIDE_BRANCH_FACTOR;
  const notGarmentOdds =
    NOT_GARMENT_BASE_ODDS * apparelOdds * Math.exp(VOTE_LOG_ODDS * sums.notGarment);
  return {
    ...normalise(odds, notGarmentOdds),
    hasEvidence: votes.some(({ ids }) => ids.length > 0) || (branch?.size ?? 0) > 0,
    language: text.locale,
    matches: matchesByCategory(votes),
    attributes,
  };
}
