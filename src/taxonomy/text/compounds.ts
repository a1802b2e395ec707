import type { Locale } from '../dictionary/schema.ts';
import { remembered } from '../lazily.ts';
import { type Entry, type Lexicon, lexiconOf } from './lexicon.ts';
import { compoundWords } from './lexicon-files.ts';
import { stem } from './stem.ts';

/** Linking elements between the parts of a compound: "Damen-", "Winter-s-". */
const LINKING_ELEMENTS = ['', 's', 'n', 'en', 'e', 'er'] as const;
export const COMPOUNDING: readonly Locale[] = ['de', 'nl'];
const MIN_PART_CHARS = 3;
const MIN_COMPOUND_CHARS = 6;
/** No garment's name is longer; untrusted input may be. */
const MAX_COMPOUND_CHARS = 40;
/** A part that no list has must be at least this long. */
const MIN_UNKNOWN_CHARS = 4;
/** A thing that ends an unknown compound has at least this many letters. */
const MIN_THING_CHARS = 5;
/** Maximum number of modifiers of one compound. */
const MAX_MODIFIERS = 3;

/** The entries of a compound: of its head, which is the last part, and of its modifiers. */
interface Compound {
  head: readonly Entry[];
  modifiers: readonly Entry[];
  /** False if the first part is no known word. */
  isCovered: boolean;
}

const NO_GARMENT: readonly Entry[] = [{ kind: 'notGarment', id: 'thing' }];

/** Entries of a part as it is written: compounds do not inflect their modifiers. */
function modifierEntries(part: string, { singles, locale }: Lexicon): readonly Entry[] | undefined {
  if (part.length < MIN_PART_CHARS) return undefined;
  const known = singles.get(part)?.filter(({ kind }) => kind !== 'detail');
  return known ?? (compoundWords('first', locale).has(part) ? [] : undefined);
}

/** Returns the entries of a compound's modifiers; undefined unless known words cover all of it. */
function decodeModifiers(
  part: string,
  lexicon: Lexicon,
  depth = MAX_MODIFIERS,
): readonly Entry[] | undefined {
  for (const linking of LINKING_ELEMENTS) {
    if (!part.endsWith(linking)) continue;
    const entries = modifierEntries(part.slice(0, part.length - linking.length), lexicon);
    if (entries) return entries;
  }
  if (depth <= 1) return undefined;
  for (let cut = part.length - MIN_PART_CHARS; cut >= MIN_PART_CHARS; cut--) {
    const first = modifierEntries(part.slice(0, cut), lexicon);
    const rest = first && decodeModifiers(part.slice(cut), lexicon, depth - 1);
    if (first && rest) return [...first, ...rest];
  }
  return undefined;
}

const canEnd = ({ kind }: Entry): boolean =>
  kind === 'garment' ||
  kind === 'group' ||
  kind === 'notGarment' ||
  kind === 'colour' ||
  kind === 'material';

/** A garment's name ends many a thing's; that of a thing ends things only: "Hundekissen". */
const mayEndAny = (last: string, head: readonly Entry[], locale: Locale): boolean =>
  compoundWords('last', locale).has(last) ||
  (locale !== 'en' &&
    last.length >= MIN_THING_CHARS &&
    head.every(({ kind }) => kind === 'notGarment'));

function split(word: string, lexicon: Lexicon): Compound | undefined {
  const { locale, singles } = lexicon;
  if (word.length < MIN_COMPOUND_CHARS || word.length > MAX_COMPOUND_CHARS) return undefined;
  const stemmed = stem(word, locale);
  let open: Compound | undefined;
  for (let cut = MIN_PART_CHARS; cut <= word.length - MIN_PART_CHARS; cut++) {
    const last = word.slice(cut);
    const head = (singles.get(last) ?? singles.get(stemmed.slice(cut)))?.filter(canEnd);
    if (!head?.length) continue;
    // "Hundemantel": a first part may make a garment's name another thing's.
    if (compoundWords('none', locale).has(word.slice(0, cut))) {
      return { head: NO_GARMENT, modifiers: [], isCovered: true };
    }
    const modifiers = decodeModifiers(word.slice(0, cut), lexicon);
    if (modifiers) return { head, modifiers, isCovered: true };
    if (cut >= MIN_UNKNOWN_CHARS && mayEndAny(last, head, locale)) {
      open ??= { head, modifiers: [], isCovered: false };
    }
  }
  return open;
}

/** Letters that a verb is followed by: "salvaje" saves nothing. */
const MIN_OBJECT_CHARS = 4;
const HOLDER: Compound = {
  head: [{ kind: 'notGarment', id: 'holder' }],
  modifiers: [],
  isCovered: true,
};
/** Languages that call things so, in one word. */
const VERBAL: readonly Locale[] = ['es', 'it'];

/** "Portacravatte", "cubrecama": a thing that is called by what it does with another. */
function splitVerb(word: string, { locale, languageWeights }: Lexicon): Compound | undefined {
  const isOne = [...compoundWords('verb', locale)].some(
    (verb) => word.startsWith(verb) && word.length >= verb.length + MIN_OBJECT_CHARS,
  );
  return isOne && !languageWeights.has(word) ? HOLDER : undefined;
}

const splittersOf = (locales: readonly Locale[], how: typeof split) =>
  locales.map((locale) => [locale, remembered((word) => how(word, lexiconOf(locale)))] as const);
const splitters = new Map([
  ...splittersOf(['en', ...COMPOUNDING], split),
  ...splittersOf(VERBAL, splitVerb),
]);

/**
 * Splits a German or Dutch compound ("Herrenwinterjacke", "regenbroek") or an English one ("snowboots") into words
 * that cover all of it, and recognises a Spanish or Italian thing by its verb ("portacravatte"). The longest known head wins. A German or Dutch word that ends in a garment's name after a
 * part that is no known word is split too, as not covered.
 */
export const splitCompound = (word: string, locale: Locale): Compound | undefined =>
  splitters.get(locale)?.(word);
