import { setImmediate } from 'node:timers/promises';
import type { FilledColumn } from '../../../feed-formats/columns.ts';
import type { FeedRow } from '../../../feed-formats/row.ts';
import type { Gateway } from '../../../gateway.ts';
import type { ResultLine } from '../../../intake/batches/batch-files.ts';
import { learnedFrom } from '../../../intake/learned-categories.ts';
import { classify, type ImageEvidence } from '../../../taxonomy/classify.ts';
import { colourFamilies, type Locale, materials } from '../../../taxonomy/dictionary/schema.ts';
import { feedRowAttributes } from '../../../taxonomy/feed-row.ts';
import type { Learned } from '../../../taxonomy/learned-schema.ts';
import { DEFAULT_SETTINGS } from '../../../taxonomy/request-schema.ts';
import type { Classification } from '../../../taxonomy/response-schema.ts';
import { shopPath } from '../../../taxonomy/shop-path.ts';

/** Returns what a worker has seen in an image, if it was asked to classify it. */
export const evidenceOf = (result: ResultLine | undefined): ImageEvidence | undefined =>
  result?.status === 'succeeded' ? result.results.view : undefined;

/** Returns what people have decided about a product. */
export type LearnedOf = (row: Pick<FeedRow, 'productType'>) => Learned | undefined;

export const asDecided = (category: string): Learned => ({
  path: null,
  category,
  decisions: 1,
  agreement: 1,
});

/** Reads all that a client's people have decided: a feed has many products of few categories. */
export async function readLearned(
  { learnedCategories }: Pick<Gateway, 'learnedCategories'>,
  client: string,
): Promise<LearnedOf> {
  const paths = await learnedCategories.list(client);
  const byPath = new Map(paths.map((each) => [each.path, learnedFrom(each)]));
  return ({ productType }) => byPath.get(shopPath(productType) ?? '');
}

/**
 * Classifies a product by its row and by its first image that was classified; undefined if none was. Lets
 * other requests pass first: long texts take milliseconds.
 */
export async function classifyProduct(
  row: FeedRow,
  image: ImageEvidence | undefined,
  learned: Learned | undefined,
): Promise<Classification | undefined> {
  if (!image) return undefined;
  await setImmediate();
  return classify({
    attributes: feedRowAttributes(row),
    image,
    learned,
    options: DEFAULT_SETTINGS,
    fallbackId: row.id,
  });
}

/** Colours and materials that a cell names; Google reads three. */
const MAX_NAMES = 3;
/** A smaller share of the photo is a detail, not a colour of the product. */
const MIN_COLOR_SHARE = 0.1;

type Labelled = ReadonlyMap<string, { labels: Readonly<Record<Locale, string>> }>;

/** Returns labels in the language of the row, separated as Google reads them. */
const namesOf = (ids: readonly string[], entries: Labelled, locale: Locale): string =>
  ids
    .flatMap((id) => entries.get(id)?.labels[locale] ?? [])
    .slice(0, MAX_NAMES)
    .join('/');

/** Returns the values of the columns that an export can fill; a product that is not certain has none. */
export function columnValues({
  status,
  evidence,
  attributes,
  mappings,
}: Classification): Partial<Record<FilledColumn, string>> {
  if (status !== 'classified') return {};
  const locale = evidence.text?.language ?? DEFAULT_SETTINGS.locale;
  const colors = attributes.colors
    .filter(({ share = 1 }) => share >= MIN_COLOR_SHARE)
    .map(({ family }) => family);
  return {
    google_product_category: mappings.google === null ? '' : String(mappings.google),
    color: namesOf(colors, colourFamilies, locale),
    material: namesOf(
      attributes.materials.map(({ id }) => id),
      materials,
      locale,
    ),
  };
}
