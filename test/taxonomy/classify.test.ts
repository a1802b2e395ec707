import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { classify, type ImageEvidence } from '../../src/taxonomy/classify.ts';
import { categories, LOCALES, type Locale } from '../../src/taxonomy/dictionary/schema.ts';
import { IMAGE_CLASSES, type ImageClass } from '../../src/taxonomy/photo/image-classes.ts';
import {
  BatchItem,
  ClassifyOptions,
  ClassifyRequest,
  type FeedAttributes,
} from '../../src/taxonomy/request-schema.ts';
import { Classification } from '../../src/taxonomy/response-schema.ts';
import { readFeedRows } from './feed-rows.ts';

const photo = (name: ImageClass, more: Partial<ImageEvidence> = {}): ImageEvidence => ({
  probabilities: IMAGE_CLASSES.map((each) => (each === name ? 0.97 : 0.03 / 31)),
  colors: [{ family: 'navy', hex: '#1b2a4a', share: 1, lab: [17, 2, -20], deltaE: 1 }],
  width: 600,
  height: 800,
  hasAlpha: false,
  model: 'garment-class@1',
  ...more,
});

const settings = ({ locale = 'en', ...options }: { locale?: Locale; [name: string]: unknown }) => ({
  ...ClassifyOptions.parse(options),
  locale,
});
const answer = (attributes?: FeedAttributes, image?: ImageEvidence, options = {}) =>
  classify({ attributes, image, options: settings(options), fallbackId: 'request-1' });

describe.each(LOCALES)('each hand-written row in %s', (locale) => {
  const rows = ['tuned', 'heldOut'] as const;
  const answers = rows.flatMap((part) => readFeedRows(locale)[part]).map(({ row }) => answer(row));

  test('gives a response that matches the schema', () => {
    expect(answers).toHaveLength(100);
    for (const each of answers) expect(Classification.parse(each)).toEqual(each);
  });

  test('gives an item that the outfit engine accepts unchanged', () => {
    const items = answers.map(({ wardrobeItem }) => wardrobeItem).filter((item) => item !== null);
    expect(items.length).toBeGreaterThan(answers.length * 0.9);
    for (const item of items) expect(WardrobeItem.safeParse(item).error).toBeUndefined();
  });

  test('has a clo value inside its category’s range, and mappings', () => {
    const known = answers.flatMap(({ category, ...rest }) => {
      const entry = categories.get(category?.id ?? '');
      return entry ? [{ entry, ...rest }] : [];
    });
    expect(known.length).toBeGreaterThan(answers.length * 0.9);
    for (const { entry, insulation, mappings } of known) {
      expect(insulation?.clo).toBeGreaterThanOrEqual(entry.clo.min);
      expect(insulation?.clo).toBeLessThanOrEqual(entry.clo.max);
      expect(mappings).toEqual({
        shopify: entry.mappings.shopify.id,
        google: entry.mappings.google.id,
      });
    }
  });
});

// The examples of the design, and each factor.
test.each<[string, FeedAttributes, string, number]>([
  [
    'fill',
    { title: 'Herren Winterjacke, dunkelblau', material: '100% Polyester' },
    'down_jacket',
    0.55,
  ],
  [
    'wool, up to the range',
    { title: 'Robe midi à manches longues en laine noire' },
    'long_sleeve_dress',
    0.47,
  ],
  [
    'linen',
    { title: 'Camisa de lino de manga corta blanca para hombre' },
    'short_sleeve_shirt',
    0.16,
  ],
  [
    'cashmere, up to the range',
    { title: 'Maglione a collo alto in cashmere beige' },
    'turtleneck',
    0.37,
  ],
  ['denim that the name implies', { title: 'Dames spijkerbroek lichtblauw' }, 'jeans', 0.2],
  [
    'a membrane',
    { title: 'Waterproof rain jacket with hood, Gore-Tex, black' },
    'rain_jacket',
    0.33,
  ],
  ['a mix', { title: 'Jumper', material: '80% wool, 20% nylon' }, 'sweater', 0.34],
  ['a light garment', { title: 'Jumper', weight: 'light' }, 'sweater', 0.2],
  ['a heavy garment', { title: 'Parka', weight: 'heavy' }, 'parka', 0.9],
  ['shorter sleeves', { title: 'Blouse', sleeve_length: 'short' }, 'blouse', 0.12],
])('clo counts %s', (_, row, id, clo) => {
  const { category, insulation } = answer(row);
  expect([category?.id, insulation?.clo]).toEqual([id, clo]);
});

