import { CATEGORY_IDS, dictionary, type Locale } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { confidenceOf } from './confidence.ts';
import { contradict, differ, NO_GARMENT } from './contradictions.ts';
import { type Features, featuresOf, type Naming } from './features.ts';
import { type Field, type RowText, readRow, type TextMatch, toTextMatch } from './fields.ts';
import { readGoogleCategory } from './google.ts';
import { type ArticleMention, type TextKind, weighMentions } from './heads.ts';
import { limitOf, otherWearer } from './open-names.ts';
import { categoryOfSet } from './pieces.ts';
import { ambiguousCategories, defaultOfGroup, refine } from './refine.ts';
import { type LinearModel, supportOf } from './second-opinion.ts';
import { type Hints, readTextAttributes, type TextAttributes } from './text-attributes.ts';

/** Columns that file an article under a category. */
export const CATEGORY_COLUMNS = ['product_type', 'google_product_category'] as const;
type CategoryColumn = (typeof CATEGORY_COLUMNS)[number];

/** The evidence in a feed row about its article. */
export interface TextEvidence {
  /** Probability of each category, in the order of CATEGORY_IDS. They sum to 1 with `notGarment`. */
  categories: readonly number[];
  /** Probability that the row sells no garment of the dictionary. */
  notGarment: number;
  /** Whether any word or id is evidence for a garment. */
  hasEvidence: boolean;
  /** Of a set: the categories of its pieces, in the order of the title; else empty. */
  pieces: readonly string[];
  /** The kind of thing that is named, if it is no garment; see data/lexicon/things.tsv. */
  thing: string | undefined;
  /** Columns that file it in another region than the title does, or without one than the product type. */
  contradictions: readonly CategoryColumn[];
  /** Whether one of them cannot mean the same article: a cardigan may be among coats, but not among shoes. */
  isContradicted: boolean;
  /** Whether the row seems to be written in a language that is not supported. */
  isForeign: boolean;
  /** The row's main language; undefined if it could not be detected. */
  language: Locale | undefined;
  /** For each category id with evidence, and NO_GARMENT: the matched words, the strongest first. */
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
  description: 'description',
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
/** Additional vote, relative to the name of a group, for what it most often stands for. */
const FAVOURITE_VOTE = 0.3;
/** A category that is this many times as likely as the next one gets the confidence of the fitted model. */
const MIN_LEAD = 3;
/** Factor on the confidence in a text of an unsupported language: shared words may mislead. */
const FOREIGN_FACTOR = 0.5;
/** A mention of this weight says what the article is. */
const MIN_NAMING_WEIGHT = 0.8;

/** More articles than this are a list of keywords. */
const MAX_PIECES = 5;
/** Factor on the votes for the pieces of a set, beside the one that it is called by. */
const PIECE_FACTOR = { named: 0.7, listed: 0.9 } as const;
/** Factor on the votes for the garment of a pet or a doll. */
const OTHER_WEARER_FACTOR = 0.3;

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
  /** The one of `ids` that a group's name most often stands for. */
  favourite: string | undefined;
  weight: number;
  /** The word, and the one that refined its category. */
  matches: readonly TextMatch[];
  naming: Naming;
}

function toVote(naming: Naming, column: number, hints: Hints): Vote {
  const { field, mention } = naming;
  const { kind, id } = mention.match.entry;
  const own = toTextMatch(field, mention.match);
  const vote = { weight: mention.weight * column, favourite: undefined, matches: [own], naming };
  if (kind !== 'garment' && kind !== 'group') return { ...vote, ids: [] };
  const [needed, refined] = refine(kind, id, hints) ?? [];
  if (needed && refined) {
    return {
      ...vote,
      ids: [refined],
      matches: [own, ...needed.flatMap((hint) => hints.get(hint) ?? [])],
      naming: { ...naming, isRefined: true },
    };
  }
  if (kind === 'group')
    return { ...vote, ids: members.get(id) ?? [], favourite: defaultOfGroup(id) };
  return { ...vote, ids: ambiguousCategories(nameOf(naming), field.locale) ?? [id] };
}

