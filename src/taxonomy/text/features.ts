import { LOCALES } from '../dictionary/schema.ts';
import type { Field } from './fields.ts';
import type { ArticleMention } from './heads.ts';
import { type Entry, lexiconOf } from './lexicon.ts';
import { isGeneral } from './refine.ts';
import type { Match } from './scan.ts';
import type { Support } from './second-opinion.ts';

/** What the confidence in a named category depends on. Each is between 0 and 1. */
export const FEATURES = [
  /** The noun is the last part of a compound with an unknown first one. */
  'openCompound',
  /** The name has several words. */
  'phrase',
  /** The noun names a category that other words refine. */
  'refined',
  'general',
  /** The name was found elsewhere than in the title. */
  'description',
  /** Another language than the text's names the article. */
  'otherLanguage',
  /** The noun names something else in a language that the text may be in. */
  'falseFriend',
  /** Other nouns: in the main clause, things that are no garment. */
  'rivals',
  'rivalsNoGarment',
  /** The share of words that are known. */
  'coverage',
  'length',
  /** The product type agrees. */
  'typeAgrees',
  /** The probability of the category by the linear model (second-opinion.ts). */
  'support',
] as const;
export type Feature = (typeof FEATURES)[number];
export type Features = Readonly<Record<Feature, number>>;

/** A mention that names the category, and how. */
export interface Naming {
  field: Field;
  mention: ArticleMention;
  mentions: readonly ArticleMention[];
  isRefined: boolean;
  /** Shops mean more than one category by it. */
  isAmbiguous?: boolean;
}

/** The category that leads, and what else speaks for it: the linear model, and whether the product type agrees. */
export interface Lead extends Support {
  id: string;
  typeAgrees: boolean;
}

/** At most this many words count for the length of a text. */
const LONG_TEXT_WORDS = 20;
/** At most this many rivals count. */
const MAX_RIVALS = 2;

const flag = (holds: boolean): number => (holds ? 1 : 0);
const capped = (count: number): number => Math.min(count, MAX_RIVALS) / MAX_RIVALS;
const isNoGarment = ({ kind }: Entry): boolean => kind === 'notGarment';

/** The votes of a word's other meanings, relative to the text's language. */
function falseFriend({ tokens, votes, locale }: Field, match: Match): number {
  if (match.last > match.first) return 0;
  const own = votes[LOCALES.indexOf(locale)] ?? 0;
  const word = tokens[match.last]?.text ?? '';
  const others = LOCALES.map((other, i) => {
    if (other === locale) return 0;
    const meanings =
      (lexiconOf(other).surfaces.has(word) && lexiconOf(other).singles.get(word)) || [];
    const nouns = meanings.filter(({ kind }) => kind === 'garment' || kind === 'notGarment');
    const differs = nouns.length > 0 && nouns.every(({ id }) => id !== match.entry.id);
    return differs ? (votes[i] ?? 0) / Math.max(own, 0.1) : 0;
  });
  return Math.min(1, Math.max(...others));
}

const isWord = (text: string): boolean => text.length >= 3 && !/\d/.test(text);

function coverageOf({ tokens, isKnown }: Field): number {
  let words = 0;
  let known = 0;
  for (let at = 0; at < tokens.length; at++) {
    if (!isWord(tokens[at]?.text ?? '')) continue;
    words++;
    if (isKnown[at]) known++;
  }
  return words === 0 ? 1 : known / words;
}

/** Describes how a category was named. */
export function featuresOf(naming: Naming, others: Lead): Features {
  const { field, mention, mentions, isRefined } = naming;
  const { match } = mention;
  const rest = mentions.filter((other) => other.match.entry.id !== match.entry.id);
  const rivals = rest.filter(({ role }) => role === undefined);
  return {
    openCompound: flag(match.by === 'open'),
    phrase: flag(match.last > match.first),
    refined: flag(isRefined),
    general: flag(!isRefined && isGeneral(match.entry.id)),
    description: flag(field.name === 'description'),
    otherLanguage: flag(!field.isMainLanguage),
    falseFriend: falseFriend(field, match),
    rivals: capped(rivals.length),
    rivalsNoGarment: capped(rest.filter((other) => isNoGarment(other.match.entry)).length),
    coverage: coverageOf(field),
    length: Math.min(1, field.tokens.length / LONG_TEXT_WORDS),
    typeAgrees: flag(others.typeAgrees),
    support: others.support,
  };
}