describe('attributes have a source', () => {
  test('text and defaults', () => {
    const { attributes } = answer({
      title: 'Striped long-sleeve dress',
      color: 'navy',
      material: '100% cotton',
      gender: 'female',
    });
    expect(attributes).toMatchObject({
      colors: [{ family: 'navy', hex: '#1b2a4a', source: 'text' }],
      colorFamily: { id: 'navy', source: 'text' },
      pattern: { id: 'striped', source: 'text' },
      materials: [{ id: 'cotton', share: 1, source: 'text' }],
      sleeveLength: { id: 'long', source: 'text' },
      gender: { id: 'female', source: 'text' },
      formality: { min: 2, max: 4, source: 'default' },
      seasons: { ids: ['spring', 'autumn', 'winter'], source: 'default' },
    });
  });

  test('a photo’s colours take precedence, and another colour in the text is added', () => {
    const { attributes, wardrobeItem, review } = answer(
      { title: 'Yellow t-shirt' },
      photo('t-shirt'),
    );
    expect(attributes.colors.map(({ family, source }) => [family, source])).toEqual([
      ['navy', 'measured'],
      ['yellow', 'text'],
    ]);
    expect(wardrobeItem?.colors).toEqual([{ family: 'navy', hex: '#1b2a4a', share: 1 }]);
    expect(review).toMatchObject({
      needed: true,
      reasons: ['colour-mismatch', 'material-missing'],
    });
  });

  test('a similar colour is no mismatch', () => {
    const { review } = answer({ title: 'Black t-shirt' }, photo('t-shirt'));
    expect(review.reasons).toEqual(['material-missing']);
  });

  test('a photo gives no material', () => {
    const { attributes, review } = answer(undefined, photo('outwear'));
    expect(attributes.materials).toEqual([]);
    expect(review).toMatchObject({ needed: false, reasons: ['material-missing'] });
  });
});

test('a photo of a watch is of no garment', () => {
  const { status, garment, category, review } = answer(undefined, photo('other'));
  expect([status, garment, category]).toEqual(['unknown', false, null]);
  expect(review.reasons).toContain('not-a-garment');
});

test.each<[string, FeedAttributes, [water: number | undefined, wind: number | undefined]]>([
  ['a rain jacket, by default', { title: 'Rain jacket' }, [1, 1]],
  ['a waterproof boot, by its text', { title: 'Boots, waterproof' }, [1, 0.67]],
  ['a water-repellent coat, by its text', { title: 'Wool coat, water-repellent' }, [0.5, 0.67]],
  [
    'a knit with nylon stops no wind',
    { title: 'Jumper', material: '50% nylon, 50% wool' },
    [0.33, 0.33],
  ],
  ['a shirt without known material', { title: 'Shirt' }, [undefined, undefined]],
])('rain and wind: %s', (_, row, [water, wind]) => {
  const { wardrobeItem } = answer(row);
  expect(wardrobeItem?.waterResistance).toBe(water);
  expect(wardrobeItem?.windResistance).toBe(wind);
});

describe('status', () => {
  test('classified', () => {
    const { status, category, evidence, modelVersion } = answer(
      { id: 'sku-1', title: 'Chelsea boots with tabs' },
      photo('shoes'),
    );
    expect(status).toBe('classified');
    expect(category).toMatchObject({
      id: 'boots',
      groupId: 'shoes',
      region: 'shoes',
      layer: 'footwear',
      source: 'fused',
    });
    expect(evidence).toMatchObject({
      image: { class: 'shoes', confidence: 0.97, calibrated: true },
      text: {
        category: 'boots',
        language: 'en',
        matches: [{ field: 'title', match: 'Chelsea boots', span: [0, 13] }],
      },
      agreement: true,
    });
    expect(modelVersion).toBe('garment-class@1');
  });

  test('uncertain: the group, no category, no item, a review', () => {
    const { status, category, wardrobeItem, insulation, mappings, review } = answer(
      { title: 'Schuhe' },
      undefined,
      { locale: 'de' },
    );
    expect(status).toBe('uncertain');
    expect(category).toMatchObject({
      id: null,
      label: 'Schuhe',
      groupId: 'shoes',
      region: 'shoes',
      layer: null,
    });
    expect([wardrobeItem, insulation]).toEqual([null, null]);
    expect(mappings).toEqual({ shopify: 'gid://shopify/TaxonomyCategory/aa-8', google: null });
    expect(review).toMatchObject({ needed: true, reasons: ['low-confidence'] });
  });

  test('unknown: only what was measured', () => {
    const { status, category, topK, attributes, review } = answer({
      title: 'Water bottle',
      color: 'red',
    });
    expect([status, category, topK]).toEqual(['unknown', null, []]);
    expect(attributes.colors[0]?.family).toBe('red');
    expect(review).toMatchObject({ needed: true, reasons: ['not-a-garment'] });
  });

  test.each<[FeedAttributes, boolean | null]>([
    [{ title: 'Denim jeans' }, true],
    [{ title: 'Schuhe' }, true],
    [{ title: 'Women Pink Dial Watch' }, false],
    [{ title: 'Nova', google_product_category: 'Electronics' }, false],
    [{ title: 'Boots', product_type: 'Watches' }, null],
    [{ title: 'Nova 3000' }, null],
    [{ title: '👗' }, null],
  ])('%j: a garment? %s', (row, garment) => {
    expect(answer(row).garment).toBe(garment);
  });

  test('something else: the words that say so', () => {
    const { status, category, evidence, review } = answer({ title: 'Women Pink Dial Watch' });
    expect([status, category]).toEqual(['unknown', null]);
    expect(evidence.text).toMatchObject({ category: null, matches: [{ match: 'Watch' }] });
    expect(evidence.text?.notGarment).toBeGreaterThan(0.9);
    expect(review.reasons).toEqual(['not-a-garment']);
  });

  test('a category that contradicts the title is named, with both candidates', () => {
    const { status, topK, evidence, review } = answer(
      { title: 'Denim jeans', google_product_category: 187 },
      undefined,
      { locale: 'de' },
    );
    expect(status).toBe('uncertain');
    expect(topK.map(({ id }) => id)).toEqual(expect.arrayContaining(['jeans', 'sneakers']));
    expect(evidence.text?.contradictedBy).toEqual(['google_product_category']);
    expect(review.needed).toBe(true);
    expect(review.explanation).toContainEqual({
      code: 'text-category-disagree',
      text: 'Titel und Kategorie nennen verschiedene Artikel',
    });
  });

  test('a language that is not supported is named', () => {
    const { status, review } = answer({ title: 'Sukienka damska letnia top' });
    expect(status).toBe('uncertain');
    expect(review.reasons).toEqual(['low-confidence', 'language-not-supported']);
  });

  test('a photo of another article is flagged, with both candidates', () => {
    const { status, topK, evidence, review } = answer({ title: 'Blue jeans' }, photo('shoes'));
    expect(status).toBe('uncertain');
    expect(evidence.agreement).toBe(false);
    expect(topK.map(({ id }) => id)).toEqual(expect.arrayContaining(['jeans', 'sneakers']));
    expect(review.reasons).toContain('image-text-disagree');
  });

  test('a small photo and a set are flagged', () => {
    expect(answer(undefined, photo('skirt', { width: 64 })).review.reasons).toContain('too-small');
    expect(answer({ title: 'Veste et jupe' }).review.reasons).toContain('multiple-garments');
  });
});

