import { LOCALES, type Locale } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { analyseClauses, type ClauseMatch, isArticleNoun } from './clauses.ts';
import { isKnownWord, languageVotes } from './detect-language.ts';
import { type Lexicon, lexiconOf } from './lexicon.ts';
import { grammarWords } from './lexicon-files.ts';
import { isInside, type Match, scan, withOtherLanguages } from './scan.ts';
import { hasSize } from './sizes.ts';
import { type Token, tokenize } from './tokens.ts';

/** A column of a feed row with its language and matches. */
export interface Field {
  name: FieldName;
  text: string;
  locale: Locale;
  tokens: readonly Token[];
  clauseMatches: readonly ClauseMatch[];
  /** False if the most likely language names no article and another one does. */
  isMainLanguage: boolean;
  /** Votes for the languages, in the order of LOCALES. */
  votes: readonly number[];
  /** For each token, whether it is a word of the language. */
  isKnown: readonly boolean[];
  /** Words that no language and no maker's name has: each may be what the text is about. */
  unknown: ReadonlySet<number>;
  /** Whether it says what only wear has: a wearer, a maker of clothes, a size. */
  isWear: boolean;
}

type FieldName = 'title' | 'product_type' | 'google_product_category' | 'description';

/** A match in the row. `span`: UTF-16 units of that column's text, end excluded. */
export interface TextMatch {
  field: string;
  match: string;
  span: readonly [number, number];
  language: Locale;
}

/** Only the start is read: a long description repeats itself and names what the article is worn with. */
const MAX_DESCRIPTION_CHARACTERS = 1000;
/** Weight of the title's language votes for another column. */
const TITLE_WEIGHT = 0.5;
/** Votes of the row's main language for a column. */
const MAIN_LANGUAGE_WEIGHT = 0.25;
/** Factor on a column's votes for the language the row declares. */
const DECLARED_FACTOR = 9;

/** Returns the language a row declares, if it is supported. */
function declaredLocale(language: string | undefined): Locale | undefined {
  const wanted = language?.slice(0, 2).toLowerCase();
  return LOCALES.find((locale) => locale === wanted);
}

/** Only descriptions suggest pairings; in a title, "match" means nothing. */
const isNotPairing = ({ entry }: Match): boolean => entry.id !== 'pair';

const strongestLocale = (votes: readonly number[]): Locale =>
  LOCALES[votes.indexOf(Math.max(...votes))] ?? 'en';

const isOfWear = ({ match: { entry }, negated }: ClauseMatch): boolean =>
  entry.kind === 'brand' || (!negated && entry.id.startsWith('gender:'));

const NO_WORDS: ReadonlySet<number> = new Set();
/** A word that may be a noun: no number, size or code. */
const PLAIN_WORD = /^[a-z]{4,}$/;

/** Returns for each token whether it is known, and the words that say nothing in any language: the head may be one. */
function knownAndUnknown(
  tokens: readonly Token[],
  matches: readonly Match[],
  { surfaces, languageWeights }: Lexicon,
  brand: string | undefined,
): Pick<Field, 'isKnown' | 'unknown'> {
  const makers = new Set(tokenize(brand ?? '').map(({ text }) => text));
  const isMatched = tokens.map(() => false);
  for (const { first, last, by } of matches)
    if (by !== 'open') isMatched.fill(true, first, last + 1);
  const isUnknown = (text: string, at: number): boolean =>
    !isMatched[at] && PLAIN_WORD.test(text) && !isKnownWord(text) && !makers.has(text);
  return {
    isKnown: tokens.map(
      ({ text }, at) => isMatched[at] || surfaces.has(text) || languageWeights.has(text),
    ),
    unknown: new Set(tokens.flatMap(({ text }, at) => (isUnknown(text, at) ? [at] : []))),
  };
}

/** The words of a row's columns, each column in the language it seems to be written in. */
export interface RowText {
  fields: readonly Field[];
  /** The row's main language; undefined if it could not be detected. */
  locale: Locale | undefined;
  /** Whether it seems to be written in a language that is not supported. */
  isForeign: boolean;
  /** Scans a short column (colour, material) in the language with the most matches of a kind. */
  read(text: string, wanted: Match['entry']['kind']): { tokens: Token[]; matches: Match[] };
}

/**
 * Scans in the most likely language. If that names no article, the next one may, but only with words as they are
 * written: "Pantalón wide leg" may need the second.
 */
function scanInBestLanguage(
  locales: readonly Locale[],
  tokens: readonly Token[],
): { locale: Locale; matches: readonly Match[]; isFirst: boolean } {
  const [first = 'en', ...others] = locales;
  const lexicon = lexiconOf(first);
  const matches = withOtherLanguages(tokens, scan(tokens, lexicon), lexicon);
  const own = { locale: first, matches, isFirst: true };
  if (own.matches.some(isArticleNoun)) return own;
  // A maker's name is no word of another language: "Gant".
  const makers = matches.filter(({ entry }) => entry.kind === 'brand');
  const isFree = (match: Match): boolean =>
    match.entry.kind === 'brand' || !makers.some((maker) => isInside(match, maker));
  for (const locale of others) {
    const matches = scan(tokens, lexiconOf(locale), false).filter(isFree);
    if (matches.some(isArticleNoun)) return { locale, matches, isFirst: false };
  }
  return own;
}

