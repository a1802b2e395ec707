import { dictionary, LOCALES, type Locale } from '../dictionary/schema.ts';
import { lazily } from '../lazily.ts';
import { type Cue, HEAD_IS_LAST, type Role } from './grammar.ts';
import { grammarWords, readWords } from './lexicon-files.ts';
import { stem } from './stem.ts';
import { tokenize } from './tokens.ts';

/** What a word or phrase stands for. */
export type Entry =
  | { kind: 'garment' | 'group' | 'colour' | 'material' | 'pattern'; id: string }
  | { kind: 'cue'; id: Cue }
  | { kind: 'role'; id: Role }
  /** A thing that is no garment, by its kind: `pet`, `home`, `part`. */
  | { kind: 'notGarment'; id: string }
  /** What a garment has, such as a collar: see `withoutDetails`. */
  | { kind: 'detail'; id: '' }
  | { kind: 'fixed' | 'brand'; id: '' };

/** What is found along a path of words. */
interface Trie<Found> {
  next: Map<string, Trie<Found>>;
  found: Found[];
}

/** Most paths end after one word: those share a map without words. */
const NO_NEXT: Trie<never>['next'] = new Map();
const createTrie = <Found>(): Trie<Found> => ({ next: NO_NEXT as Trie<Found>['next'], found: [] });

/** Returns the end of a path of words, which is made if it is not there. */
function endOf<Found>(root: Trie<Found>, path: readonly string[]): Trie<Found> {
  let node = root;
  for (const word of path) {
    const next: Trie<Found> = node.next.get(word) ?? createTrie();
    if (node.next === NO_NEXT) node.next = new Map();
    node.next.set(word, next);
    node = next;
  }
  return node;
}

/** An entry and how it is written: of words with the same stem, the one that is written is meant. */
interface Written {
  entry: Entry;
  spellings: string[];
}

/** A word or phrase of one of the languages. */
interface Foreign {
  entry: Entry;
  locale: Locale;
}

/** The vocabulary of one language, compiled once. */
export interface Lexicon {
  locale: Locale;
  /** By stems. */
  root: Trie<Written>;
  /** Entries of single words, by folded form and by stem: the parts of compounds. */
  singles: ReadonlyMap<string, readonly Entry[]>;
  /** Votes of a word, as it is written, for the language of a text. */
  languageWeights: ReadonlyMap<string, number>;
  /** The words of all entries as they are written. */
  surfaces: ReadonlySet<string>;
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

const ROLE = 'role:';
/** What a word of grammar stands for in a text; others are only looked up by `grammarWords`. */
function grammarEntry(meaning: string): Entry | undefined {
  if (meaning.startsWith(ROLE)) return { kind: 'role', id: meaning.slice(ROLE.length) as Role };
  if (meaning === 'idiom') return { kind: 'fixed', id: '' };
  return meaning === 'detail' ? { kind: 'detail', id: '' } : undefined;
}

/** The words of a file, with what they stand for. */
const readEntries = (file: string, toEntry: (meaning: string) => Entry | undefined) =>
  readWords(file).flatMap(({ languages, word, meaning }) => {
    const entry = toEntry(meaning);
    return entry ? [{ languages, word, entry }] : [];
  });

const garmentNames = lazily(() => readEntries('names', (id) => ({ kind: 'garment', id })));
const otherWords = lazily(() => [
  ...readEntries('colours', (id) => ({ kind: 'colour', id })),
  ...readEntries('attributes', (id) => ({ kind: 'cue', id: id as Cue })),
  ...readEntries('things', (id) => ({ kind: 'notGarment', id })),
  ...readEntries('grammar', grammarEntry),
  ...readEntries('makers', () => ({ kind: 'brand', id: '' })),
]);

/** All words of a language, those first that name what they do whatever follows. */
function* entriesOf(locale: Locale): Generator<[string, Entry]> {
  for (const { languages, word, entry } of garmentNames())
    if (languages.includes(locale)) yield [word, entry];
  yield* dictionaryEntries(locale);
  for (const { languages, word, entry } of otherWords())
    if (languages.includes(locale)) yield [word, entry];
}

/** Adds the spelling without umlauts, common in German: "Guertel" for "Gürtel". */
const spellings = (phrase: string, locale: Locale): string[] =>
  locale === 'de' && /[äöü]/.test(phrase)
    ? [
        phrase,
        phrase.replaceAll(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? ''),
      ]
    : [phrase];

/** Whether an entry names an article, a garment or not. */
export const isName = ({ kind }: Entry): boolean =>
  kind === 'garment' || kind === 'group' || kind === 'notGarment';

/** Language votes: a word of grammar is the strongest indicator, then a garment's name; a word of a phrase the weakest. */
const FUNCTION_WEIGHT = 2.5;
const NOUN_WEIGHT = 2;
export const WORD_WEIGHT = 1;
const PHRASE_WEIGHT = 0.5;

const isSameEntry = (a: Entry, b: Entry): boolean => a.kind === b.kind && a.id === b.id;

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
  const root = createTrie<Written>();
  const singles = new Map<string, Entry[]>();
  const stems = new Map<string, Entry[]>();
  const languageWeights = new Map<string, number>();
  const surfaces = new Set<string>();
  const owners = new Map<string, string>();
  const addLanguageWeight = (word: string, weight: number) =>
    languageWeights.set(word, Math.max(weight, languageWeights.get(word) ?? 0));

