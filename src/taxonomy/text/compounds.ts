import type { Locale } from '../dictionary/schema.ts';
import type { Entry, Lexicon } from './lexicon.ts';
import { stem } from './stem.ts';

/** Linking elements between the parts of a compound: "Damen-", "Winter-s-". */
const LINKING_ELEMENTS = ['', 's', 'n', 'en', 'e', 'er'] as const;
const MIN_PART_CHARS = 3;
const MIN_COMPOUND_CHARS = 6;
/** No garment's name is longer; untrusted input may be. */
const MAX_COMPOUND_CHARS = 40;
/** A shorter head is trusted only after known modifiers ("jas", "rok", "hut"). */
const MIN_FREE_HEAD_CHARS = 4;
/** Words that end other words by chance, or that mean something else as a head. */
const NEVER_HEAD: Readonly<Partial<Record<Locale, ReadonlySet<string>>>> = {
  de: new Set(['body', 'slip', 'loop', 'cap', 'top', 'short', 'uhr', 'shirt']),
  nl: new Set(['das', 'top', 'slip', 'string', 'want', 'body', 'pop', 'short']),
};

/** The entries of a compound: of its head, which is the last part, and of its modifiers. */
interface Compound {
  head: readonly Entry[];
  modifiers: readonly Entry[];
}

const lookUp = (part: string, { singles, locale }: Lexicon): readonly Entry[] | undefined =>
  singles.get(part) ?? singles.get(stem(part, locale));

/** Returns the entries of a compound's modifiers; undefined if one of them is unknown. */
function decodeModifiers(part: string, lexicon: Lexicon): readonly Entry[] | undefined {
  for (const linking of LINKING_ELEMENTS) {
    if (!part.endsWith(linking)) continue;
    const entries = lookUp(part.slice(0, part.length - linking.length), lexicon);
    if (entries) return entries;
  }
  for (let cut = part.length - MIN_PART_CHARS; cut >= MIN_PART_CHARS; cut--) {
    const first = lookUp(part.slice(0, cut), lexicon);
    const rest = first && decodeModifiers(part.slice(cut), lexicon);
    if (first && rest) return [...first, ...rest];
  }
  return undefined;
}

const canEnd = ({ kind }: Entry): boolean =>
  kind === 'garment' || kind === 'notGarment' || kind === 'colour' || kind === 'material';

/**
 * Splits a German or Dutch compound ("Herrenwinterjacke", "regenbroek"); an English one only if all its parts are
 * known ("snowboots"). The longest known head wins.
 */
export function splitCompound(word: string, lexicon: Lexicon): Compound | undefined {
  const { locale, singles } = lexicon;
  if (locale !== 'de' && locale !== 'nl' && locale !== 'en') return undefined;
  if (word.length < MIN_COMPOUND_CHARS || word.length > MAX_COMPOUND_CHARS) return undefined;
  const stemmed = stem(word, locale);
  const excluded = NEVER_HEAD[locale];
  for (let cut = MIN_PART_CHARS; cut <= word.length - MIN_PART_CHARS; cut++) {
    const last = word.slice(cut);
    const head = (singles.get(last) ?? singles.get(stemmed.slice(cut)))?.filter(canEnd);
    if (!head?.length) continue;
    const modifiers = decodeModifiers(word.slice(0, cut), lexicon);
    const trusted = locale !== 'en' && last.length >= MIN_FREE_HEAD_CHARS && !excluded?.has(last);
    if (modifiers || trusted) return { head, modifiers: modifiers ?? [] };
  }
  return undefined;
}
