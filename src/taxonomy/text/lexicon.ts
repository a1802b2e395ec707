import { dictionary, LOCALES, type Locale } from '../dictionary/schema.ts';
import { splitCompound } from './compounds.ts';
import { stem } from './stem.ts';
import { type Token, tokenize } from './tokens.ts';
import {
  CUES,
  type Cue,
  FIXED_PHRASES,
  LOANWORDS,
  MARKERS,
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

/** All that is known of one language, compiled once. */
export interface Lexicon {
  locale: Locale;
  /** A trie over stems. */
  root: Node;
  /** Entries of a single word, by its folded form and by its stem: the parts of compounds. */
  singles: ReadonlyMap<string, readonly Entry[]>;
  /** How much a stem speaks for the language when it stands in a text. */
  telling: ReadonlyMap<string, number>;
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
  // Object.keys forgets the union that the tables' types state.
  for (const id of Object.keys(CUES) as Cue[]) yield* of(CUES[id], { kind: 'cue', id });
  for (const id of Object.keys(ROLES) as Role[]) yield* of(ROLES[id], { kind: 'role', id });
  yield* of(NOT_GARMENTS, { kind: 'notGarment', id: '' });
  yield* of(FIXED_PHRASES, { kind: 'fixed', id: '' });
}

/** German is often written without umlauts: "Guertel" for "Gürtel". */
const spellings = (phrase: string, locale: Locale): string[] =>
  locale === 'de' && /[äöü]/.test(phrase)
    ? [
        phrase,
        phrase.replaceAll(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? ''),
      ]
    : [phrase];

const isThing = ({ kind }: Entry): boolean =>
  kind === 'garment' || kind === 'group' || kind === 'notGarment';

/** A garment's own name tells a language best, one word of a longer phrase least. */
const NAME = 2;
const WORD = 1;
const IN_PHRASE = 0.5;

function compile(locale: Locale): Lexicon {
  const root: Node = { next: new Map(), entries: [] };
  const singles = new Map<string, Entry[]>();
  const telling = new Map<string, number>();
  const tell = (part: string, weight: number) =>
    telling.set(part, Math.max(weight, telling.get(part) ?? 0));

  const leafOf = (path: readonly string[]): Node =>
    path.reduce((node, word) => {
      const known = node.next.get(word);
      if (known) return known;
      const fresh: Node = { next: new Map(), entries: [] };
      node.next.set(word, fresh);
      return fresh;
    }, root);

  const addSingle = (word: string, entry: Entry) => {
    const known = singles.get(word);
    if (!known) singles.set(word, [entry]);
    else if (!known.some(({ kind, id }) => kind === entry.kind && id === entry.id))
      known.push(entry);
  };

  const add = (phrase: string, entry: Entry) => {
    const words = tokenize(phrase).map(({ text }) => text);
    const path = words.map((word) => stem(word, locale));
    const { entries } = leafOf(path);
    if (!entries.some(({ kind, id }) => kind === entry.kind && id === entry.id))
      entries.push(entry);
    const weight = path.length > 1 ? IN_PHRASE : isThing(entry) ? NAME : WORD;
    for (const part of path) tell(part, weight);
    const [word, stemmed] = [words[0], path[0]];
    if (words.length === 1 && word && stemmed) {
      addSingle(word, entry);
      addSingle(stemmed, entry);
    }
  };

  for (const [phrase, entry] of [...dictionaryEntries(locale), ...wordEntries(locale)]) {
    for (const spelling of spellings(phrase, locale)) add(spelling, entry);
  }
  for (const marker of split(MARKERS[locale] ?? '')) tell(stem(marker, locale), WORD);

  const english = new Map(dictionaryEntries('en'));
  for (const loanword of split(LOANWORDS)) {
    const entry = english.get(loanword);
    const path = tokenize(loanword).map(({ text }) => stem(text, locale));
    if (entry && !leafOf(path).entries.some(isThing)) add(loanword, entry);
  }
  return { locale, root, singles, telling };
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

function votesOf(word: string): readonly number[] {
  const told = LOCALES.map((locale) => LEXICONS[locale].telling.get(stem(word, locale)) ?? 0);
  const knownTo = told.filter((weight) => weight > 0).length;
  if (knownTo > 0) return told.map((weight) => weight / knownTo);
  return LOCALES.map((locale) =>
    locale !== 'en' && splitCompound(word, LEXICONS[locale]) ? WORD : 0,
  );
}

/** The votes of the words that stand in a lexicon as they are: no more than the lexicons hold. */
const votesOfKnown = new Map(
  LOCALES.flatMap((locale) => [...LEXICONS[locale].singles.keys()]).map(
    (word) => [word, votesOf(word)] as const,
  ),
);

/** For each language, in the order of LOCALES, how much the words speak for it. */
export function languageVotes(tokens: readonly Token[]): number[] {
  const sums = LOCALES.map(() => 0);
  for (const { text } of tokens) {
    const votes = votesOfKnown.get(text) ?? votesOf(text);
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (votes[i] ?? 0);
  }
  return sums;
}
