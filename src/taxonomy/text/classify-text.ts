import { CATEGORY_IDS, type Locale } from '../dictionary/schema.ts';
import { average, type Belief, indexOfMax } from '../odds.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { type Branch, believe, believeBranch, within } from './belief.ts';
import { confidenceOf } from './confidence.ts';
import { contradict, differ, NO_GARMENT } from './contradictions.ts';
import { type Features, featuresOf } from './features.ts';
import { type Field, readRow, type TextMatch } from './fields.ts';
import { readGoogleCategory } from './google.ts';
import { limitOf } from './open-names.ts';
import { type LinearModel, opinionOf, supportOf } from './second-opinion.ts';
import { type Hints, readTextAttributes, type TextAttributes } from './text-attributes.ts';
import { collectVotes, isIn, namedIn, piecesOf, type Vote, withSet, withWearer } from './votes.ts';

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

/** A category that is this many times as likely as the next one gets the confidence of the fitted model. */
const MIN_LEAD = 3;
/** Factor on the confidence in a text of an unsupported language: shared words may mislead. */
const FOREIGN_FACTOR = 0.5;
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

/** Describes how a category was named; undefined if no word does. */
function describe(votes: readonly Vote[], at: number, model?: LinearModel) {
  const id = CATEGORY_IDS[at] ?? '';
  const naming = votes.filter(({ ids }) => ids.includes(id));
  const strongest = naming.toSorted((a, b) => b.weight - a.weight)[0]?.naming;
  if (!strongest) return undefined;
  const typeAgrees = strongest.field.name !== 'product_type' && naming.some(isIn('product_type'));
  const opinion = opinionOf(strongest.field.tokens, model);
  const named = { id, typeAgrees, ...supportOf(opinion, at) };
  const limit = limitOf(strongest, named);
  return { first: at, features: featuresOf(strongest, named), limit, opinion };
}

/** The linear model overrules a name for another in the row that it gives so much, if it gives the first so little. */
const OVERRULING = { least: 0.8, most: 0.05 } as const;
/** Of what a name may be, it decides for what it gives so much. */
const MIN_DECIDING = 0.75;
/** What it alone prefers is never sure. */
const MAX_PREFERRED = 0.89;

const indicesOf = (votes: readonly Vote[]): number[] =>
  votes.flatMap(({ ids }) => ids.map((id) => CATEGORY_IDS.indexOf(id)));

/** Describes how the likeliest category was named; undefined if no word does, or no category leads. */
function describeLead({ categories }: Belief, votes: readonly Vote[], model?: LinearModel) {
  const leader = describe(votes, indexOfMax(categories), model);
  if (!leader || leader.limit < 0.5) return leader;
  const { first, opinion, features } = leader;
  const beliefIn = (at: number): number => opinion[at] ?? 0;
  const likeliest = (among: readonly Vote[]): number =>
    indicesOf(among).reduce((a, b) => (beliefIn(b) > beliefIn(a) ? b : a), first);
  const preferred = (best: number) => {
    const other = describe(votes, best, model);
    const isNamed = other && other.limit >= 0.5;
    return isNamed ? { ...other, limit: Math.min(other.limit, MAX_PREFERRED) } : leader;
  };
  const lead = categories[first] ?? 0;
  if (categories.some((each, at) => at !== first && lead < MIN_LEAD * each)) {
    // "Slim Weste anthrazit": a padded one, or that of a suit. "Boot and glove dryer": none of the names says what it is.
    const open = votes.filter(
      ({ ids }) => ids.length > 1 && ids.includes(CATEGORY_IDS[first] ?? ''),
    );
    const best = likeliest(open);
    return open.length > 0 && beliefIn(best) >= MIN_DECIDING ? preferred(best) : undefined;
  }
  // "Chelsea Peers pyjama", unless the product type agrees with the first.
  const best = likeliest(votes.filter(({ naming }) => naming.mention.role === undefined));
  const isOverruled = beliefIn(best) >= OVERRULING.least && beliefIn(first) < OVERRULING.most;
  return isOverruled && !features.typeAgrees ? preferred(best) : leader;
}

/** Of what is left beside an unknown name's category, for no garment. */
const UNKNOWN_SHARE = 0.999;

/** Gives the likeliest category its fitted confidence; the others share the rest. */
function calibrate(belief: Belief, votes: readonly Vote[], factor: number): Belief {
  const found = describeLead(belief, votes);
  if (!found || belief.notGarment > (belief.categories[indexOfMax(belief.categories)] ?? 0))
    return belief;
  const confidence = factor * confidenceOf(found.features, found.limit);
  // What a name does not say is said by an unknown one; nothing is impossible.
  const unknown = found.limit < 0.5 ? UNKNOWN_SHARE * (1 - confidence) : 0;
  const rest = (1 - confidence - unknown) / (1 - (belief.categories[found.first] ?? 0));
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

const isSame = (a: TextMatch, b: TextMatch): boolean =>
  a.field === b.field && a.span[0] === b.span[0] && a.span[1] === b.span[1];

function matchesByCategory(votes: readonly Vote[]): Map<string, TextMatch[]> {
  const byCategory = new Map<string, TextMatch[]>();
  for (const { ids, matches } of votes.toSorted((a, b) => b.weight - a.weight)) {
    for (const id of ids.length > 0 ? ids : [NO_GARMENT]) {
      const found = byCategory.get(id) ?? [];
      for (const match of matches) {
        const at = found.findIndex((other) => isSame(other, match));
        found[at < 0 ? found.length : at] = match;
      }
      byCategory.set(id, found);
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

/** What the linear model must give a category at least, 0–1, in a title of wear without a name, and in any other. */
const MIN_OPINION = { wear: 0.65, any: 0.75 } as const;
/** What its probability is worth beside that of a name. */
const OPINION_FACTOR = 0.85;

/** "Mens no-show 3-pack": what the linear model takes a title for in which no word names anything. */
function opinionAlone({ text, votes, branch }: ReturnType<typeof readVotes>): Belief | undefined {
  const title = text.fields.find(({ name }) => name === 'title');
  if (!title || votes.length > 0 || branch || text.isForeign) return undefined;
  const classes = [...opinionOf(title.tokens)].map((each) => OPINION_FACTOR * each);
  const categories = classes.slice(0, -1);
  const least = MIN_OPINION[title.isWear ? 'wear' : 'any'];
  if (Math.max(...categories) < OPINION_FACTOR * least) return undefined;
  return { categories, notGarment: 1 - categories.reduce((a, b) => a + b, 0) };
}

/** Whether nothing but Google's category contradicts the names, and has what they are taken for together. */
function isFiledAsNamed({ votes, branch }: ReturnType<typeof readVotes>): boolean {
  if (!branch || findContradictions(votes, undefined).isContradicted) return false;
  const lead = describeLead(believe(votes), votes);
  return lead !== undefined && branch.has(CATEGORY_IDS[lead.first] ?? '');
}

/** Weighs all evidence of a row. */
function weigh(
  { text, hints, votes, branch }: ReturnType<typeof readVotes>,
  isContradicted: boolean,
  opinion: Belief | undefined,
): Belief {
  if (opinion) return opinion;
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
  const { columns: contradictions, ...found } = findContradictions(votes, branch);
  const isContradicted = found.isContradicted && !isFiledAsNamed(read);
  const opinion = opinionAlone(read);
  const belief = weigh(read, isContradicted, opinion);
  return {
    ...belief,
    hasEvidence:
      opinion !== undefined || votes.some(({ ids }) => ids.length > 0) || (branch?.size ?? 0) > 0,
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
