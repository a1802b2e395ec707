import { classify } from './classify.ts';
import type { Region } from './dictionary/schema.ts';
import { DEFAULT_SETTINGS, type FeedAttributes } from './request-schema.ts';

/** The attributes that are read from a feed: each column of a row, and how many of its characters. */
// biome-ignore format: a table reads best aligned
const ATTRIBUTES = [
  ['title',                   'title',                 300],
  ['description',             'description',           5000],
  ['product_type',            'productType',           750],
  ['google_product_category', 'googleProductCategory', 750],
  ['brand',                   'brand',                 100],
  ['color',                   'color',                 200],
  ['material',                'material',              500],
  ['gender',                  'gender',                50],
  ['age_group',               'ageGroup',              50],
] as const satisfies readonly (readonly [keyof FeedAttributes, string, number])[];

/** The columns of a feed's row that say what it sells. */
type FeedRowTexts = Readonly<Partial<Record<(typeof ATTRIBUTES)[number][1], string | undefined>>>;

/** Returns what a row of a feed says of its product. */
export const feedRowAttributes = (row: FeedRowTexts): FeedAttributes =>
  Object.fromEntries(
    ATTRIBUTES.flatMap(([attribute, column, maxChars]) => {
      const text = row[column];
      return text === undefined ? [] : [[attribute, text.slice(0, maxChars)]];
    }),
  );

/** Returns where the product of a row is worn; undefined if its texts do not say. Long texts take milliseconds. */
export function soldRegion(row: FeedRowTexts): Region | undefined {
  const attributes = feedRowAttributes(row);
  const { category } = classify({ attributes, options: DEFAULT_SETTINGS, fallbackId: 'row' });
  return category?.region ?? undefined;
}