describe('options', () => {
  test('minConfidence decides between category and group', () => {
    const row = { title: 'Schuhe' };
    expect(answer(row, undefined, { minConfidence: 0.05 }).status).toBe('classified');
    expect(answer({ title: 'Boots' }, undefined, { minConfidence: 0.99 }).status).toBe('uncertain');
  });

  test('topK limits the candidates, the most likely first', () => {
    const { topK } = answer({ title: 'Schuhe' }, undefined, { topK: 3 });
    expect(topK).toHaveLength(3);
  });

  test('locale is the language of the labels', () => {
    expect(answer({ title: 'Boots' }, undefined, { locale: 'it' }).category?.label).toBe('Stivali');
  });

  test('wardrobeItem can be turned off', () => {
    expect(answer({ title: 'Boots' }, undefined, { wardrobeItem: false }).wardrobeItem).toBeNull();
  });
});

test('an item is named after the row, or after the request', () => {
  expect(answer({ id: 'sku-1', title: 'Boots' }).wardrobeItem).toMatchObject({
    id: 'sku-1',
    name: 'Boots',
  });
  expect(answer(undefined, photo('t-shirt')).wardrobeItem).toMatchObject({
    id: 'request-1',
    name: 'T-shirt',
  });
});

test('unknown columns and unrecognised values are listed', () => {
  const { warnings } = answer({
    title: 'Boots',
    gtin: '4006381333931',
    color: 'Nebula',
    availability: 'in stock',
  });
  expect(warnings).toEqual([
    'The column "availability" is unknown and was ignored',
    'The column "gtin" is unknown and was ignored',
    'The column "color" has no word the dictionary knows',
  ]);
});

describe('a request', () => {
  const faults = (schema: z.ZodType, body: unknown) =>
    (schema.safeParse(body).error?.issues ?? []).map(({ path }) => path.join('/'));

  test('reports all errors at once', () => {
    const body = {
      attributes: {
        title: 'x'.repeat(301),
        description: 'x'.repeat(5001),
        google_product_category: -1,
        id: 'a\u0007',
      },
      options: { topK: 11, minConfidence: 2, locale: 'ru', more: 1 },
      extra: true,
    };
    expect(faults(ClassifyRequest, body).toSorted()).toEqual([
      '',
      'attributes/description',
      'attributes/google_product_category',
      'attributes/id',
      'attributes/title',
      'options',
      'options/locale',
      'options/minConfidence',
      'options/topK',
    ]);
  });

  test.each([{}, { options: {} }])('needs an image or attributes: %j', (body) => {
    expect(faults(ClassifyRequest, body)).toEqual(['']);
    expect(faults(BatchItem, { id: 'a' })).toEqual(['']);
  });

  test('may have any column of a feed', () => {
    const parsed = ClassifyRequest.parse({ attributes: { title: 'Boots', price: '9 EUR' } });
    expect(parsed.attributes).toEqual({ title: 'Boots', price: '9 EUR' });
  });
});
