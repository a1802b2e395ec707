import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CATEGORY_IDS, categories, Locale, Region } from '../../src/taxonomy/dictionary/schema.ts';
import { FeedAttributes } from '../../src/taxonomy/request-schema.ts';
import { classifyText } from '../../src/taxonomy/text/classify-text.ts';

const Row = z.strictObject({
  row: FeedAttributes,
  region: Region,
  leaf: z.enum(CATEGORY_IDS),
});
export type Row = z.infer<typeof Row>;

/** Hand-written rows of one language; the file's `note` says how they came to be. */
const FeedRows = z.strictObject({
  language: Locale,
  note: z.string(),
  tuned: z.array(Row),
  heldOut: z.array(Row),
  notGarments: z.array(z.string()),
});
export type FeedRows = z.infer<typeof FeedRows>;

export const readFeedRows = (locale: Locale): FeedRows =>
  FeedRows.parse(
    JSON.parse(
      readFileSync(new URL(`../fixtures/feed-rows/${locale}.json`, import.meta.url), 'utf8'),
    ),
  );

/** The likeliest category of a row, and how likely it is; no category where none is likelier than none. */
export function namedBy(row: FeedAttributes): { id: string | undefined; confidence: number } {
  const { categories: odds, notGarment } = classifyText(row);
  const confidence = Math.max(...odds);
  return {
    id: confidence > notGarment ? CATEGORY_IDS[odds.indexOf(confidence)] : undefined,
    confidence,
  };
}

/** Shares of rows whose region and whose category are right. */
export function accuracy(rows: readonly Row[]): { rows: number; region: number; leaf: number } {
  const named = rows.map(({ row }) => namedBy(row).id ?? '');
  const share = (isRight: (row: Row, id: string) => boolean) =>
    rows.filter((row, i) => isRight(row, named[i] ?? '')).length / rows.length;
  return {
    rows: rows.length,
    region: share(({ region }, id) => categories.get(id)?.region === region),
    leaf: share(({ leaf }, id) => id === leaf),
  };
}
