import { describe, expect, test } from 'vitest';
import { FEED_LIMITS } from '../../src/feed-formats/chunk.ts';
import { idSet } from '../../src/feed-formats/id-set.ts';
import { feedText, type Product, products } from '../support/feeds.ts';
import { readItems, summary } from './read-items.ts';

const IMAGE = 'https://img.example/1.jpg';
const FORMATS = ['rss', 'atom', 'tsv', 'csv', 'ndjson'] as const;

const product: Product = {
  id: 'sku-1',
  title: 'Coat, "long" & <warm>',
  description: 'One line\nand another',
  product_type: 'Apparel > Coats',
  google_product_category: '5598',
  material: 'wool',
  color: 'blau/grün',
  gender: 'female',
  age_group: 'adult',
  brand: 'Selvedge',
  link: 'https://shop.example/1',
  image_link: IMAGE,
  additional_image_link: [
    'https://img.example/w_500,h_500/1.jpg',
    'https://img.example/2.jpg?a=1&b=2',
  ],
};

test.each(FORMATS)('a product reads the same in %s', async (format) => {
  const [row] = await readItems(feedText(format, [product]));
  expect(row).toMatchObject({
    kind: 'row',
    index: 0,
    id: 'sku-1',
    title: 'Coat, "long" & <warm>',
    description: 'One line\nand another',
    productType: 'Apparel > Coats',
    googleProductCategory: '5598',
    material: 'wool',
    color: 'blau/grün',
    gender: 'female',
    ageGroup: 'adult',
    brand: 'Selvedge',
    imageLink: IMAGE,
    additionalImageLinks: product.additional_image_link,
    notes: [],
  });
});

