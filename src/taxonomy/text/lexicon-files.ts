import { readFileSync } from 'node:fs';
import { LOCALES, type Locale } from '../dictionary/schema.ts';

/** The files of words that translators edit; docs/how-to-add.md says how. */
const FOLDER = new URL('../../../data/lexicon/', import.meta.url);

const EVERY_LANGUAGE = '*';

/** A word or phrase, and what it means: a category, an attribute or a part in a sentence. */
export interface LexiconWord {
  languages: readonly Locale[];
  word: string;
  meaning: string;
}

/** Returns the lines of a file below its heading, split into columns. */
export const readTable = (name: string): string[][] =>
  readFileSync(new URL(`${name}.tsv`, FOLDER), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));

/** Reads a file of words. */
export const readWords = (name: string): LexiconWord[] =>
  readTable(name).map(([language = '', word = '', meaning = '']) => ({
    languages: language === EVERY_LANGUAGE ? LOCALES : LOCALES.filter((each) => each === language),
    word,
    meaning,
  }));

/** Returns the words of a language with a meaning. */
export const wordsFor = (words: readonly LexiconWord[], locale: Locale, meaning: string) =>
  words
    .filter((each) => each.meaning === meaning && each.languages.includes(locale))
    .map(({ word }) => word);
