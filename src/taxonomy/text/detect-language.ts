import { LOCALES } from '../dictionary/schema.ts';
import { splitCompound } from './compounds.ts';
import { lexiconOf, WORD_WEIGHT } from './lexicon.ts';
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';

/** Votes of one word. A word known to several languages splits its vote; a compound counts as a word. */
function wordVotes(word: string): readonly number[] {
  const weights = LOCALES.map(
    (locale) => lexiconOf(locale).languageWeights.get(stem(word, locale)) ?? 0,
  );
  const knownTo = weights.filter((weight) => weight > 0).length;
  if (knownTo > 0) return weights.map((weight) => weight / knownTo);
  return LOCALES.map((locale) =>
    locale !== 'en' && splitCompound(word, lexiconOf(locale)) ? WORD_WEIGHT : 0,
  );
}

/** Votes of the lexicons' own words, computed once; bounded by the size of the lexicons. */
const votesOfKnownWords = new Map(
  LOCALES.flatMap((locale) => [...lexiconOf(locale).singles.keys()]).map(
    (word) => [word, wordVotes(word)] as const,
  ),
);

/** Returns the votes of a text for each language, in the order of LOCALES. */
export function languageVotes(tokens: readonly Token[]): number[] {
  const sums = LOCALES.map(() => 0);
  for (const { text } of tokens) {
    const votes = votesOfKnownWords.get(text) ?? wordVotes(text);
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (votes[i] ?? 0);
  }
  return sums;
}
