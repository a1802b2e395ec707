import { describe, expect, test } from 'vitest';
import { LOCALES } from '../../../src/taxonomy/dictionary/schema.ts';
import type { FeedAttributes } from '../../../src/taxonomy/request-schema.ts';
import { classifyText } from '../../../src/taxonomy/text/classify-text.ts';
import { accuracy, namedBy, readFeedRows } from '../feed-rows.ts';

describe.each(LOCALES)('hand-written feed rows in %s', (locale) => {
  const { tuned, heldOut, notGarments } = readFeedRows(locale);

  test('there are at least fifty', () => {
    expect(tuned.length + heldOut.length).toBeGreaterThanOrEqual(50);
  });

  test.each([
    ['tuned', tuned],
    ['held-out', heldOut],
  ])('of %s rows, 97 % have the right region and 90 % the right category', (_, rows) => {
    const { region, leaf } = accuracy(rows);
    expect(region).toBeGreaterThanOrEqual(0.97);
    expect(leaf).toBeGreaterThanOrEqual(0.9);
  });

  test.each(notGarments)('"%s" is no garment', (title) => {
    const { id, confidence } = namedBy({ title });
    expect(id === undefined || confidence < 0.5).toBe(true);
  });
});

test.each<[string, string]>([
  ['dress shoes', 'dress_shoes'],
  ['dress shirt', 'dress_shirt'],
  ['shirt dress', 'long_sleeve_dress'],
  ['denim shirt dress', 'long_sleeve_dress'],
  ['T-Shirt-Kleid', 'light_dress'],
  ['robe chemise', 'long_sleeve_dress'],
  ['chemise de nuit', 'sleepwear'],
  ['belt for trousers', 'belt'],
  ['jacket with hood', 'light_jacket'],
  ['jacket without fleece', 'light_jacket'],
  ['Jeansjacke', 'denim_jacket'],
  ['Guertel aus Leder', 'belt'],
  ['Daunenjacke', 'down_jacket'],
  ['Herrenwinterjacke', 'down_jacket'],
  ['regenbroek', 'rain_trousers'],
  ['Jacke aus Leder', 'leather_jacket'],
  ['Pantalón wide leg', 'trousers'],
  ['set of 3 T-shirts', 't_shirt'],
  ['turtleneck sweater', 'turtleneck'],
  ['pyjama set with top and bottoms', 'sleepwear'],
  ['tennis skirt with shorts', 'skirt_light'],
  ['CARDIGAN', 'cardigan'],
])('"%s" is %s', (title, id) => {
  expect(namedBy({ title }).id).toBe(id);
});

test.each<[string, FeedAttributes, string]>([
  [
    'long sleeves',
    { title: 'Shirt kurz', sleeve_length: 'long', language: 'de' },
    'long_sleeve_tee',
  ],
  ['a material', { title: 'Jacket', material: '100% nylon, Gore-Tex' }, 'light_jacket'],
  [
    'the main material',
    { title: 'Jacket', material: '90% leather, 10% polyester' },
    'leather_jacket',
  ],
  [
    'a lesser stuff does nothing',
    { title: 'Trousers', material: '95% cotton, 5% wool' },
    'trousers',
  ],
  [
    'the product type where the title names nothing',
    { title: 'Alder 6-Inch', product_type: 'Shoes > Boots' },
    'boots',
  ],
  [
    'the last step of a path',
    { title: 'Nova', product_type: 'Clothing > Tops > Blouses' },
    'blouse',
  ],
  [
    'the description where there is nothing else',
    { title: 'Nova', description: 'A soft scarf. Wear it with boots.' },
    'scarf',
  ],
  ['a Google id alone', { title: 'Nova', google_product_category: 177 }, 'scarf'],
  [
    'a Google branch and a stuff',
    { title: 'Vintage Denim', google_product_category: '204' },
    'jeans',
  ],
])('%s decides', (_, row, id) => {
  expect(namedBy(row).id).toBe(id);
});

describe('a Google category', () => {
  const belief = (row: FeedAttributes) => namedBy(row).confidence;

  test('raises its own branch and lowers the others', () => {
    const alone = belief({ title: 'Jacket and skirt' });
    expect(belief({ title: 'Jacket and skirt', google_product_category: '5598' })).toBeGreaterThan(
      alone,
    );
    expect(belief({ title: 'Boots', google_product_category: '177' })).toBeLessThan(
      belief({ title: 'Boots' }),
    );
  });

  test.each([
    ['an id', '178'],
    ['a number', 178],
    ['a path', 'Apparel & Accessories > Clothing Accessories > Sunglasses'],
    ['a path in lower case', 'apparel & accessories > clothing accessories > sunglasses'],
  ])('may be %s', (_, google_product_category) => {
    expect(namedBy({ title: 'Nova', google_product_category }).id).toBe('sunglasses');
  });

  test('in another language is read as text', () => {
    const row = {
      title: 'Nova',
      google_product_category: 'Bekleidung & Accessoires > Schuhe > Stiefel',
    };
    expect(namedBy(row).id).toBe('boots');
  });

  test('outside apparel means no garment', () => {
    const row = { title: 'Boot tray', google_product_category: 'Home & Garden > Decor' };
    expect(namedBy(row).confidence).toBeLessThan(namedBy({ title: 'Boot tray' }).confidence);
    expect(namedBy({ title: 'Nova', google_product_category: '188' }).id).toBeUndefined();
    expect(
      namedBy({ title: 'Nova', google_product_category: 'Luggage & Bags > Backpacks' }).id,
    ).toBe('bag');
  });
});

