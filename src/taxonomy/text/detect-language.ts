import { LOCALES, type Locale } from '../dictionary/schema.ts';
import { lazily, remembered } from '../lazily.ts';
import { splitCompound } from './compounds.ts';
import { lexiconOf, WORD_WEIGHT } from './lexicon.ts';
import { grammarWords } from './lexicon-files.ts';
import type { Token } from './tokens.ts';

/** Votes for each language, in the order of LOCALES, and for languages that are not supported. */
interface LanguageVotes {
  own: readonly number[];
  foreign: number;
}

const COMPOUND_WEIGHT = 1;
const FOREIGN_WEIGHT = 2;
/** Vote of an unknown word by its spelling, and the limit for all unknown words of a text. */
const SPELLING_WEIGHT = 0.3;
const MAX_SPELLING_VOTES = 1;
const MIN_SPELLED_CHARS = 4;

const NO_VOTES: readonly number[] = LOCALES.map(() => 0);

/** Three letters in a row of a word, its start and end included. */
function trigrams(word: string): string[] {
  const padded = `^${word}$`;
  return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3));
}

/** For each trigram, the logarithm of its frequency in each language's words. */
const trigramLogs = lazily((): ReadonlyMap<string, readonly number[]> => {
  const counts = new Map<string, number[]>();
  const totals = LOCALES.map(() => 0);
  LOCALES.forEach((locale, i) => {
    for (const word of lexiconOf(locale).surfaces) {
      for (const trigram of trigrams(word)) {
        const row = counts.get(trigram) ?? LOCALES.map(() => 0);
        row[i] = (row[i] ?? 0) + 1;
        totals[i] = (totals[i] ?? 0) + 1;
        counts.set(trigram, row);
      }
    }
  });
  const logs = (row: readonly number[]) =>
    row.map((count, i) => Math.log((count + 0.5) / ((totals[i] ?? 0) + counts.size / 2)));
  return new Map([...counts].map(([trigram, row]) => [trigram, logs(row)]));
});

/** Votes of a word that no language knows, by its letters. */
const spellingVotes = remembered((word): readonly number[] => {
  if (word.length < MIN_SPELLED_CHARS || /\d/.test(word)) return NO_VOTES;
  const sums = LOCALES.map(() => 0);
  const known = trigramLogs();
  for (const trigram of trigrams(word)) {
    const logs = known.get(trigram);
    if (logs) for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (logs[i] ?? 0);
  }
  const max = Math.max(...sums);
  const odds = sums.map((sum) => Math.exp(sum - max));
  const total = odds.reduce((a, b) => a + b, 0);
  return odds.map((odd) => (SPELLING_WEIGHT * odd) / total);
});

/** Votes of a known word: languages that share it split its vote by its weight in each. */
function knownVotes(word: string): readonly number[] | undefined {
  const weights = LOCALES.map((locale) => lexiconOf(locale).languageWeights.get(word) ?? 0);
  const total = weights.reduce((a, b) => a + b, 0);
  return total > 0 ? weights.map((weight) => (weight * weight) / total) : undefined;
}

/** Votes of a compound of known words: "Herrenwinterjacke" is German. */
function compoundVotes(word: string): readonly number[] | undefined {
  const splits = LOCALES.map((locale: Locale) =>
    locale !== 'en' && splitCompound(word, locale)?.isCovered ? COMPOUND_WEIGHT : 0,
  );
  return splits.some((weight) => weight > 0) ? splits : undefined;
}

const votesOf = remembered((word) => knownVotes(word) ?? compoundVotes(word));

/** Whether a word means something by itself in any of the languages, and not only within a phrase, as "booth" does. */
export const isKnownWord = (word: string): boolean =>
  LOCALES.some((locale) => (lexiconOf(locale).languageWeights.get(word) ?? 0) >= WORD_WEIGHT);

const NOT_ASCII = /[^ -~]/;
/** Letters of languages that are not supported: of other scripts, or with accents none of ours has. */
const FOREIGN_LETTER =
  /[łşğıżśćńźąęřůěťďčžőűățāēīūņļķģđðþåøãõơư\u1ea0-\u1ef9]|(?![ªº])(?=\p{L})[^\p{Script=Latin}]/giu;

const addTo = (sums: number[], votes: readonly number[]): void => {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (votes[i] ?? 0);
};

/** Adds the votes of unknown words by their spelling, unless they cannot change which language leads. */
function addSpelling(own: number[], words: readonly string[]): void {
  const [first = 0, second = 0] = own.toSorted((a, b) => b - a);
  if (first - second > MAX_SPELLING_VOTES) return;
  const spelled = LOCALES.map(() => 0);
  for (const word of words) addTo(spelled, spellingVotes(word));
  const total = spelled.reduce((a, b) => a + b, 0);
  const limit = total > MAX_SPELLING_VOTES ? MAX_SPELLING_VOTES / total : 1;
  addTo(
    own,
    spelled.map((vote) => vote * limit),
  );
}

/** Returns the votes of a text's words for each language. */
export function languageVotes(text: string, tokens: readonly Token[]): LanguageVotes {
  const own = LOCALES.map(() => 0);
  const unknown: string[] = [];
  let foreign = 0;
  let shared = 0;
  for (const { text: word } of tokens) {
    const votes = votesOf(word);
    if (votes) {
      addTo(own, votes);
      if (grammarWords('shared-with-foreign', 'en').has(word)) shared += Math.max(...votes);
    } else if (grammarWords('foreign', 'en').has(word)) foreign += FOREIGN_WEIGHT;
    else unknown.push(word);
  }
  addSpelling(own, unknown);
  // Beside a foreign word, "de" and "camisola" are as likely foreign.
  const words = foreign > 0 ? foreign + shared : 0;
  const letters = NOT_ASCII.test(text) ? (text.match(FOREIGN_LETTER)?.length ?? 0) : 0;
  return { own, foreign: words + letters / 2 };
}
