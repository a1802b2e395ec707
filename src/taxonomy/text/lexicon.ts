import { dictionary, type Locale } from '../dictionary/schema.ts';
import { lazily } from '../lazily.ts';
import { BRANDS } from './brands.ts';
import { MORE_NAMES } from './names.ts';
import { NOT_GARMENTS } from './not-garments.ts';
import { stem } from './stem.ts';
import { tokenize } from './tokens.ts';
import {
  CUES,
  type Cue,
  FIXED_PHRASES,
  FUNCTION_WORDS,
  HEAD_IS_LAST,
  LANGUAGE_MARKERS,
  LOANWORDS,
  QUANTITIES,
  ROLES,
  type Role,
  type Words,
} from './words.ts';

/** What a word or phrase stands for. */
export type Entry =
  | { kind: 'garment' | 'group' | 'colour' | 'material' | 'pattern'; id: string }
  | { kind: 'cue'; id: Cue }
  | { kind: 'role'; id: Role }
  | { kind: 'notGarment' | 'fixed' | 'brand' | 'quantity'; id: '' };

interface Node {
  next: Map<string, Node>;
  entries: Entry[];
}

/** The vocabulary of one language, compiled once. */
export interface Lexicon {
  locale: Locale;
  /** A trie over stems. */
  root: Node;
  /** Entries of single words, by folded form and by stem: the parts of compounds. */
  singles: ReadonlyMap<string, readonly Entry[]>;
  /** Votes of a word, as it is written, for the language of a text. */
  languageWeights: ReadonlyMap<string, number>;
  /** For each noun, the categories whose names have it as their head: many for "pant", one for "parka". */
  siblings: ReadonlyMap<string, ReadonlySet<string>>;
  /** The words of all entries as they are written. */
  surfaces: ReadonlySet<string>;
}

const split = (words: string): string[] => words.split('|');

function* moreNames(locale: Locale): Generator<[string, Entry]> {
  for (const [id, words] of Object.entries(MORE_NAMES)) {
    for (const phrase of split(words[locale] ?? '').filter(Boolean)) {
      yield [phrase, { kind: 'garment', id }];
    }
  }
}

function* dictionaryEntries(locale: Locale): Generator<[string, Entry]> {
  const kinds = [
    ['garment', dictionary.categories],
    ['group', dictionary.categoryGroups],
    ['colour', dictionary.colourFamilies],
    ['material', dictionary.materials],
    ['pattern', dictionary.patterns],
  ] as const;
  for (const [kind, list] of kinds) {
    for (const { id, synonyms } of list) {
      for (const phrase of synonyms[locale]) yield [phrase, { kind, id }];
    }
  }
}

function* wordEntries(locale: Locale): Generator<[string, Entry]> {
  const of = function* (words: Words, entry: Entry): Generator<[string, Entry]> {
    for (const phrase of split(words[locale] ?? '').filter(Boolean)) yield [phrase, entry];
  };
  // Object.keys widens the keys to string.
  for (const id of Object.keys(CUES) as Cue[]) yield* of(CUES[id], { kind: 'cue', id });
  for (const id of Object.keys(ROLES) as Role[]) yield* of(ROLES[id], { kind: 'role', id });
  yield* of(NOT_GARMENTS, { kind: 'notGarment', id: '' });
  yield* of(FIXED_PHRASES, { kind: 'fixed', id: '' });
  yield* of(QUANTITIES, { kind: 'quantity', id: '' });
  for (const brand of split(BRANDS)) yield [brand, { kind: 'brand', id: '' }];
}

/** Adds the spelling without umlauts, common in German: "Guertel" for "Gürtel". */
const spellings = (phrase: string, locale: Locale): string[] =>
  locale === 'de' && /[äöü]/.test(phrase)
    ? [
        phrase,
        phrase.replaceAll(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? ''),
      ]
    : [phrase];

const isArticleNoun = ({ kind }: Entry): boolean =>
  kind === 'garment' || kind === 'group' || kind === 'notGarment';

/** Language votes: a word of grammar is the strongest indicator, then a garment's name; a word of a phrase the weakest. */
const FUNCTION_WEIGHT = 2.5;
const NOUN_WEIGHT = 2;
const WORD_WEIGHT = 1;
const PHRASE_WEIGHT = 0.5;

const isSame = (a: Entry, b: Entry): boolean => a.kind === b.kind && a.id === b.id;

const englishEntries = lazily(() => new Map(dictionaryEntries('en')));

