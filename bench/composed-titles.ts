import { createHash } from 'node:crypto';
import { categories, dictionary, LOCALES, type Locale } from '../src/taxonomy/dictionary/schema.ts';
import { HEAD_IS_LAST } from '../src/taxonomy/text/grammar.ts';
import { readWords } from '../src/taxonomy/text/lexicon-files.ts';
import type { LabelledRow } from './titles.ts';

/** Names, words and frames of which titles are composed: nothing is copied from a shop. */
const FOR: Readonly<Record<Locale, string>> = {
  en: 'for',
  de: 'für',
  fr: 'pour',
  es: 'para',
  it: 'per',
  nl: 'voor',
};
const WEARERS: Readonly<Record<Locale, readonly string[]>> = {
  en: ['Men', 'Women', 'Girls'],
  de: ['Herren', 'Damen', 'Mädchen'],
  fr: ['Homme', 'Femme', 'Fille'],
  es: ['Hombre', 'Mujer', 'Niña'],
  it: ['Uomo', 'Donna', 'Bambina'],
  nl: ['Heren', 'Dames', 'Meisjes'],
};
const SIZES = ['M', 'XL', '42', '', '', 'Gr. 38', '2 Pack'];
const SYLLABLES = [
  'zor',
  'vik',
  'lem',
  'tau',
  'bri',
  'nox',
  'pel',
  'dar',
  'quo',
  'fin',
  'sul',
  'mer',
];

const COMPOSED_KINDS = [
  'garment',
  'garment of a maker',
  'English name',
  'thing',
  'thing of a stuff',
  'thing for a garment',
  'unknown for a garment',
  'unknown of a stuff',
  'pattern of a garment',
  'pet wear',
] as const;
type ComposedKind = (typeof COMPOSED_KINDS)[number];

/** A generator of numbers from 0 to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Name {
  name: string;
  id: string;
}

/** Names of one category in a language. */
const namesIn = (locale: Locale): Name[] => [
  ...dictionary.categories.flatMap(({ id, synonyms }) =>
    synonyms[locale].map((name) => ({ name, id })),
  ),
  ...readWords('names')
    .filter(({ languages }) => languages.includes(locale))
    .map(({ word, meaning }) => ({ name: word, id: meaning })),
];

const wordsIn = (file: string, locale: Locale, isWanted: (meaning: string) => boolean): string[] =>
  readWords(file)
    .filter(({ languages, meaning }) => languages.includes(locale) && isWanted(meaning))
    .map(({ word }) => word);

const isThing = (meaning: string): boolean => meaning !== 'department' && meaning !== 'part';

/** Composes titles of each kind in a language. */
function composeIn(locale: Locale, count: number, random: () => number) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const names = namesIn(locale);
  const owners = new Map<string, Set<string>>();
  for (const { name, id } of names) owners.set(name, (owners.get(name) ?? new Set()).add(id));
  const clear = names.filter(({ name }) => owners.get(name)?.size === 1);
  const english = namesIn('en').filter(({ name }) => name.includes(' '));
  const colours = dictionary.colourFamilies.flatMap(({ synonyms }) => synonyms[locale]);
  const stuffs = dictionary.materials.flatMap(({ synonyms }) => synonyms[locale]);
  const things = wordsIn('things', locale, isThing);
  const patterns = wordsIn('things', locale, (meaning) => meaning === 'pattern');
  const pets = wordsIn('attributes', locale, (meaning) => meaning === 'wearer:pet');
  const coats = clear.filter(({ id }) => categories.get(id)?.region === 'outerwear');
  const unknown = () => {
    const word = pick(SYLLABLES) + pick(SYLLABLES) + pick(SYLLABLES);
    return word.charAt(0).toUpperCase() + word.slice(1);
  };
  const describe = (name: string): string => {
    const [wearer, colour] = [pick(WEARERS[locale]), pick(colours)];
    return HEAD_IS_LAST[locale] && locale === 'en'
      ? `${wearer} ${colour} ${name} ${pick(SIZES)}`
      : `${name} ${wearer} ${colour} ${pick(SIZES)}`;
  };
  const none = (title: string) => ({ title, id: undefined });
  const kinds: Readonly<Record<ComposedKind, () => { title: string; id: string | undefined }>> = {
    garment: () => {
      const { name, id } = pick(clear);
      return { title: describe(name), id };
    },
    'garment of a maker': () => {
      const { name, id } = pick(clear);
      return { title: `${unknown()} ${describe(name)}`, id };
    },
    'English name': () => {
      const { name, id } = pick(english);
      return { title: describe(name), id };
    },
    thing: () => none(`${pick(things)} ${pick(colours)} ${pick(SIZES)}`),
    'thing of a stuff': () => none(`${pick(things)} ${pick(stuffs)} ${pick(colours)}`),
    'thing for a garment': () => none(`${pick(things)} ${FOR[locale]} ${pick(clear).name}`),
    'unknown for a garment': () => none(`${unknown()} ${FOR[locale]} ${pick(clear).name}`),
    'unknown of a stuff': () => none(`${unknown()} ${pick(stuffs)} ${pick(colours)}`),
    'pattern of a garment': () => none(`${pick(patterns)} ${pick(clear).name} PDF`),
    'pet wear': () => none(`${pick(coats).name} ${pick(pets)} ${pick(colours)}`),
  };
  return COMPOSED_KINDS.flatMap((kind) =>
    Array.from({ length: count }, () => ({ kind, ...kinds[kind]() })),
  );
}

const JUDGING_SHARE = 2;
const isJudging = (title: string): boolean =>
  (createHash('sha256').update(title.toLowerCase()).digest()[0] ?? 0) % JUDGING_SHARE === 0;

/**
 * Composes labelled titles, of which a hash of the title decides whether they judge: no title is in both parts.
 * @param count titles of each kind in each language, of which about half are in each part
 */
export function composedRows(part: 'fitting' | 'judging', count = 60): LabelledRow[] {
  const random = createRandom(7);
  return LOCALES.flatMap((locale) =>
    composeIn(locale, count, random)
      .filter(({ title }) => isJudging(title) === (part === 'judging'))
      .map(({ kind, title, id }) => ({
        set: kind,
        row: { title: title.trim(), language: undefined },
        leaves: new Set(id === undefined ? [] : [id]),
        regions: new Set(id === undefined ? [] : [categories.get(id)?.region ?? '']),
        isGarment: id !== undefined,
        mayBeNone: id === undefined,
      })),
  );
}
