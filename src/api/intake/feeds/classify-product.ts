import { setImmediate } from 'node:timers/promises';
import type { FilledColumn } from '../../../feed-formats/columns.ts';
import type { FeedRow } from '../../../feed-formats/row.ts';
import type { ResultLine } from '../../../intake/batches/rows.ts';
import { classify, type ImageEvidence } from '../../../taxonomy/classify.ts';
import { colourFamilies, type Locale, materials } from '../../../taxonomy/dictionary/schema.ts';
import { feedRowAttributes } from '../../../taxonomy/feed-row.ts';
import { DEFAULT_SETTINGS } from '../../../taxonomy/request-schema.ts';
import type { Classification } from '../../../taxonomy/response-schema.ts';

/** Returns what a worker has seen in an image, if it was asked to classify it. */
export const evidenceOf = (result: ResultLine | undefined): ImageEvidence | undefined =>
  result?.status === 'succeeded' ? result.results.view : undefined;

/**
 * Classifies a product by its row and by its first image that was classified; undefined if none was. Lets
 * other requests pass first: long texts take milliseconds.
 */
export async function classifyProduct(
  row: FeedRow,
  image: ImageEvidence | undefined,
): Promise<Classification | undefined> {
  if (!image) return undefined;
  await setImmediate();
  return classify({
    attributes: feedRowAttributes(row),
    image,
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
