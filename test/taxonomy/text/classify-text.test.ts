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
  ['Top crop con lazo', 'camisole'],
  ['Top crop à rayures', 'camisole'],
  ['Bolso tote bag lona', 'bag'],
  ['Dress shirt negra', 'dress_shirt'],
])('"%s" is %s', (title, id) => {
  expect(namedBy({ title }).id).toBe(id);
});

describe('a title is read in one language', () => {
  test.each<[string, string, string]>([
    ['Cora Parachute Pant', 'joggers', 'en'],
    ['Chloe Compete Tank', 'tank_top', 'en'],
    ['Strike Endurance Tee', 't_shirt', 'en'],
    ['Park Avenue Men Navy Blue Tie', 'tie', 'en'],
    ['heavy jersey shirt mit stehkragen', 't_shirt', 'de'],
    ['sandalette mit riemen in flecht optik', 'sandals', 'de'],
    ['Fever London One-Shoulder-Abendkleid', 'evening_dress', 'de'],
    ['Trekkinghose atmungsaktiv', 'cargo_pants', 'de'],
    ['PUMA x HYROX truckerpet, Zwart', 'cap', 'nl'],
    ['Veste de smoking', 'blazer', 'fr'],
    ['Chaleco tejido', 'knit_vest', 'es'],
    ['Camicia lino', 'shirt', 'it'],
  ])('"%s" is %s, in %s', (title, id, language) => {
    expect(namedBy({ title }).id).toBe(id);
    expect(classifyText({ title }).language).toBe(language);
  });

  test.each([
    ['parachute', 'de'],
    ['compete', 'nl'],
    ['endurance', 'nl'],
    ['avenue', 'de'],
  ])('"%s" is no compound of words of %s', (word, language) => {
    expect(namedBy({ title: word, language }).id).toBeUndefined();
  });

  test.each([
    ['Herrenwinterjacke', 'down_jacket'],
    ['Lammfellstiefel', 'winter_boots'],
    ['Baumwollwickelkleid', 'dress'],
    ['voetbalschoenen', 'sports_shoes'],
    ['Taschenschirm', undefined],
  ])('"%s" is one, of words that cover it', (title, id) => {
    expect(namedBy({ title }).id).toBe(id);
  });

  test('a compound with an unknown part is less certain', () => {
    const known = namedBy({ title: 'Blumenkleid mit Gürtel', language: 'de' });
    const unknown = namedBy({ title: 'Quorpenkleid mit Gürtel', language: 'de' });
    expect([known.id, unknown.id]).toEqual(['dress', 'dress']);
    expect(unknown.confidence).toBeLessThan(known.confidence);
  });

  test('a group leaves its category open', () => {
    expect(namedBy({ title: 'Women Shoes' }).confidence).toBeLessThan(0.9);
    expect(namedBy({ title: 'Top', product_type: 'Women > Tops' })).toMatchObject({
      id: 't_shirt',
      confidence: expect.closeTo(0.85, 1),
    });
  });

  test('a word that other languages understand differently is less certain', () => {
    const { confidence } = namedBy({ title: 'Shirt Nova' });
    expect(confidence).toBeLessThan(0.95);
    expect(namedBy({ title: 'Shirt Nova', language: 'en' }).confidence).toBeGreaterThan(confidence);
  });
});

