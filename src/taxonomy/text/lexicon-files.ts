import { LOCALES, type Locale } from '../dictionary/schema.ts';
import { readTable } from '../tables.ts';

const EVERY_LANGUAGE = '*';

/** A word or phrase, and what it means: a category, an attribute or a part in a sentence. */
export interface LexiconWord {
  languages: readonly Locale[];
  word: string;
  meaning: string;
}

/** Reads a file of words of data/lexicon, that translators edit; docs/how-to-add.md says how. */
export const readWords = (name: string): LexiconWord[] =>
  readTable(`lexicon/${name}`).map(([language = '', word = '', meaning = '']) => ({
    languages: language === EVERY_LANGUAGE ? LOCALES : LOCALES.filter((each) => each === language),
    word,
    meaning,
  }));

/** Returns the words of a language with a meaning. */
export const wordsFor = (words: readonly LexiconWord[], locale: Locale, meaning: string) =>
  words
    .filter((each) => each.meaning === meaning && each.languages.includes(locale))
    .map(({ word }) => word);