/** Removes the nouns of the maker's name, if other nouns remain: "Cap Horn jacket", "Shirts & Co. sweater". */
function withoutBrand(
  matches: readonly Match[],
  tokens: readonly Token[],
  brand: string | undefined,
): readonly Match[] {
  const words = tokenize(brand ?? '').map(({ text }) => text);
  const first = words[0];
  const starts = tokens.flatMap(({ text }, at) =>
    text === first && words.every((word, i) => tokens[at + i]?.text === word) ? [at] : [],
  );
  const isOther = (match: Match): boolean =>
    !isArticleNoun(match) ||
    (!grammarWords('company', 'en').has(tokens[match.last + 1]?.text ?? '') &&
      !starts.some((start) => start <= match.first && match.last < start + words.length));
  const others = matches.filter(isOther);
  return others.some(isArticleNoun) ? others : matches;
}

/** Reads the text columns of a row. @param googleWords a category path that is not English, read as a product type */
export function readRow(row: FeedAttributes, googleWords: string | undefined): RowText {
  const columns: readonly (readonly [FieldName, string | undefined])[] = [
    ['title', row.title],
    ['product_type', row.product_type],
    ['google_product_category', googleWords],
    ['description', row.description?.slice(0, MAX_DESCRIPTION_CHARACTERS)],
  ];
  const present = columns.flatMap(([name, text]) =>
    text === undefined ? [] : [{ name, text, tokens: tokenize(text) }],
  );
  const allVotes = present.map(({ text, tokens }) => languageVotes(text, tokens));
  const votes = allVotes.map(({ own }) => own);
  const total = LOCALES.map((_, i) => votes.reduce((sum, vote) => sum + (vote[i] ?? 0), 0));
  const declared = declaredLocale(row.language);
  const main = declared ?? strongestLocale(total);

  /** Returns how likely each language is for a column. */
  const weightsOf = (own: readonly number[]): number[] =>
    LOCALES.map((locale, i) => {
      const isMain = locale === main ? MAIN_LANGUAGE_WEIGHT : 0;
      const isDeclared = locale === declared ? DECLARED_FACTOR : 0;
      return (own[i] ?? 0) * (1 + isDeclared) + TITLE_WEIGHT * (votes[0]?.[i] ?? 0) + isMain;
    });
  /** Returns the possible languages, the most likely first. */
  const localesOf = (weights: readonly number[]): Locale[] =>
    LOCALES.map((locale, i) => ({ locale, weight: weights[i] ?? 0 }))
      .filter(({ locale, weight }) => weight > 0 || locale === main)
      .sort((a, b) => b.weight - a.weight)
      .map(({ locale }) => locale);
  const fields = present.map(({ name, text, tokens }, i) => {
    const weights = weightsOf(votes[i] ?? []);
    const { locale, matches, isFirst } = scanInBestLanguage(localesOf(weights), tokens);
    const named = withoutBrand(matches, tokens, row.brand);
    const usable = name === 'description' ? named : named.filter(isNotPairing);
    const known = knownAndUnknown(tokens, matches, lexiconOf(locale), row.brand);
    const unknown = name === 'title' ? known.unknown : NO_WORDS;
    const clauseMatches = analyseClauses(tokens, usable, unknown, locale);
    const isWear = clauseMatches.some(isOfWear) || hasSize(tokens);
    return {
      name,
      text,
      locale,
      tokens,
      clauseMatches,
      isMainLanguage: isFirst,
      votes: weights,
      isWear,
      ...known,
    };
  });

  const read: RowText['read'] = (text, wanted) => {
    const tokens = tokenize(text);
    const readWith = (lexicon: Lexicon) => {
      const matches = scan(tokens, lexicon);
      const count = matches.filter(({ entry }) => entry.kind === wanted).length;
      return { tokens, matches, count };
    };
    const first = readWith(lexiconOf(main));
    if (first.count > 0) return first;
    return LOCALES.map(lexiconOf)
      .map(readWith)
      .reduce((a, b) => (b.count > a.count ? b : a), first);
  };
  const [first = 0, second = 0] = total.toSorted((a, b) => b - a);
  const isKnown = declared !== undefined || first > second;
  const foreign = allVotes.reduce((sum, vote) => sum + vote.foreign, 0);
  const isForeign = declared === undefined && foreign > first;
  return { fields, locale: isKnown && !isForeign ? main : undefined, isForeign, read };
}

/** Converts a match to the span and text of its column. */
export function toTextMatch(
  field: Pick<Field, 'text' | 'locale' | 'tokens'> & { name: string },
  match: Match,
): TextMatch {
  const start = field.tokens[match.first]?.start ?? 0;
  const end = field.tokens[match.last]?.end ?? start;
  return {
    field: field.name,
    match: field.text.slice(start, end),
    span: [start, end],
    language: field.locale,
  };
}