describe('the head noun wins', () => {
  test.each([
    ['U.S. Polo Assn. Men Brown Shoes', 'sneakers'],
    ['U.S. Polo Assn. Men Striped Grey Sweaters', 'sweater'],
    ['U.S. Polo Assn. Men Stripes Blue Polo Tshirt', 'polo_shirt'],
    ['Pepe Jeans Camisa azul', 'shirt'],
    ['2er Pack Sneaker Socken', 'socks_thin'],
    ['Pack of 3 Socks', 'socks_thin'],
    ['Levis Men Scottish Stripes Flat Knit Pack of 3 Socks', 'socks_thin'],
    ['Quechua Men Fleece Olive Sweatshirt', 'sweatshirt'],
    ['Churidar Kurta with Dupatta', 'shalwar_kameez'],
    ['Women Salwar and Dupatta', 'shalwar_kameez'],
    ['Bluse mit Gürtel', 'blouse'],
    ['Abito con cintura', 'dress'],
    ['Gabrielle Micro Sleeve Top', 't_shirt'],
    ["Jeans 'Rock Star'", 'jeans'],
    ['Innerwear Vest', 'undershirt'],
  ])('in "%s": %s', (title, id) => {
    expect(namedBy({ title }).id).toBe(id);
  });

  test('over the words of the maker in their column', () => {
    const title = 'Kilt Hood Jacket Hoodie';
    expect(namedBy({ title: 'Zapato Loco camisa blanca', brand: 'Zapato Loco' }).id).toBe('shirt');
    expect(namedBy({ title, brand: 'Hoodie' }).id).toBe('light_jacket');
    expect(namedBy({ title: 'Hoodie', brand: 'Hoodie' }).id).toBe('hoodie');
  });

  test.each(['Vest', 'Men Red Vest', 'Chaleco', 'Weste'])('"%s" may be several things', (title) => {
    expect(namedBy({ title }).confidence).toBeLessThan(0.5);
  });
});

describe('a title that sells something else', () => {
  test.each([
    ['Fastrack Women Pink Dial Watch', 'en'],
    ['Revlon Craving Coral Nail Polish 369', 'en'],
    ['Silicone phone case for iPhone 13', 'en'],
    ['Timberland Unisex Black Boot Sauce Cream', 'en'],
    ['Wooden toy train', 'en'],
    ['Dog sweater', 'en'],
    ['Puppenkleid', 'de'],
    ['taschen schirm mit patell blumen', 'de'],
    ['Étui pour téléphone à bandoulière matelassé', 'fr'],
    ['Perfume de mujer 50 ml', 'es'],
    ['Robot aspirapolvere e lavapavimenti', 'it'],
    ['Leren telefoonhoesje', 'nl'],
  ])('"%s" is no garment', (title) => {
    expect(classifyText({ title }).notGarment).toBeGreaterThan(0.8);
  });

  test.each(['Tee with watch print', 'Dress with phone pocket'])(
    '"%s" sells a garment',
    (title) => {
      expect(classifyText({ title }).notGarment).toBeLessThan(0.1);
    },
  );
});

