import { LOCALES, type Locale } from '../dictionary/schema.ts';
import { lazily, remembered } from '../lazily.ts';
import { readTable } from '../tables.ts';
import { COMPOUNDING } from './compounds.ts';
import { stem } from './stem.ts';

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
export const namesThing = (word: string, locale: Locale, isOwn = false): boolean =>
  lookUps.get(locale)?.(word) || (!isOwn && lookUps.get('en')?.(word)) || false;
