import { LOCALES, type Locale } from './dictionary/schema.ts';
import { lazily } from './lazily.ts';
import type { ReviewReason } from './response-schema.ts';
import { readTable } from './tables.ts';

type TextKey = `review.${ReviewReason}` | `column.${'unknown' | 'unrecognised'}`;

const texts = lazily(
  () => new Map(readTable('taxonomy/texts').map(([key = '', ...inLocales]) => [key, inLocales])),
);

/**
 * Returns a text of data/taxonomy/texts.tsv: why a person should look at a classification, or what was not used of a
 * feed row, where `{column}` is the column's name.
 */
export const textOf = (key: TextKey, locale: Locale): string =>
  texts().get(key)?.[LOCALES.indexOf(locale)] ?? key;
