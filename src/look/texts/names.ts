import type { Locale } from '../../taxonomy/dictionary/schema.ts';
import { LANGUAGES } from './explanations.ts';

/** The occasion of requests that name none. */
export const DEFAULT_OCCASION = 'casual';

/** The parts of names in one language. */
interface NameWords {
  /** Adjective of a feel, in agreement with the word for look. */
  feel: Readonly<Record<string, string>>;
  /** The word for look, qualified by an occasion. */
  style: Readonly<Record<string, string>>;
  /** `{feel}`, `{look}` (with its style) and `{colour}` in the order of the language. */
  pattern: string;
  /** The same without a colour. */
  plain: string;
  /** Adds `{garments}` to a name. */
  with: string;
  and: string;
  /** A `{garment}` with its `{colour}` as a noun, which agrees with every garment. */
  coloured: string;
  /** Marks a text that is quoted, such as an id: `{text}`. */
  quote: string;
}

const inEach = <T>(select: (texts: (typeof LANGUAGES)[Locale]) => T): Record<Locale, T> => {
  const { en, de, fr, es, it, nl } = LANGUAGES;
  return {
    en: select(en),
    de: select(de),
    fr: select(fr),
    es: select(es),
    it: select(it),
    nl: select(nl),
  };
};

export const NAME_WORDS: Readonly<Record<Locale, NameWords>> = inEach(({ names }) => names);

/**
 * Garments as they stand after the word for "with", if that is not the label of the dictionary: with an
 * article in English, in the dative in German, in the order of the language elsewhere.
 */
export const GARMENTS = inEach<Readonly<Record<string, string>>>(({ garments }) => garments);