describe('evidence', () => {
  const title = 'Jacke für Damen, wasserdicht';
  const evidence = classifyText({ title });

  test('has the words, their spans and their language', () => {
    const places = evidence.matches.get('rain_jacket') ?? [];
    expect(places.map(({ field, match, language }) => [field, match, language])).toEqual([
      ['title', 'Jacke', 'de'],
      ['title', 'wasserdicht', 'de'],
    ]);
    for (const { match, span } of places) expect(title.slice(...span)).toBe(match);
  });

  test('is absent without a garment word', () => {
    const { hasEvidence: speaks, language } = classifyText({ title: 'zzz 12345' });
    expect(speaks).toBe(false);
    expect(language).toBeUndefined();
  });

  test('is a distribution', () => {
    const sum = evidence.categories.reduce((a, b) => a + b, evidence.notGarment);
    expect(sum).toBeCloseTo(1, 9);
  });

  test('a declared language decides what a shared word means', () => {
    expect(namedBy({ title: 'Robe', language: 'fr' }).id).toBe('dress');
    expect(namedBy({ title: 'Robe', language: 'en-GB' }).id).toBe('robe');
  });
});

describe('attributes', () => {
  const attributes = (row: FeedAttributes) => classifyText(row).attributes;

  test.each<[string, FeedAttributes, { id: string; share?: number }[]]>([
    [
      'shares first',
      { material: '80% Wolle, 20% Polyamid' },
      [
        { id: 'wool', share: 0.8 },
        { id: 'nylon', share: 0.2 },
      ],
    ],
    [
      'shares last',
      { material: 'Coton 85 %, élasthanne 15 %' },
      [
        { id: 'cotton', share: 0.85 },
        { id: 'elastane', share: 0.15 },
      ],
    ],
    [
      'the first fabric only',
      { material: 'Shell: 100% nylon. Lining: 100% viscose' },
      [{ id: 'nylon', share: 1 }],
    ],
    [
      'one stuff twice',
      { material: '50% lambswool, 30% wool, 20% nylon' },
      [
        { id: 'wool', share: 0.8 },
        { id: 'nylon', share: 0.2 },
      ],
    ],
    ['no shares', { material: 'cotone/poliestere' }, [{ id: 'cotton' }, { id: 'polyester' }]],
    ['a part of a compound', { title: 'Lederhandschuhe' }, [{ id: 'leather' }]],
    ['not the lining', { title: 'Leather gloves, cashmere lined' }, [{ id: 'leather' }]],
    ['not the hood', { title: 'Parka with faux fur hood' }, []],
    ['no down of a button-down', { title: 'Button-down shirt' }, []],
    [
      'an unknown share left out',
      { material: '95% Baumwolle, 5% andere Fasern' },
      [{ id: 'cotton', share: 0.95 }],
    ],
  ])('materials: %s', (_, row, expected) => {
    expect(attributes(row).materials).toEqual(expected);
  });

  test.each<[string, FeedAttributes, string[]]>([
    ['two', { color: 'navy/white' }, ['navy', 'white']],
    ['a compound', { color: 'dunkelblau' }, ['navy']],
    ['a compound with a shade', { color: 'dunkelgrau' }, ['charcoal']],
    ['a shade after', { color: 'bleu clair' }, ['light_blue']],
    ['a shade before', { color: 'Dark Red' }, ['burgundy']],
    ['in the title', { title: 'Sneaker in Schwarz' }, ['black']],
    ['the column takes precedence', { title: 'Camel coat', color: 'grey' }, ['grey']],
    ['no snow in snow boots', { title: 'Snow boots, red' }, ['red']],
    ['in another language than the title', { title: 'Lederjacke', color: 'Black' }, ['black']],
  ])('colours: %s', (_, row, expected) => {
    expect(attributes(row).colors).toEqual(expected);
  });

  test.each<[keyof ReturnType<typeof attributes>, FeedAttributes, unknown]>([
    ['gender', { title: 'Damenbluse' }, 'female'],
    ['gender', { title: 'Zapatos hombre', gender: 'female' }, 'female'],
    ['gender', { title: 'Socks men women' }, 'unisex'],
    ['gender', { gender: 'Herren' }, 'male'],
    ['ageGroup', { title: 'Pantalon enfant' }, 'kids'],
    ['ageGroup', { age_group: 'toddler' }, 'toddler'],
    ['sleeveLength', { title: 'Camisa de manga corta' }, 'short'],
    ['sleeveLength', { sleeve_length: 'long' }, 'long'],
    ['sleeveLength', { title: 'Robe sans manches' }, 'sleeveless'],
    ['pattern', { title: 'Kariertes Hemd' }, 'checked'],
    ['pattern', { pattern: 'Polka dots' }, 'dots'],
    ['weight', { title: 'Lightweight jacket' }, 'light'],
    [
      'properties',
      { title: 'Jacke ohne Kapuze', description: 'Winddicht und atmungsaktiv.' },
      ['windproof', 'breathable'],
    ],
    ['seasons', { title: 'Vestito estivo' }, ['summer']],
    [
      'unrecognisedColumns',
      { title: 'Jacket', color: 'Nebula 7', gender: 'all' },
      ['color', 'gender'],
    ],
  ])('%s of %j', (name, row, expected) => {
    expect(attributes(row)[name]).toEqual(expected);
  });
});