  const addSingle = (words: Map<string, Entry[]>, word: string, entry: Entry) => {
    const existing = words.get(word);
    if (!existing) words.set(word, [entry]);
    else if (!existing.some((other) => isSameEntry(other, entry))) existing.push(entry);
  };

  const addWeights = (words: readonly string[], entry: Entry) => {
    if (entry.kind === 'brand') return;
    const weight = words.length > 1 ? PHRASE_WEIGHT : isName(entry) ? NOUN_WEIGHT : WORD_WEIGHT;
    for (const word of words) addLanguageWeight(word, weight);
  };

  /** Adds an entry. A phrase names the category that claims it first. */
  const add = (phrase: string, entry: Entry) => {
    const words = tokenize(phrase).map(({ text }) => text);
    const path = words.map((word) => stem(word, locale));
    const spelling = words.join(' ');
    const { found } = endOf(root, path);
    for (const word of words) surfaces.add(word);
    addWeights(words, entry);
    if (entry.kind === 'garment') {
      const owner = owners.get(spelling) ?? entry.id;
      if (owner !== entry.id) return;
      owners.set(spelling, owner);
    }
    const known = found.find((other) => isSameEntry(other.entry, entry));
    if (known) known.spellings.push(spelling);
    else found.push({ entry, spellings: [spelling] });
    if (words.length === 1 && words[0] && path[0]) {
      addSingle(singles, words[0], entry);
      addSingle(stems, path[0], entry);
    }
  };

  for (const [phrase, entry] of entriesOf(locale)) {
    for (const spelling of spellings(phrase, locale)) add(spelling, entry);
  }
  for (const meaning of ['marker', 'quantity'])
    for (const word of grammarWords(meaning, locale)) addLanguageWeight(word, WORD_WEIGHT);
  for (const word of grammarWords('function', locale)) addLanguageWeight(word, FUNCTION_WEIGHT);

  const english = englishEntries();
  for (const { languages, word: loanword, meaning } of readWords('grammar')) {
    if (meaning !== 'loanword' || !languages.includes(locale)) continue;
    const entry = english.get(loanword);
    for (const phrase of wordOrders(loanword, locale)) {
      const path = tokenize(phrase).map(({ text }) => stem(text, locale));
      if (entry && !endOf(root, path).found.some((each) => isName(each.entry))) add(phrase, entry);
    }
  }
  // A word is no stem of another: "box" none of "Boxer".
  for (const [word, entries] of stems) if (!singles.has(word)) singles.set(word, entries);
  return { locale, root, singles, languageWeights, surfaces };
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

/** The words of all languages as they are written: titles mix languages. */
export const everyLanguage = lazily((): Trie<Foreign> => {
  const root = createTrie<Foreign>();
  for (const locale of LOCALES) {
    for (const [phrase, entry] of entriesOf(locale)) {
      if (entry.kind === 'brand' || entry.kind === 'role') continue;
      const words = tokenize(phrase).map(({ text }) => text);
      endOf(root, words).found.push({ entry, locale });
    }
  }
  return root;
});
