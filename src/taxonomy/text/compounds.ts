import type { Locale } from '../dictionary/schema.ts';
import type { Entry, Lexicon } from './lexicon.ts';
import { stem } from './stem.ts';

/** Letters that glue the parts of a compound: "Damen-", "Winter-s-". */
const GLUE = ['', 's', 'n', 'en', 'e', 'er'] as const;
const SHORTEST_PART = 3;
/** Letters. No garment's name is longer; what strangers send may be. */
const SHORTEST_COMPOUND = 6;
const LONGEST_COMPOUND = 40;
/** A last part shorter than this is trusted only after a known first part ("jas", "rok", "hut"). */
const SHORTEST_FREE_PART = 4;
/** Words that end other words by chance, or name another thing as their last part. */
const NEVER_LAST: Readonly<Partial<Record<Locale, ReadonlySet<string>>>> = {
  de: new Set(['body', 'slip', 'loop', 'cap', 'top', 'short', 'uhr', 'shirt']),
  nl: new Set(['das', 'top', 'slip', 'string', 'want', 'body', 'pop', 'short']),
};

/** What a compound says: its last part names it, the parts before tell more of it. */
export interface Compound {
  head: readonly Entry[];
  before: readonly Entry[];
}

const lookUp = (part: string, { singles, locale }: Lexicon): readonly Entry[] | undefined =>
  singles.get(part) ?? singles.get(stem(part, locale));

/** What the first parts of a compound say, or nothing where one of them is unknown. */
function decode(part: string, lexicon: Lexicon): readonly Entry[] | undefined {
  for (const glue of GLUE) {
    if (!part.endsWith(glue)) continue;
    const entries = lookUp(part.slice(0, part.length - glue.length), lexicon);
    if (entries) return entries;
  }
  for (let cut = part.length - SHORTEST_PART; cut >= SHORTEST_PART; cut--) {
    const first = lookUp(part.slice(0, cut), lexicon);
    const rest = first && decode(part.slice(cut), lexicon);
    if (first && rest) return [...first, ...rest];
  }
  return undefined;
}

const canEnd = ({ kind }: Entry): boolean =>
  kind === 'garment' || kind === 'notGarment' || kind === 'colour' || kind === 'material';

/**
 * Takes a German or Dutch compound apart ("Herrenwinterjacke", "regenbroek"); an English one only
 * where all its parts are known ("snowboots"). The longest known last part wins.
 */
export function splitCompound(word: string, lexicon: Lexicon): Compound | undefined {
  const { locale, singles } = lexicon;
  if (locale !== 'de' && locale !== 'nl' && locale !== 'en') return undefined;
  if (word.length < SHORTEST_COMPOUND || word.length > LONGEST_COMPOUND) return undefined;
  const stemmed = stem(word, locale);
  const barred = NEVER_LAST[locale];
  for (let cut = SHORTEST_PART; cut <= word.length - SHORTEST_PART; cut++) {
    const last = word.slice(cut);
    const head = (singles.get(last) ?? singles.get(stemmed.slice(cut)))?.filter(canEnd);
    if (!head?.length) continue;
    const before = decode(word.slice(0, cut), lexicon);
    const trusted = locale !== 'en' && last.length >= SHORTEST_FREE_PART && !barred?.has(last);
    if (before || trusted) return { head, before: before ?? [] };
  }
  return undefined;
}
