import { LOCALES, type Locale } from '../dictionary/schema.ts';
import { lazily, remembered } from '../lazily.ts';
import { readTable } from '../tables.ts';
import type { ClauseMatch } from './clauses.ts';
import { COMPOUNDING } from './compounds.ts';
import type { Naming } from './features.ts';
import type { Field } from './fields.ts';
import { lexiconOf } from './lexicon.ts';
import { grammarWords } from './lexicon-files.ts';
import { isListed } from './rules.ts';
import type { Match } from './scan.ts';
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';

/** Nouns of data/taxonomy/nouns.tsv: those of a language as they are written, and after its name by their stems. */
const nouns = lazily(() => {
  const sets = new Set<string>();
  for (const [words = '', locale = ''] of readTable('taxonomy/nouns'))
    for (const word of words.split(' '))
      sets.add(`${locale} ${word}`).add(`${locale}  ${stem(word, locale as Locale)}`);
  return sets;
});

/** A noun that ends a compound has at least this many letters, and so many stand before it. */
const MIN_LAST_CHARS = 5;
const MIN_FIRST_CHARS = 3;

function isNounOf(locale: Locale, word: string): boolean {
  if (nouns().has(`${locale}  ${stem(word, locale)}`)) return true;
  if (!COMPOUNDING.includes(locale)) return false;
  for (let at = MIN_FIRST_CHARS; at <= word.length - MIN_LAST_CHARS; at++)
    if (nouns().has(`${locale} ${word.slice(at)}`)) return true;
  return false;
}

const lookUps = new Map(
  LOCALES.map((locale) => [locale, remembered((word) => isNounOf(locale, word))]),
);

/**
 * Whether a word that the lexicon lacks names a thing that nobody wears, in a language or in English.
 * @param isOwn only in the language
 */
const namesThing = (word: string, locale: Locale, isOwn = false): boolean =>
  lookUps.get(locale)?.(word) || (!isOwn && lookUps.get('en')?.(word)) || false;

/** Whether a match says something of certain kinds, and does not deny it. */
export const isCue = (kinds: RegExp) => (clauseMatch: ClauseMatch) =>
  clauseMatch.match.entry.kind === 'cue' &&
  kinds.test(clauseMatch.match.entry.id) &&
  !clauseMatch.negated;

/** Whether a match tells who wears it. */
export const isPerson = isCue(/^(gender|ageGroup|print):/);

/** Whether a garment's name is that of things too: bags, suits. */
const hasOpenName = ({ entry }: Match): boolean => isListed('garments', 'open', entry.id);

/** Whether a word that the lexicon lacks names a thing. @param isOwn only in the text's language, not in English */
const isOpenThing = (
  { clauseMatches, tokens, locale }: Field,
  at: number,
  isOwn = false,
): boolean =>
  namesThing(tokens[at]?.text ?? '', locale, isOwn) &&
  !clauseMatches.some(
    ({ match: { first, last, by } }) => first <= at && at <= last && by !== 'open',
  );

const isLinking = (word: string): boolean =>
  ['role:with', 'role:for', 'role:of'].some((role) => grammarWords(role, 'en').has(word));

const continues = ({ tokens }: Field, at: number): boolean =>
  at < tokens.length && !/break|sentence/.test(tokens[at]?.before ?? 'break');

/** A noun tells which detail follows within so many words: "funnel neck", "window pane check". */
const DETAIL_SCOPE = 2;

function isOfDetail({ tokens }: Field, at: number): boolean {
  const isDetail = ({ text }: Token): boolean =>
    grammarWords('facet', 'en').has(text) ||
    (lexiconOf('en').singles.get(text) ?? []).some(({ kind }) => /^(detail|pattern)$/.test(kind));
  return tokens.slice(at, at + 1 + DETAIL_SCOPE).some(isDetail);
}

/** "Sock knitting machine", "hose reel". */
export function isBeforeThing({ field, mention: { match } }: Naming): boolean {
  if (field.locale !== 'en' || field.isWear) return false;
  for (let at = match.last + 1; continues(field, at); at++) {
    if (isLinking(field.tokens[at]?.text ?? '')) return false;
    if (isOpenThing(field, at) && !isOfDetail(field, at)) return true;
  }
  return false;
}

/** Whether a garment is named before: then what is between them is no head. */
const isAfterGarment = ({ mention, mentions }: Naming): boolean =>
  mentions.some(
    ({ match: { entry, first } }) => entry.kind === 'garment' && first < mention.match.first,
  );

/** "Perfume falda": the first noun is the head. */
export function isAfterThing(naming: Naming): boolean {
  const { field, mention } = naming;
  const { match } = mention;
  if (field.isWear || isAfterGarment(naming)) return false;
  if (field.locale === 'en') return hasOpenName(match) && isOpenThing(field, match.first - 1);
  for (let at = match.first - 1; at >= 0; at--) {
    if (isOpenThing(field, at, true)) return true;
    if (!continues(field, at)) return false;
  }
  return false;
}

/** "Kappe Ventil". */
const isThing = ({ match: { entry } }: ClauseMatch): boolean => entry.kind === 'notGarment';

/** The words before what it has: "gloves with touchscreen". */
export function mainWords({ tokens, locale }: Field): readonly Token[] {
  const end = tokens.findIndex(({ text }) => grammarWords('role:with', locale).has(text));
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** What things are seldom said to have: sleeves, a weight, a size. Of use, and of legs, is either. */
const isDescription = ({ match: { entry } }: ClauseMatch): boolean =>
  /^(colour|material|pattern|cue)$/.test(entry.kind) && !/^(use|wearer):/.test(entry.id);

export const saysNoMore = ({ field }: Naming): boolean =>
  !field.isWear && !field.clauseMatches.some(isDescription);

/** "Bolsas de basura", "botte de radis": what it is for, or of, is unknown. */
export const isBareOfUnknown = (naming: Naming): boolean => {
  const { field, mention } = naming;
  const after = mention.match.last + 1;
  const isPurpose = grammarWords('purpose', field.locale).has(field.tokens[after]?.text ?? '');
  const isNext = (each: ClauseMatch) => isThing(each) && each.match.first === after + 1;
  const isOfOther = field.unknown.has(after + 1) || field.clauseMatches.some(isNext);
  return isPurpose && isOfOther && saysNoMore(naming);
};