/**
 * Languages that put the noun first borrow English names in both orders: "crop top", "top crop". A "dress shirt" is
 * not the other order of a "shirt dress".
 */
function wordOrders(loanword: string, locale: Locale): string[] {
  const words = loanword.split(' ');
  const reversed = words.toReversed().join(' ');
  const isBorrowed = words.length === 2 && !HEAD_IS_LAST[locale] && !englishEntries().has(reversed);
  return isBorrowed ? [loanword, reversed] : [loanword];
}

function compile(locale: Locale): Lexicon {
  const root: Node = { next: new Map(), entries: [] };
  const singles = new Map<string, Entry[]>();
  const languageWeights = new Map<string, number>();
  const surfaces = new Set<string>();
  const owners = new Map<string, string>();
  const siblings = new Map<string, Set<string>>();
  const addLanguageWeight = (word: string, weight: number) =>
    languageWeights.set(word, Math.max(weight, languageWeights.get(word) ?? 0));

  const leafOf = (path: readonly string[]): Node =>
    path.reduce((node, word) => {
      const existing = node.next.get(word);
      if (existing) return existing;
      const fresh: Node = { next: new Map(), entries: [] };
      node.next.set(word, fresh);
      return fresh;
    }, root);

  const addSingle = (word: string, entry: Entry) => {
    const existing = singles.get(word);
    if (!existing) singles.set(word, [entry]);
    else if (!existing.some((other) => isSame(other, entry))) existing.push(entry);
  };

  const addWeights = (words: readonly string[], entry: Entry) => {
    if (entry.kind === 'brand') return;
    const weight =
      words.length > 1 ? PHRASE_WEIGHT : isArticleNoun(entry) ? NOUN_WEIGHT : WORD_WEIGHT;
    for (const word of words) addLanguageWeight(word, weight);
  };

  /** Adds an entry. A phrase names the category that claims it first. */
  const add = (phrase: string, entry: Entry) => {
    const words = tokenize(phrase).map(({ text }) => text);
    const path = words.map((word) => stem(word, locale));
    const { entries } = leafOf(path);
    for (const word of words) surfaces.add(word);
    addWeights(words, entry);
    if (entry.kind === 'garment') {
      const name = words.join(' ');
      const owner = owners.get(name) ?? entry.id;
      if (owner !== entry.id) return;
      owners.set(name, owner);
    }
    if (entries.some((other) => isSame(other, entry))) return;
    entries.push(entry);
    const head = HEAD_IS_LAST[locale] ? path.at(-1) : path[0];
    if (entry.kind === 'garment' && head) {
      const categories = siblings.get(head);
      if (categories) categories.add(entry.id);
      else siblings.set(head, new Set([entry.id]));
    }
    const [word, stemmed] = [words[0], path[0]];
    if (words.length === 1 && word && stemmed) {
      addSingle(word, entry);
      addSingle(stemmed, entry);
    }
  };

  const all = [...moreNames(locale), ...dictionaryEntries(locale), ...wordEntries(locale)];
  for (const [phrase, entry] of all) {
    for (const spelling of spellings(phrase, locale)) add(spelling, entry);
  }
  const addMarkers = (words: Words, weight: number) => {
    for (const marker of split(words[locale] ?? '')) {
      for (const { text } of tokenize(marker)) addLanguageWeight(text, weight);
    }
  };
  addMarkers(LANGUAGE_MARKERS, WORD_WEIGHT);
  addMarkers(FUNCTION_WORDS, FUNCTION_WEIGHT);

  const english = englishEntries();
  for (const loanword of split(LOANWORDS)) {
    const entry = english.get(loanword);
    for (const phrase of wordOrders(loanword, locale)) {
      const path = tokenize(phrase).map(({ text }) => stem(text, locale));
      if (entry && !leafOf(path).entries.some(isArticleNoun)) add(phrase, entry);
    }
  }
  return { locale, root, singles, languageWeights, surfaces, siblings };
}

// biome-ignore format: a table reads best aligned
const LEXICONS: Readonly<Record<Locale, () => Lexicon>> = {
  en: lazily(() => compile('en')),
  de: lazily(() => compile('de')),
  fr: lazily(() => compile('fr')),
  es: lazily(() => compile('es')),
  it: lazily(() => compile('it')),
  nl: lazily(() => compile('nl')),
};

export const lexiconOf = (locale: Locale): Lexicon => LEXICONS[locale]();
