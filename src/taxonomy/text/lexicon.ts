import { dictionary, type Locale } from '../dictionary/schema.ts';
import { stem } from './stem.ts';
import { tokenize } from './tokens.ts';
import {
  CUES,
  type Cue,
  FIXED_PHRASES,
  LANGUAGE_MARKERS,
  LOANWORDS,
  NOT_GARMENTS,
  ROLES,
  type Role,
  type Words,
} from './words.ts';

/** What a word or phrase stands for. */
export type Entry =
  | { kind: 'garment' | 'group' | 'colour' | 'material' | 'pattern'; id: string }
  | { kind: 'cue'; id: Cue }
  | { kind: 'role'; id: Role }
  | { kind: 'notGarment' | 'fixed'; id: '' };

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
  /** Votes of a stem for the language of a text. */
  languageWeights: ReadonlyMap<string, number>;
}

const split = (words: string): string[] => words.split('|');

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

/** Language votes: a garment's name is the strongest indicator, a word of a phrase the weakest. */
const NOUN_WEIGHT = 2;
export const WORD_WEIGHT = 1;
const PHRASE_WEIGHT = 0.5;

function compile(locale: Locale): Lexicon {
  const root: Node = { next: new Map(), entries: [] };
  const singles = new Map<string, Entry[]>();
  const languageWeights = new Map<string, number>();
  const addLanguageWeight = (part: string, weight: number) =>
    languageWeights.set(part, Math.max(weight, languageWeights.get(part) ?? 0));

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
    else if (!existing.some(({ kind, id }) => kind === entry.kind && id === entry.id))
      existing.push(entry);
  };

  const add = (phrase: string, entry: Entry) => {
    const words = tokenize(phrase).map(({ text }) => text);
    const path = words.map((word) => stem(word, locale));
    const { entries } = leafOf(path);
    if (!entries.some(({ kind, id }) => kind === entry.kind && id === entry.id))
      entries.push(entry);
    const weight =
      path.length > 1 ? PHRASE_WEIGHT : isArticleNoun(entry) ? NOUN_WEIGHT : WORD_WEIGHT;
    for (const part of path) addLanguageWeight(part, weight);
    const [word, stemmed] = [words[0], path[0]];
    if (words.length === 1 && word && stemmed) {
      addSingle(word, entry);
      addSingle(stemmed, entry);
    }
  };

  for (const [phrase, entry] of [...dictionaryEntries(locale), ...wordEntries(locale)]) {
    for (const spelling of spellings(phrase, locale)) add(spelling, entry);
  }
  for (const marker of split(LANGUAGE_MARKERS[locale] ?? ''))
    addLanguageWeight(stem(marker, locale), WORD_WEIGHT);

  const english = new Map(dictionaryEntries('en'));
  for (const loanword of split(LOANWORDS)) {
    const entry = english.get(loanword);
    const path = tokenize(loanword).map(({ text }) => stem(text, locale));
    if (entry && !leafOf(path).entries.some(isArticleNoun)) add(loanword, entry);
  }
  return { locale, root, singles, languageWeights };
}

const LEXICONS: Readonly<Record<Locale, Lexicon>> = {
  en: compile('en'),
  de: compile('de'),
  fr: compile('fr'),
  es: compile('es'),
  it: compile('it'),
  nl: compile('nl'),
};

export const lexiconOf = (locale: Locale): Lexicon => LEXICONS[locale];
