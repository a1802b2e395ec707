import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/taxonomy/classify.ts';
import { DEFAULT_SETTINGS, type FeedAttributes } from '../../../src/taxonomy/request-schema.ts';

interface Kind {
  kind: string;
  request: { attributes: FeedAttributes };
  /** A category, or `none`: then none may be answered. */
  right: string;
}

const KINDS = readFileSync(new URL('../../fixtures/naming/kinds.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line): Kind => JSON.parse(line));

const say = (attributes: FeedAttributes) =>
  classify({ attributes, options: DEFAULT_SETTINGS, fallbackId: 'row' });

test.each(
  KINDS.map(
    ({ kind, request, right }) => [request.attributes.title, kind, right, request] as const,
  ),
)('"%s" (%s) is %s', (_, __, right, { attributes }) => {
  const { status, category } = say(attributes);
  expect(status === 'classified' ? category?.id : 'none').toBe(right);
});

describe('an unknown head', () => {
  // No language has the word "zorvik".
  test.each([
    'Zorvik für Jacken',
    'Zorvik pour manteaux',
    'Zorvik para vestidos',
    'Zorvik per giacche',
    'Zorvik voor broeken',
    'Zorvik for jackets',
    'Zorvik fleece',
  ])('"%s" never answers above .5', (title) => {
    const { category, garment } = say({ title });
    expect(category?.confidence ?? 0).toBeLessThanOrEqual(0.5);
    expect(garment).not.toBe(true);
  });

  test('a maker’s name before the wearer is none', () => {
    expect(say({ title: 'Zorvik for men winter jacket' }).category?.id).toBe('down_jacket');
  });
});

describe('what is no garment', () => {
  test.each([
    ['Dog raincoat M', 'pet'],
    ['Strickanleitung Pullover PDF', 'pattern'],
    ['Waschmittel für Jacken 250 ml', 'care'],
    ['Baumwolljersey Meterware', 'metre'],
  ])('"%s" seems to be %s', (title, thing) => {
    const { garment, evidence } = say({ title });
    expect([garment, evidence.text?.thing]).toEqual([false, thing]);
  });

  test('people may wear what shows an animal', () => {
    expect(say({ title: 'Women’s jumper with dog print' }).category?.id).toBe('sweater');
  });
});

describe('a thing after a garment', () => {
  test.each(['Klompen bloempot', 'Stropdas sleutelhanger leer', 'Veste bouteille'])(
    '"%s" is what is sold',
    (title) => expect(say({ title }).category?.id).toBeUndefined(),
  );

  test.each([
    ['beside a wearer', 'Stropdas sleutelhanger heren', 'tie'],
    ['that is a colour', 'Pull mohair sapin', 'sweater'],
  ])('%s is none', (_, title, id) => expect(say({ title }).category?.id).toBe(id));
});

describe('a garment stays one', () => {
  test.each([
    ['without a part', 'Joggingbroek open pijp zonder elastiek heren', 'joggers'],
    [
      'after the name of a person that begins as a thing does',
      'Pfanner Flanellhemd Karo Gr. 3XL',
      'flannel_shirt',
    ],
    [
      'of a maker that is a word of another language',
      'Gant Superfine Lambswool V-Neck burgundy 3XL',
      'sweater',
    ],
    ['with a model’s number and a W', 'Triumph Amourette 300 W Spitze 80C', 'bra'],
    ['in its box', 'Stropdas satijn in giftbox', 'tie'],
  ])('%s: "%s"', (_, title, id) => expect(say({ title }).category?.id).toBe(id));
});

test('a man’s blouse is a shirt', () =>
  expect(say({ title: 'Blouse heren geruit' }).category?.id).toBe('shirt'));

test('no part of a garment’s name says who wears it', () => {
  expect(say({ title: 'Pudelmütze Grobstrick' }).category?.id).toBe('beanie');
});

describe('a set', () => {
  test('has an item for each of its garments', () => {
    const { items, category } = say({ id: 'sku', title: 'Top and skirt set floral' });
    expect(items?.map(({ id, category: leaf }) => [id, leaf])).toEqual([
      ['sku-0', 't_shirt'],
      ['sku-1', 'skirt_light'],
    ]);
    expect(category?.id).toBe('t_shirt');
    expect(category?.confidence).toBeLessThan(0.9);
  });

  test('one garment has no items', () => {
    expect(say({ title: 'Top floral' }).items).toBeUndefined();
  });
});

test.each([
  ['T-Shirt Jungen Gr. 128', 'kids'],
  ['Robe 8 ans rouge', 'kids'],
  ['Broek maat 5-6Y', 'kids'],
  ['Pantalón 18 meses', 'toddler'],
  ['Body neonato 0-3 mesi', 'newborn'],
  ['Strampler 62/68', 'infant'],
  ['Herrenhose Gr. 52', undefined],
  ['Women’s shirt baby blue', undefined],
  ['Baby tee white', undefined],
  ['Gürtel 2 m', undefined],
])('the age in "%s" is %s', (title, age) => {
  expect(say({ title }).attributes.ageGroup?.id).toBe(age);
});

describe('bad input has an honest answer', () => {
  test.each<[string, FeedAttributes]>([
    ['a title of 2,000 characters', { title: 'xyzzy '.repeat(333) }],
    ['a word in Cyrillic', { title: 'Куртка' }],
    ['brand and size', { title: 'Nike M' }],
    ['emoji', { title: '🧥👗' }],
    ['a Google id that does not exist', { title: 'Zorvik', google_product_category: 99_999_999 }],
  ])('%s', (_, attributes) => {
    const { status, garment, category } = say(attributes);
    expect([status, category, garment === true]).toEqual(['unknown', null, false]);
  });

  test('a category path in another language is read', () => {
    const row = { title: 'Zorvik', product_type: 'Bekleidung > Damen > Röcke' };
    expect(say(row).category?.id).toBe('skirt_light');
  });
});
