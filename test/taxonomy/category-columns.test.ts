import { expect, test } from 'vitest';
import { classify } from '../../src/taxonomy/classify.ts';
import { LOCALES } from '../../src/taxonomy/dictionary/schema.ts';
import { DEFAULT_SETTINGS, type FeedAttributes } from '../../src/taxonomy/request-schema.ts';
import { readGoogleCategory } from '../../src/taxonomy/text/google.ts';
import { someOf } from '../support/many.ts';
import { readFeedRows } from './feed-rows.ts';

/** Where a shop may file an article, and the region worn there; none for what is not worn. */
const FILED: readonly (readonly [region: string, path: string, googleId: number])[] = [
  ['top', 'Tops > Sweaters', 212],
  ['outerwear', 'Outerwear > Parkas', 5598],
  ['dress', 'Dresses > Evening dresses', 2271],
  ['bottom', 'Bottoms > Jeans', 204],
  ['shoes', 'Shoes > Sandals', 187],
  ['accessory', 'Accessories > Gloves', 170],
  ['none', 'Home > Lamps', 594],
];

const say = (attributes: FeedAttributes) => {
  const { category, garment, evidence } = classify({
    attributes,
    options: DEFAULT_SETTINGS,
    fallbackId: 'row',
  });
  const region = category ? category.region : garment === false ? 'none' : undefined;
  return { region, id: category?.id, contradictedBy: evidence.text?.contradictedBy ?? [] };
};

/** Whether Google's node has the category itself: sellers file cardigans among coats. */
const has = (googleId: number, id: string | null | undefined): boolean => {
  const node = readGoogleCategory(googleId);
  return 'categories' in node && node.categories.has(id ?? '');
};

test.each(LOCALES)('in %s, a category of another region is followed or named', (locale) => {
  const { tuned, heldOut, notGarments } = readFeedRows(locale);
  const titles = [...[...tuned, ...heldOut].flatMap(({ row }) => row.title ?? []), ...notGarments];
  let pairs = 0;
  const silent: string[] = [];
  for (const title of someOf(titles, 8)) {
    const alone = say({ title });
    for (const [region, product_type, google_product_category] of FILED) {
      if (alone.region === undefined || alone.region === region) continue;
      const rows = has(google_product_category, alone.id)
        ? [{ product_type }]
        : [{ product_type }, { google_product_category }];
      for (const row of rows) {
        pairs++;
        const filed = say({ title, ...row });
        if (filed.region === region || filed.contradictedBy.length > 0) continue;
        silent.push(`${title}: ${JSON.stringify(row)}`);
      }
    }
  }
  expect(pairs).toBeGreaterThan(titles.length);
  expect(silent).toEqual([]);
});
