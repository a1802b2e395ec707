import { LOCALES, type Locale } from '../dictionary/schema.ts';
import type { FeedAttributes } from '../request-schema.ts';
import { isThing, type Placed, placeMatches } from './clauses.ts';
import { type Lexicon, languageVotes, lexiconOf } from './lexicon.ts';
import { type Match, scan } from './scan.ts';
import { type Token, tokenize } from './tokens.ts';

/** A column of a feed as the classifier reads it: in which language, and what was found in it. */
export interface Field {
  name: FieldName;
  text: string;
  locale: Locale;
  tokens: readonly Token[];
  placed: readonly Placed[];
}

export type FieldName = 'title' | 'product_type' | 'google_product_category' | 'description';

/** Where in the row something was found. `span`: UTF-16 units of that column's text, end excluded. */
export interface FoundAt {
  field: string;
  match: string;
  span: readonly [number, number];
  language: Locale;
}

/** A long description repeats itself, and names what the article is worn with. */
const MAX_DESCRIPTION_CHARACTERS = 1000;
/** How much the language of the title speaks for that of another column. */
const TITLE_SAYS = 0.5;
/** The row's main language and the one it declares speak for a column too. */
const MAIN_SAYS = 0.25;
const DECLARED_SAYS = 9;

/** The language a row declares, where it is one of ours. */
function declaredLocale(language: string | undefined): Locale | undefined {
  const wanted = language?.slice(0, 2).toLowerCase();
  return LOCALES.find((locale) => locale === wanted);
}

/** What to wear an article with is a matter of descriptions; in a title, "match" means nothing. */
const isNoAdvice = ({ entry }: Match): boolean => entry.id !== 'pair';

const best = (votes: readonly number[]): Locale =>
  LOCALES[votes.indexOf(Math.max(...votes))] ?? 'en';

/** The words of a row's columns, each column in the language it seems to be written in. */
export interface RowText {
  fields: readonly Field[];
  /** The row's main language; undefined where no word gave it away. */
  locale: Locale | undefined;
  /** Reads a short column (colour, material) in the language in which it says most. */
  read(text: string, wanted: Match['entry']['kind']): { tokens: Token[]; matches: Match[] };
}

/** "Pantalón wide leg": where the likeliest language names nothing, the next one may. */
function readAs(
  locales: readonly Locale[],
  tokens: readonly Token[],
): { locale: Locale; matches: readonly Match[] } {
  const readings: { locale: Locale; matches: readonly Match[] }[] = [];
  for (const locale of locales) {
    const reading = { locale, matches: scan(tokens, lexiconOf(locale)) };
    if (reading.matches.some(isThing)) return reading;
    readings.push(reading);
  }
  return readings[0] ?? { locale: 'en', matches: [] };
}

/** @param googleWords a category path that is not English, to be read like a product type */
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
  const votes = present.map(({ tokens }) => languageVotes(tokens));
  const total = LOCALES.map((_, i) => votes.reduce((sum, vote) => sum + (vote[i] ?? 0), 0));
  const declared = declaredLocale(row.language);
  const main = declared ?? best(total);

  /** The languages a column could be in, the likeliest first. */
  const localesOf = (own: readonly number[]): Locale[] => {
    const weights = LOCALES.map((locale, i) => {
      const isMain = locale === main ? MAIN_SAYS : 0;
      const isDeclared = locale === declared ? DECLARED_SAYS : 0;
      return (own[i] ?? 0) * (1 + isDeclared) + TITLE_SAYS * (votes[0]?.[i] ?? 0) + isMain;
    });
    return LOCALES.map((locale, i) => ({ locale, weight: weights[i] ?? 0 }))
      .filter(({ locale, weight }) => weight > 0 || locale === main)
      .sort((a, b) => b.weight - a.weight)
      .map(({ locale }) => locale);
  };
  const fields = present.map(({ name, text, tokens }, i) => {
    const { locale, matches } = readAs(localesOf(votes[i] ?? []), tokens);
    const told = name === 'description' ? matches : matches.filter(isNoAdvice);
    return { name, text, locale, tokens, placed: placeMatches(tokens, told) };
  });

  const read: RowText['read'] = (text, wanted) => {
    const tokens = tokenize(text);
    const readWith = (lexicon: Lexicon) => {
      const matches = scan(tokens, lexicon);
      const said = matches.filter(({ entry }) => entry.kind === wanted).length;
      return { tokens, matches, said };
    };
    const first = readWith(lexiconOf(main));
    if (first.said > 0) return first;
    return LOCALES.map(lexiconOf)
      .map(readWith)
      .reduce((a, b) => (b.said > a.said ? b : a), first);
  };
  const [most = 0, next = 0] = total.toSorted((a, b) => b - a);
  const isKnown = declared !== undefined || most > next;
  return { fields, locale: isKnown ? main : undefined, read };
}

/** The place of a match in its column, in words that can be shown. */
export function foundAt(
  field: Pick<Field, 'text' | 'locale' | 'tokens'> & { name: string },
  match: Match,
): FoundAt {
  const start = field.tokens[match.first]?.start ?? 0;
  const end = field.tokens[match.last]?.end ?? start;
  return {
    field: field.name,
    match: field.text.slice(start, end),
    span: [start, end],
    language: field.locale,
  };
}