test.each(FORMATS)('%s: rows are numbered from 0 and ids are unique', async (format) => {
  const some = [...products(50, (i) => [`https://img.example/${i}.jpg`])];
  const items = await readItems(feedText(format, [...some, ...some]));
  expect(items.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(items.slice(0, 50).every(({ kind }) => kind === 'row')).toBe(true);
  expect(items.slice(50).map(({ id }) => id)).toEqual(some.map(({ id }) => id));
  expect(items.slice(50)).toEqual(
    items.slice(50).map(() => expect.objectContaining({ kind: 'error' })),
  );
});

test('a set of ten thousand ids has no false duplicates', () => {
  const ids = idSet();
  const names = Array.from({ length: 10_000 }, (_, i) => `sku-${i}`);
  expect(names.filter((name) => ids.add(name))).toEqual(names);
  expect(names.filter((name) => ids.add(name))).toEqual([]);
});

describe('additional images', () => {
  const withAdditional = (...links: string[]) =>
    readItems(feedText('rss', [{ ...product, additional_image_link: links }]));

  test('with invalid links are dropped with a note', async () => {
    const [row] = await withAdditional('ftp://img.example/1.jpg', `${IMAGE}?2`, 'none');
    expect(row).toMatchObject({
      kind: 'row',
      additionalImageLinks: [`${IMAGE}?2`],
      notes: [
        { code: 'bad-url', column: 'g:additional_image_link' },
        { code: 'bad-url', column: 'g:additional_image_link' },
      ],
    });
  });

  // biome-ignore format: a table reads best aligned
  test.each([
    { link: '/1.jpg', isRelative: true },
    { link: 'catalog/demo/coat 1.png', isRelative: true },
    { link: 'a.webp', isRelative: true },
    { link: 'n/a', isRelative: false },
    { link: 'ftp://img.example/1.jpg', isRelative: false },
  ])('$link: a base address would help: $isRelative', async ({ link, isRelative }) => {
    const [row] = await withAdditional(link);
    const detail = expect.stringMatching(isRelative ? /; give the mapping its baseUrl$/ : /URL$/);
    expect(row).toMatchObject({ notes: [{ detail }] });
  });

  test('beyond the tenth are dropped with a note', async () => {
    const many = Array.from({ length: 12 }, (_, i) => `https://img.example/more-${i}.jpg`);
    const [row] = await withAdditional(...many);
    expect(row).toMatchObject({
      additionalImageLinks: many.slice(0, FEED_LIMITS.maxAdditionalImages),
      notes: [{ code: 'too-many-images' }],
    });
  });
});

describe('an invalid byte affects its own row only', () => {
  /** Replaces every "\x01" of the feed by the byte 0xff. */
  const spoilt = (feed: string) =>
    Buffer.from(Buffer.from(feed).map((byte) => (byte === 1 ? 0xff : byte)));
  const three = (spoil: Partial<Product>): Product[] => [
    { ...product, id: 'a' },
    { ...product, id: 'b', ...spoil },
    { ...product, id: 'c', title: 'really \ufffd' },
  ];
  const marked = (format: (typeof FORMATS)[number], spoil: Partial<Product>) =>
    spoilt(feedText(format, three(spoil)).replaceAll('\\u0001', '\x01'));

  test.each(FORMATS)('%s: in a title it is replaced and noted', async (format) => {
    const items = await readItems(marked(format, { title: 'Wei\x01er Mantel' }));
    const expected = ['row a', 'row b broken-text', 'row c'];
    expect(items.map((item) => summary(item).slice(2).trim())).toEqual(expected);
    expect(items[1]).toMatchObject({ title: 'Wei\ufffder Mantel' });
    expect(items[2]).toMatchObject({ title: 'really \ufffd' });
  });

  test.each(FORMATS)('%s: in an id or a link it invalidates the row', async (format) => {
    const inId = await readItems(marked(format, { id: 'b\x01' }));
    expect(inId[1]).toMatchObject({ kind: 'error', reasons: [{ code: 'broken-text' }] });
    const inLink = await readItems(marked(format, { image_link: 'https://img.example/\x01.jpg' }));
    expect(inLink[1]).toMatchObject({ kind: 'error', reasons: [{ code: 'bad-url' }] });
    expect([inId[2], inLink[2]]).toMatchObject([{ kind: 'row' }, { kind: 'row' }]);
  });
});

describe('other encodings', () => {
  const inUtf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const long = [...products(250, (i) => [`https://img.example/${i}.jpg`])];

  test.each(FORMATS)('%s in UTF-16, of either byte order, over several blocks', async (format) => {
    const text = feedText(format, long).replace('encoding="UTF-8"', 'encoding="UTF-16"');
    const expected = await readItems(text.replace('UTF-16', 'UTF-8'));
    expect(expected).toHaveLength(250);
    expect(await readItems(inUtf16(text))).toEqual(expected);
    expect(await readItems(inUtf16(text).swap16())).toEqual(expected);
  });

  test('by an XML declaration or a charset', async () => {
    const rss = feedText('rss', [product]).replace('UTF-8', 'ISO-8859-1');
    const csv = feedText('csv', [product]);
    const items = [
      ...(await readItems(Buffer.from(rss, 'latin1'))),
      ...(await readItems(Buffer.from(csv, 'latin1'), {
        mediaType: 'text/csv; charset="ISO-8859-1"',
      })),
    ];
    const expected = [
      { color: 'blau/grün', notes: [] },
      { color: 'blau/grün', notes: [] },
    ];
    expect(items).toMatchObject(expected);
  });
});

test.each([
  ['nothing at all', Buffer.alloc(0), 'empty'],
  ['gzip', Buffer.from('1f8b08000000000000ff', 'hex'), 'compressed'],
  ['an HTML page', '<!doctype html><html>', 'unknown-format'],
  ['bzip2', Buffer.from('425a683931415926', 'hex'), 'compressed'],
  ['XML without products', '<urlset><url><loc>x</loc></url></urlset>', 'unknown-format'],
  ['prose', 'Dear customer, the feed has moved.', 'unknown-format'],
])('%s is refused as a whole', async (_, feed, reason) => {
  await expect(readItems(feed)).rejects.toMatchObject({ name: 'FeedError', reason });
});
