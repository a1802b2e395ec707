import type { Locale } from '../dictionary/schema.ts';

/** Whether the head noun comes last: a "shirt dress" is a dress, and so is a "robe chemise". */
export const HEAD_IS_LAST: Readonly<Record<Locale, boolean>> = {
  en: true,
  de: true,
  nl: true,
  fr: false,
  es: false,
  it: false,
};

/**
 * What function words do in a title. `with`, `for` and `of` introduce the garment's parts, use and material; `pair`
 * what it is worn with; `without` negates what follows.
 */
export type Role = 'with' | 'for' | 'of' | 'without' | 'pair';

/** A kind of attribute and its value: `sleeveLength:long`. The words are in data/lexicon/attributes.tsv. */
export type Cue = `${string}:${string}`;