const nameOf = ({ field, mention: { match } }: Naming): string =>
  field.tokens
    .slice(match.first, match.last + 1)
    .map(({ text }) => text)
    .join(' ');

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
    mentions.map((mention) =>
      toVote({ field, mention, mentions, isRefined: false }, weights[field.name], hints),
    ),
  );
}

const isIn = (name: Field['name']) => (vote: Vote) => vote.naming.field.name === name;

const isPiece = ({ ids, weight, naming }: Vote): boolean =>
  ids.length > 0 &&
  naming.field.name === 'title' &&
  naming.mention.role === undefined &&
  weight >= MIN_NAMING_WEIGHT;

/** Returns the categories that a title names side by side: "top and skirt". */
function piecesOf(votes: readonly Vote[]): string[] {
  const titled = votes.filter(isPiece).map(({ ids, favourite }) => favourite ?? ids[0] ?? '');
  const distinct = [...new Set(titled)].slice(0, MAX_PIECES);
  return distinct.length > 1 ? distinct : [];
}

/** Lets the category of a set lead its pieces. */
function withSet(votes: readonly Vote[], pieces: readonly string[]): readonly Vote[] {
  const set = categoryOfSet(pieces);
  const first = votes.find(isPiece);
  if (set === undefined || !first) return votes;
  const factor = set === pieces[0] ? PIECE_FACTOR.listed : PIECE_FACTOR.named;
  const rest = votes.map((vote) =>
    isPiece(vote) && !vote.ids.includes(set) ? { ...vote, weight: vote.weight * factor } : vote,
  );
  return pieces.includes(set) ? rest : [{ ...first, ids: [set], favourite: undefined }, ...rest];
}

/** An animal's or a doll's wear is no garment. */
function withWearer(votes: readonly Vote[]): readonly Vote[] {
  const title = votes.find(isIn('title'));
  const thing = title && otherWearer(title.naming.field);
  if (!title || !thing) return votes;
  const { naming } = title;
  const match = { ...naming.mention.match, entry: { kind: 'notGarment' as const, id: thing } };
  const mention = { ...naming.mention, match };
  return [
    { ...title, ids: [], favourite: undefined, weight: 1, naming: { ...naming, mention } },
    ...votes.map((vote) =>
      isIn('title')(vote) ? { ...vote, weight: vote.weight * OTHER_WEARER_FACTOR } : vote,
    ),
  ];
}

