import { LOCALES, type Locale } from '../dictionary/schema.ts';
import { lazily } from '../lazily.ts';
import { readTable } from '../tables.ts';
import { tokenize } from './tokens.ts';

const EVERY_LANGUAGE = '*';

/** A word or phrase, and what it means: a category, an attribute or a part in a sentence. */
interface LexiconWord {
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

const NO_WORDS: ReadonlySet<string> = new Set();

/** Returns a function that returns the words of a file with a meaning in a language, as they are in tokens. */
function createWordsOf(name: string) {
  const sets = lazily(() => {
    const byMeaning = new Map<string, Set<string>>();
    for (const { languages, word, meaning } of readWords(name))
      for (const locale of languages) {
        const key = `${locale} ${meaning}`;
        const words = byMeaning.get(key) ?? new Set();
        byMeaning.set(key, words);
        for (const { text } of tokenize(word)) words.add(text);
      }
    return byMeaning;
  });
  return (meaning: string, locale: Locale): ReadonlySet<string> =>
    sets().get(`${locale} ${meaning}`) ?? NO_WORDS;
}

export const grammarWords = createWordsOf('grammar');
export const compoundWords = createWordsOf('compounds');
