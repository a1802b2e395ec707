import { CATEGORY_IDS, dictionary, type Locale } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { type Field, type FoundAt, foundAt, type RowText, readRow } from './fields.ts';
import { readGoogleCategory } from './google.ts';
import { type Reading, type Thing, weighThings } from './heads.ts';
import { refine } from './refine.ts';
import { type Hints, readTextAttributes, type TextAttributes } from './text-attributes.ts';

/** What a feed row says of its article. */
export interface TextEvidence {
  /** Probability of each category, in the order of CATEGORY_IDS. With `notGarment` they sum to 1. */
  categories: readonly number[];
  /** Probability that the row sells no garment of the dictionary at all. */
  notGarment: number;
  /** Whether any word or id spoke for a garment. */
  speaks: boolean;
  /** The row's main language; undefined where no word gave it away. */
  language: Locale | undefined;
  /** For each category id that a word spoke for: where the words stand, the strongest first. */
  found: ReadonlyMap<string, readonly FoundAt[]>;
  attributes: TextAttributes;
}

const COLUMN_WEIGHTS: Readonly<Record<Field['name'], number>> = {
  title: 1,
  product_type: 0.75,
  google_product_category: 0.5,
  description: 0.3,
};
/** Where title and product type name nothing, the other columns are all there is. */
const WEIGHTS_ALONE: typeof COLUMN_WEIGHTS = {
  ...COLUMN_WEIGHTS,
  google_product_category: 0.75,
  description: 0.7,
};
const READINGS: Readonly<Record<Field['name'], Reading>> = {
  title: 'title',
  product_type: 'path',
  google_product_category: 'path',
  description: 'title',
};
/** In a description, only its first things are likely to be the article. */
const DESCRIPTION_THINGS = 2;

/** Log-odds that a fully weighted word gives its category. */
const SHARPNESS = 9;
/** A category that nothing speaks for, and "no garment" against it. */
const BASE = 0.3;
const NOT_GARMENT_BASE = 30;
/** A category outside the row's own Google branch keeps this much of its odds. */
const OUTSIDE_BRANCH = 0.05;
/** A Google branch alone, with no word that names a thing, speaks this much for its categories. */
const BRANCH_SPEAKS = 0.6;
/** What the branch's own general names become with the row's further words ("denim" among pants). */
const SUGGESTED = 0.3;
/** No row is believed more than this: words mislead, sellers err. */
const MOST_TRUST = 0.97;

const indexOf = new Map(CATEGORY_IDS.map((id, i) => [id, i]));
const members = new Map(
  dictionary.categoryGroups.map(({ id }) => [
    id,
    dictionary.categories.filter(({ parentId }) => parentId === id).map((category) => category.id),
  ]),
);

/** A vote of a column's word for some categories, or for none of them. */
interface Vote {
  /** Empty: it names something that is no garment. */
  ids: readonly string[];
  weight: number;
  field: Field['name'];
  /** The word, and what made a more special category of it. */
  at: readonly FoundAt[];
}

function voteOf(field: Field, { match, weight }: Thing, column: number, hints: Hints): Vote {
  const vote = { weight: weight * column, field: field.name };
  const { kind, id } = match.entry;
  const at = foundAt(field, match);
  if (kind !== 'garment' && kind !== 'group') return { ...vote, ids: [], at: [at] };
  const [hint, refined] = refine(kind, id, hints) ?? [];
  const because = hint && hints.get(hint);
  if (refined && because) return { ...vote, ids: [refined], at: [at, because] };
  return { ...vote, ids: kind === 'garment' ? [id] : (members.get(id) ?? []), at: [at] };
}

/** The things each column names; of a long description, only the first. */
function thingsOf(field: Field): Thing[] {
  const things = weighThings(field.tokens, field.placed, field.locale, READINGS[field.name]);
  const named = things.filter(({ weight }) => weight > 0);
  return field.name === 'description' ? named.slice(0, DESCRIPTION_THINGS) : named;
}

function votesOf({ fields }: RowText, hints: Hints): Vote[] {
  const columns = fields.map((field) => ({ field, things: thingsOf(field) }));
  const isNamed = columns.some(
    ({ field: { name }, things }) =>
      (name === 'title' || name === 'product_type') && things.length > 0,
  );
  const weights = isNamed ? COLUMN_WEIGHTS : WEIGHTS_ALONE;
  return columns.flatMap(({ field, things }) =>
    things.map((thing) => voteOf(field, thing, weights[field.name], hints)),
  );
}

/** Adds votes up; several words of one column for the same category count as its strongest. */
function scores(votes: readonly Vote[]): { categories: number[]; notGarment: number } {
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

/** Odds to probabilities, none of which is believed more than MOST_TRUST. */
function normalise(odds: readonly number[], notGarmentOdds: number) {
  const sum = odds.reduce((a, b) => a + b, notGarmentOdds);
  const doubt = (1 - MOST_TRUST) / (odds.length + 1);
  const trusted = (odd: number) => MOST_TRUST * (odd / sum) + doubt;
  return { categories: odds.map(trusted), notGarment: trusted(notGarmentOdds) };
}

const unique = (places: readonly FoundAt[]): FoundAt[] => [
  ...new Map(places.map((place) => [`${place.field} ${place.span}`, place])).values(),
];

function whereFound(votes: readonly Vote[]): Map<string, FoundAt[]> {
  const found = new Map<string, FoundAt[]>();
  for (const { ids, at } of votes.toSorted((a, b) => b.weight - a.weight)) {
    for (const id of ids) found.set(id, unique([...(found.get(id) ?? []), ...at]));
  }
  return found;
}

/**
 * Reads a feed row: which garment its words name, and what they say of colour, stuff, pattern and
 * wearer. Pure and deterministic; the order of the columns does not matter.
 */
export function classifyText(row: FeedAttributes): TextEvidence {
  const google = row.google_product_category;
  const hint = google === undefined ? undefined : readGoogleCategory(google);
  const text = readRow(row, hint && 'words' in hint ? hint.words : undefined);
  const { attributes, hints } = readTextAttributes(row, text);
  const votes = votesOf(text, hints);
  const score = scores(votes);
  const among = hint && 'among' in hint ? hint.among : undefined;
  const filed = votes.length > 0 ? undefined : among;
  const suggested = new Set([...(filed ?? [])].map((id) => refine('garment', id, hints)?.[1]));
  const odds = CATEGORY_IDS.map((id, i) => {
    const isHome = among?.has(id) ?? true;
    const says =
      (score.categories[i] ?? 0) +
      (filed?.has(id) ? BRANCH_SPEAKS : 0) +
      (suggested.has(id) ? SUGGESTED : 0);
    return BASE * Math.exp(SHARPNESS * says) * (isHome ? 1 : OUTSIDE_BRANCH);
  });
  const apparelOdds =
    among === undefined ? 1 : among.size > 0 ? OUTSIDE_BRANCH : 1 / OUTSIDE_BRANCH;
  const notGarmentOdds = NOT_GARMENT_BASE * apparelOdds * Math.exp(SHARPNESS * score.notGarment);
  return {
    ...normalise(odds, notGarmentOdds),
    speaks: votes.some(({ ids }) => ids.length > 0) || (among?.size ?? 0) > 0,
    language: text.locale,
    found: whereFound(votes),
    attributes,
  };
}