describe('a category column', () => {
  test.each<[FeedAttributes, string[]]>([
    [{ title: 'Denim jeans', google_product_category: 187 }, ['google_product_category']],
    [{ title: 'Denim jeans', product_type: 'Men > Shoes' }, ['product_type']],
    [{ title: 'Boots', product_type: 'Watches' }, ['product_type']],
    [
      { title: 'Scarf', product_type: 'Jackets', google_product_category: 'Home & Garden' },
      ['product_type', 'google_product_category'],
    ],
    [{ title: 'Denim jeans', google_product_category: 204, product_type: 'Pants' }, []],
    [{ title: 'Tunic', product_type: 'Dresses' }, []],
    [{ title: 'Jacket', google_product_category: 212 }, []],
    [{ title: 'Pyjama trousers', google_product_category: 204 }, []],
    [
      { title: 'Jean slim', google_product_category: 'Vêtements et accessoires > Chaussures' },
      ['google_product_category'],
    ],
    [
      { title: 'Jeanshose blau', google_product_category: 'Bekleidung & Accessoires > Schuhe' },
      ['google_product_category'],
    ],
    [
      { title: 'Vaqueros rectos', google_product_category: 'Ropa y accesorios > Zapatos' },
      ['google_product_category'],
    ],
    [
      { title: 'Jeans', google_product_category: '187 - Apparel & Accessories > Shoes' },
      ['google_product_category'],
    ],
    [
      { title: 'Jeans', google_product_category: 'Apparel & Accessories > Shoes (187)' },
      ['google_product_category'],
    ],
    [
      { title: 'Jeans', google_product_category: 'Apparel &amp; Accessories &gt; Shoes' },
      ['google_product_category'],
    ],
    [
      { title: 'Jeans', google_product_category: 'Apparel & Accessories / Shoes' },
      ['google_product_category'],
    ],
    [
      { title: 'Nova', product_type: 'Shoes', google_product_category: 2271 },
      ['google_product_category'],
    ],
    [{ product_type: 'Shoes', google_product_category: 187 }, []],
    [{ title: 'Jean slim', google_product_category: 'Vêtements et accessoires > Pantalons' }, []],
    [{ title: 'Jeans', google_product_category: '204 - Apparel & Accessories > Clothing' }, []],
    [{ title: 'Denim jeans', product_type: 'Sale > New in' }, []],
  ])('of %j: contradicted by %j', (row, columns) => {
    const { contradictions, isContradicted } = classifyText(row);
    expect(isContradicted ? contradictions : []).toEqual(columns);
  });

  test.each([
    [{ title: 'Tunic', product_type: 'Dresses' }, ['product_type']],
    [{ title: 'T-Shirt', product_type: 'Outerwear > Parkas' }, ['product_type']],
    [{ title: 'Cardigan', google_product_category: 5598 }, []],
  ])('of %j that may mean the same is named all the same: %j', (row, columns) => {
    const { contradictions, isContradicted } = classifyText(row);
    expect([isContradicted, contradictions]).toEqual([false, columns]);
  });

  test('of trousers contradicts a shirt, though it has leggings', () => {
    expect(classifyText({ title: 'Shirt', google_product_category: 204 }).isContradicted).toBe(
      true,
    );
  });

  test('that contradicts is believed as much as the title', () => {
    const { id, confidence } = namedBy({ title: 'Denim jeans', google_product_category: 187 });
    expect(id).toBe('jeans');
    expect(confidence).toBeLessThan(0.5);
  });

  test('that agrees raises confidence', () => {
    const title = 'Quorp Shirt';
    const alone = namedBy({ title }).confidence;
    const filed = namedBy({ title, product_type: 'Men > Shirts' });
    expect(filed.id).toBe('shirt');
    expect(filed.confidence).toBeGreaterThan(alone);
  });
});

describe('a text in a language that is not supported', () => {
  test.each([
    'Зимняя куртка мужская',
    'Kurtka zimowa męska czarna',
    'Kadın siyah elbise',
    'Rock i kjol till dam',
    'Calça jeans feminina preta',
    '冬のジャケット top',
    'Slips herre silke blå',
    'Jas pria hitam',
    'Rok wanita panjang',
    'Vestido feminino longo',
    'Áo thun nữ họa tiết',
    'Pantofi barbati negri',
    'Pantaloni scurti',
    'Camisola de alças',
    'Camisola de malha',
    'Calções de ganga',
    'Pantalons curts',
    'Strikket genser',
    'Polo rovid ujju',
  ])('"%s" is not surely classified', (title) => {
    const evidence = classifyText({ title });
    expect(evidence.isForeign).toBe(true);
    expect(evidence.language).toBeUndefined();
    expect(Math.max(...evidence.categories)).toBeLessThan(0.5);
  });

  test.each([
    'Łódź jacket for women with hood',
    'T-shirt Søstrene',
    'Mantel für Damen',
    'Norwegian Wool Sweater Ålesund',
    'Social Club Hoodie',
    'Camisa de lino de mujer',
    'Vestido estampado de manga larga',
    'Pantaloni corti da uomo',
  ])('"%s" is in a supported one', (title) => {
    expect(classifyText({ title }).isForeign).toBe(false);
  });

  test('a declared language is believed', () => {
    expect(classifyText({ title: 'Kurtka męska', language: 'en' }).isForeign).toBe(false);
  });
});

test.each([
  ['emoji', '🔥👗👠✨'],
  [
    'makers only',
    'Nike Adidas Puma Levis Polo Ralph Lauren Guess Jeans Calvin Klein Jeans Pepe Jeans Boss '.repeat(
      3,
    ),
  ],
  ['digits', '0123456789 '.repeat(27)],
  ['one long word', 'winter'.repeat(50)],
])('%s name no article', (_, title) => {
  const { hasEvidence, categories: odds } = classifyText({ title });
  expect(hasEvidence).toBe(false);
  expect(Math.max(...odds)).toBeLessThan(0.5);
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