/** Sums votes over columns; within a column, a category counts with its strongest vote. */
function sumVotes(votes: readonly Vote[]): { categories: number[]; notGarment: number } {
  const byColumn = new Map<string, Map<string, number>>();
  for (const { ids, favourite, weight, naming } of votes) {
    const column = byColumn.get(naming.field.name) ?? new Map<string, number>();
    byColumn.set(naming.field.name, column);
    for (const id of ids.length > 0 ? ids : [NO_GARMENT]) {
      const own = id === favourite ? weight * (1 + FAVOURITE_VOTE) : weight;
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
function normalise({ categories, notGarment }: Belief): Belief {
  const sum = categories.reduce((a, b) => a + b, notGarment);
  const residual = (1 - MAX_TRUST) / (categories.length + 1);
  const toProbability = (odd: number) => MAX_TRUST * (odd / sum) + residual;
  return { categories: categories.map(toProbability), notGarment: toProbability(notGarment) };
}

/** Probabilities of the categories and of "no garment"; they sum to 1. */
interface Belief {
  categories: readonly number[];
  notGarment: number;
}

type Branch = ReadonlySet<string> | undefined;

/** Factor on the odds of a category with this score; most have none. */
const factorOf = (score: number): number => (score === 0 ? 1 : Math.exp(VOTE_LOG_ODDS * score));

/** Weighs the votes of words. */
function believe(votes: readonly Vote[]): Belief {
  const sums = sumVotes(votes);
  return normalise({
    categories: sums.categories.map((score) => BASE_ODDS * factorOf(score)),
    notGarment: NOT_GARMENT_BASE_ODDS * factorOf(sums.notGarment),
  });
}

/** Lets a Google branch vote, in a row without any mention. */
function believeBranch(branch: ReadonlySet<string>, hints: Hints): Belief {
  const suggested = new Set([...branch].map((id) => refine('garment', id, hints)?.[1]));
  const voteOf = (id: string): number =>
    (branch.has(id) ? BRANCH_VOTE : 0) + (suggested.has(id) ? SUGGESTED_VOTE : 0);
  return normalise({
    categories: CATEGORY_IDS.map((id) => BASE_ODDS * factorOf(voteOf(id))),
    notGarment: NOT_GARMENT_BASE_ODDS,
  });
}

/** Makes what is outside of a Google branch less likely; an empty branch is no apparel. */
function within({ categories, notGarment }: Belief, branch: Branch): Belief {
  if (!branch) return { categories, notGarment };
  const isApparel = branch.size > 0;
  const odds = categories.map((belief, i) =>
    branch.has(CATEGORY_IDS[i] ?? '') ? belief : belief * OUTSIDE_BRANCH_FACTOR,
  );
  const noneOdds = isApparel ? notGarment * OUTSIDE_BRANCH_FACTOR : notGarment;
  const sum = odds.reduce((total, odd) => total + odd, noneOdds);
  return { categories: odds.map((odd) => odd / sum), notGarment: noneOdds / sum };
}

const average = (a: Belief, b: Belief): Belief => ({
  categories: a.categories.map((belief, i) => (belief + (b.categories[i] ?? 0)) / 2),
  notGarment: (a.notGarment + b.notGarment) / 2,
});

/** Everything that a column's nouns may name. */
const namedIn = (votes: readonly Vote[], name: Field['name']): string[] =>
  votes
    .filter(isIn(name))
    .filter(({ naming }) => naming.mention.weight >= MIN_NAMING_WEIGHT)
    .flatMap(({ ids }) => (ids.length > 0 ? ids : [NO_GARMENT]));

const namesSomething = (votes: readonly Vote[], name: Field['name']): boolean =>
  namedIn(votes, name).length > 0;

/** The columns that file the article. Where the title names none, the product type names it, and Google's files it. */
const filingColumns = (votes: readonly Vote[]): readonly CategoryColumn[] =>
  namesSomething(votes, 'title') ? CATEGORY_COLUMNS : ['google_product_category'];

/**
 * Returns the columns that file the article in another region than its title, or its product type, names it for, and
 * whether one of them cannot mean the same article.
 */
function findContradictions(
  votes: readonly Vote[],
  branch: Branch,
): { columns: CategoryColumn[]; isContradicted: boolean } {
  const title = namedIn(votes, 'title');
  const named = title.length > 0 ? title : namedIn(votes, 'product_type');
  if (named.length === 0) return { columns: [], isContradicted: false };
  const filed: Readonly<Record<CategoryColumn, readonly string[]>> = {
    product_type: namedIn(votes, 'product_type'),
    // A path in another language than English is read as words.
    google_product_category: !branch
      ? namedIn(votes, 'google_product_category')
      : branch.size > 0
        ? [...branch]
        : [NO_GARMENT],
  };
  const filing = filingColumns(votes).filter((column) => filed[column].length > 0);
  return {
    columns: filing.filter((column) => differ(named, filed[column])),
    isContradicted: filing.some((column) => contradict(named, filed[column])),
  };
}

/** Two columns that contradict each other are believed equally. */
function believeBoth(votes: readonly Vote[], branch: Branch, hints: Hints): Belief {
  const columns: readonly string[] = filingColumns(votes);
  const isFiling = ({ naming }: Vote): boolean => columns.includes(naming.field.name);
  const filing = votes.filter(isFiling);
  const filed = filing.length > 0 || !branch ? believe(filing) : believeBranch(branch, hints);
  return average(believe(votes.filter((vote) => !isFiling(vote))), within(filed, branch));
}

const indexOfMax = (values: readonly number[]): number =>
  values.reduce((best, value, i) => (value > (values[best] ?? 0) ? i : best), 0);

/** Describes how the likeliest category was named; undefined if no word does, or no category leads. */
function describeLead({ categories }: Belief, votes: readonly Vote[], model?: LinearModel) {
  const first = indexOfMax(categories);
  const lead = categories[first] ?? 0;
  const next = categories.reduce(
    (max, belief, i) => (i === first ? max : Math.max(max, belief)),
    0,
  );
  const id = CATEGORY_IDS[first] ?? '';
  const naming = votes.filter(({ ids }) => ids.includes(id));
  const strongest = naming.toSorted((a, b) => b.weight - a.weight)[0]?.naming;
  if (lead < MIN_LEAD * next || !strongest) return undefined;
  const features = featuresOf(strongest, {
    typeAgrees: strongest.field.name !== 'product_type' && naming.some(isIn('product_type')),
    support: supportOf(strongest.field.tokens, id, model),
  });
  return { first, lead, features, limit: limitOf(strongest) };
}

/** Gives the likeliest category its fitted confidence; the others share the rest. */
function calibrate(belief: Belief, votes: readonly Vote[], factor: number): Belief {
  const found = describeLead(belief, votes);
  if (!found || belief.notGarment > found.lead) return belief;
  const confidence = factor * confidenceOf(found.features, found.limit);
  // What a name does not say is said by an unknown one.
  const unknown = found.limit < 0.5 ? 1 - confidence : 0;
  const rest = (1 - confidence - unknown) / (1 - found.lead);
  return {
    categories: belief.categories.map((each, i) => (i === found.first ? confidence : each * rest)),
    notGarment: unknown + belief.notGarment * rest,
  };
}

/** Returns the kind of the thing that is named most clearly. */
const thingIn = (votes: readonly Vote[]): string | undefined =>
  votes
    .filter(({ ids }) => ids.length === 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ naming }) => naming.mention.match.entry.id)[0];

const unique = (matches: readonly TextMatch[]): TextMatch[] => [
  ...new Map(matches.map((match) => [`${match.field} ${match.span}`, match])).values(),
];

function matchesByCategory(votes: readonly Vote[]): Map<string, TextMatch[]> {
  const byCategory = new Map<string, TextMatch[]>();
  for (const { ids, matches } of votes.toSorted((a, b) => b.weight - a.weight)) {
    for (const id of ids.length > 0 ? ids : [NO_GARMENT]) {
      byCategory.set(id, unique([...(byCategory.get(id) ?? []), ...matches]));
    }
  }
  return byCategory;
}

/** Reads a row as far as both classifying it and fitting the model need it. */
function readVotes(row: FeedAttributes) {
  const google = row.google_product_category;
  const hint = google === undefined ? undefined : readGoogleCategory(google);
  const text = readRow(row, hint && 'text' in hint ? hint.text : undefined);
  const { attributes, hints } = readTextAttributes(row, text);
  const named = withWearer(collectVotes(text, hints));
  const pieces = piecesOf(named);
  const votes = withSet(named, pieces);
  const branch = hint && 'categories' in hint ? hint.categories : undefined;
  return { text, attributes, hints, votes, pieces, branch };
}

/**
 * Returns the features of the category that a row's words name, for fitting; undefined if none leads.
 * @param model the linear model that supports it; the shipped one by default
 */
export function describeNaming(
  row: FeedAttributes,
  model?: LinearModel,
): { id: string; features: Features } | undefined {
  const { votes } = readVotes(row);
  const found = describeLead(believe(votes), votes, model);
  return found && { id: CATEGORY_IDS[found.first] ?? '', features: found.features };
}

/** Weighs all evidence of a row. */
function weigh(
  { text, hints, votes, branch }: ReturnType<typeof readVotes>,
  isContradicted: boolean,
): Belief {
  if (isContradicted) return believeBoth(votes, branch, hints);
  if (votes.length === 0 && branch) return within(believeBranch(branch, hints), branch);
  return within(calibrate(believe(votes), votes, text.isForeign ? FOREIGN_FACTOR : 1), branch);
}

/**
 * Classifies a feed row by its words, and reads its attributes: colour, material, pattern, wearer. Pure and
 * deterministic; the order of the columns does not matter.
 */
export function classifyText(row: FeedAttributes): TextEvidence {
  const read = readVotes(row);
  const { text, attributes, votes, pieces, branch } = read;
  const { columns: contradictions, isContradicted } = findContradictions(votes, branch);
  const belief = weigh(read, isContradicted);
  return {
    ...belief,
    hasEvidence: votes.some(({ ids }) => ids.length > 0) || (branch?.size ?? 0) > 0,
    pieces,
    thing: thingIn(votes),
    contradictions,
    isContradicted,
    isForeign: text.isForeign,
    language: text.locale,
    matches: matchesByCategory(votes),
    attributes,
  };
}
