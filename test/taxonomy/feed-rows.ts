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

/** Hand-written rows of one language; the file's `note` documents their origin. */
const FeedRows = z.strictObject({
  language: Locale,
  note: z.string(),
  tuned: z.array(Row),
  heldOut: z.array(Row),
  notGarments: z.array(z.string()),
});
type FeedRows = z.infer<typeof FeedRows>;

export const readFeedRows = (locale: Locale): FeedRows =>
  FeedRows.parse(
    JSON.parse(
      readFileSync(new URL(`../fixtures/feed-rows/${locale}.json`, import.meta.url), 'utf8'),
    ),
  );

/** Returns the most likely category of a row and its probability; no category if "no garment" is more likely. */
export function namedBy(row: FeedAttributes): { id: string | undefined; confidence: number } {
  const { categories: odds, notGarment } = classifyText(row);
  const confidence = Math.max(...odds);
  return {
    id: confidence > notGarment ? CATEGORY_IDS[odds.indexOf(confidence)] : undefined,
    confidence,
  };
}

/** Returns the shares of rows with the right region and the right category. */
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
