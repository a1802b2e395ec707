import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportFeed, type ReplaceLink } from '../../src/feed-formats/export.ts';
import type { FeedReadOptions } from '../../src/feed-formats/open-feed.ts';
import type { FeedRow } from '../../src/feed-formats/row.ts';
import { FEED_FORMATS, type FeedFormat } from '../../src/feed-formats/sniff.ts';
import { feedText, type Layout, type Product, streamOf } from '../support/feeds.ts';
import { randomRuns } from '../support/many.ts';
import { collect, type Item, readItems } from './read-items.ts';

async function exported(
  feed: string | Uint8Array,
  replace: ReplaceLink,
  reading: FeedReadOptions = {},
): Promise<Buffer> {
  return Buffer.concat(await collect(exportFeed(streamOf([feed]), replace, reading)));
}

const cutOut = (row: FeedRow, image: number): string =>
  `https://cut.example/${encodeURIComponent(row.id)}/${image}.png?a=1&b=2`;

/** The item as it should read with the links of `replace`. */
const withLinks = (
  item: Item,
  replace: (row: FeedRow, image: number) => string | undefined,
): Item =>
  item.kind === 'error'
    ? item
    : {
        ...item,
        imageLink: replace(item, 0) ?? item.imageLink,
        additionalImageLinks: item.additionalImageLinks.map(
          (link, i) => replace(item, i + 1) ?? link,
        ),
      };

/** Characters that some format must quote or escape. */
const text = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '"',
    "'",
    ',',
    ';',
    '|',
    '\t',
    '\n',
    '&',
    '<',
    '>',
    ']]>',
    '\\',
    'ß',
    '\u{1F9E5}',
    '\ufffd',
  ),
  maxLength: 12,
});
const url = fc.oneof(
  // All that RFC 3986 allows after the host; to build `fc.webUrl` takes a second.
  fc
    .string({ unit: fc.constantFrom(...'aZ0-._~:/?[]@!$&()*+,;=', "'", '%C3%A4'), maxLength: 12 })
    .map((rest) => `https://a.example/${rest}`),
  fc.constantFrom(
    'https://a.example/w_1,h_2/x.jpg?a=1&b=2',
    'HTTPS://a.example/ü.jpg',
    'ftp://a.example/1',
    '',
    ' https://a.example/ ',
  ),
);
const product: fc.Arbitrary<Product> = fc.record({
  id: text,
  title: text,
  description: text,
  color: text,
  price: text,
  image_link: url,
  additional_image_link: fc.array(url, { maxLength: 3 }),
});
const layout: fc.Arbitrary<Layout> = fc.record({
  delimiter: fc.constantFrom(',', ';', '|'),
  lineBreak: fc.constantFrom('\n', '\r\n'),
  prefix: fc.constantFrom('g', 'google'),
});

describe.each(FEED_FORMATS)('%s', (format: FeedFormat) => {
  const feed = fc
    .tuple(fc.array(product, { minLength: 1, maxLength: 6 }), layout, fc.boolean())
    .map(([all, chosen, mark]) => (mark ? '\ufeff' : '') + feedText(format, all, chosen));

  test('is exported byte for byte if nothing is replaced', async () => {
    await fc.assert(
      fc.asyncProperty(feed, async (source) => {
        expect((await exported(source, () => undefined, { format })).toString()).toBe(source);
      }),
      randomRuns(40),
    );
  });

  test('reads the same after export, except for the links', async () => {
    await fc.assert(
      fc.asyncProperty(feed, fc.integer({ min: 1, max: 3 }), async (source, nth) => {
        const replace = (row: FeedRow, image: number) =>
          image % nth === 0 ? cutOut(row, image) : undefined;
        const before = await readItems(source, { format });
        const after = await readItems(await exported(source, replace, { format }), { format });
        expect(after).toEqual(before.map((item) => withLinks(item, replace)));
      }),
      randomRuns(40),
    );
  });

  test('in UTF-16 as well', async () => {
    const one: Product = { id: 'ä', title: 'ß', image_link: 'https://a.example/1.jpg' };
    const source = Buffer.from(`\ufeff${feedText(format, [one])}`, 'utf16le').swap16();
    expect(await exported(source, () => undefined)).toEqual(source);
    const after = await exported(source, cutOut);
    expect(await readItems(after)).toMatchObject([
      { id: 'ä', title: 'ß', imageLink: 'https://cut.example/%C3%A4/0.png?a=1&b=2' },
    ]);
    expect(after.subarray(0, 2)).toEqual(source.subarray(0, 2));
  });
});

const OLD = 'https://img.example/1.jpg';
const NEW = 'https://cut.example/1.png?a&b';

describe('everything but the links stays as written', () => {
  const rss = (inItem: string) =>
    `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\r\n<!-- x -->${inItem}</channel></rss>`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'quotes that CSV does not need', from: `"id","image_link",x\r\n"a","${OLD}", "y\r\n`, to: `"id","image_link",x\r\n"a","${NEW}", "y\r\n` },
    { what: 'blank lines and bad rows of CSV', from: `id,image_link\n\n,,\nb\nc,"x"y\na,${OLD}`, to: `id,image_link\n\n,,\nb\nc,"x"y\na,${NEW}` },
    { what: 'one link among several in a cell', from: `id;image_link;additional_image_link\na;${OLD};bad , ${OLD}?2,${OLD}?3\n`, to: `id;image_link;additional_image_link\na;${NEW};bad , ${NEW},${NEW}\n` },
    { what: 'the second row of an id', from: `id,image_link\na,${OLD}\na,${OLD}\n`, to: `id,image_link\na,${NEW}\na,${OLD}\n` },
    { what: 'numbers, spaces and the order of JSON', from: `{ "b": 1.50, "2": 12345678901234567890, "image_link" :"https:\\/\\/img.example\\/1.jpg", "id":"a", "n": {"image_link":"x"} }\r\n`, to: `{ "b": 1.50, "2": 12345678901234567890, "image_link" :"${NEW}", "id":"a", "n": {"image_link":"x"} }\r\n` },
    { what: 'other values in a JSON array', from: `{"id":"a","image_link":"${OLD}","additional_image_link":[null,"${OLD}","bad",{"x":1}]}`, to: `{"id":"a","image_link":"${NEW}","additional_image_link":[null,"${NEW}","bad",{"x":1}]}` },
    { what: 'the last of equal keys of JSON is meant', from: `{"id":"a","image_link":"x","image_link":"${OLD}"}`, to: `{"id":"a","image_link":"x","image_link":"${NEW}"}` },
    { what: 'attributes, comments and unknown elements of XML', from: rss(`<item a='1'><!-- </item> --><g:id>a</g:id ><x:y xmlns:x="z"/><g:image_link t="1">\n ${OLD} </g:image_link></item >`), to: rss(`<item a='1'><!-- </item> --><g:id>a</g:id ><x:y xmlns:x="z"/><g:image_link t="1">\n ${NEW.replace('&', '&amp;')} </g:image_link></item >`) },
    { what: 'CDATA', from: rss(`<item><g:id>a</g:id><g:image_link><![CDATA[${OLD}]]></g:image_link></item>`), to: rss(`<item><g:id>a</g:id><g:image_link><![CDATA[${NEW}]]></g:image_link></item>`) },
    { what: 'a bad item of XML', from: rss(`<item><g:id><i>a</g:id><g:image_link>${OLD}</g:image_link></item>`), to: rss(`<item><g:id><i>a</g:id><g:image_link>${OLD}</g:image_link></item>`) },
  ])('$what', async ({ from, to }) => {
    expect((await exported(from, () => NEW)).toString()).toBe(to);
  });

  test('bytes invalid in the encoding', async () => {
    const from = Buffer.from(`id,title,image_link\na,Wei\xdfer Mantel,${OLD}\n`, 'latin1');
    const to = Buffer.from(`id,title,image_link\na,Wei\xdfer Mantel,${NEW}\n`, 'latin1');
    expect(await exported(from, () => NEW)).toEqual(to);
  });

  test('another encoding', async () => {
    const declared = '<?xml version="1.0" encoding="ISO-8859-1"?>';
    const feed = (link: string) =>
      Buffer.from(
        declared +
          rss(`<item><g:id>\xe4</g:id><g:image_link>${link}</g:image_link><x>\xdf</x></item>`),
        'latin1',
      );
    expect(await exported(feed(OLD), () => 'https://cut.example/1.png')).toEqual(
      feed('https://cut.example/1.png'),
    );
  });

  test('rows that are too large to read', async () => {
    const large = 'x'.repeat(3 * 1024 * 1024);
    const feed = (link: string) => `id,title,image_link\na,${large},${OLD}\nb,Coat,${link}\n`;
    expect((await exported(feed(OLD), () => NEW)).toString()).toBe(feed(NEW));
  });
});

test('replace is called once for each image, in order, and may be asynchronous', async () => {
  const calls: string[] = [];
  const source = `id,image_link,additional_image_link\na,${OLD},"${OLD}?1,${OLD}?2"\nb,bad,\nc,${OLD},\n`;
  const out = await exported(source, async (row, image, url) => {
    calls.push(`${row.index} ${row.id} ${image} ${url}`);
    return image === 1 ? undefined : 'https://cut.example/ä,1.png';
  });
  expect(calls).toEqual([`0 a 0 ${OLD}`, `0 a 1 ${OLD}?1`, `0 a 2 ${OLD}?2`, `2 c 0 ${OLD}`]);
  const link = 'https://cut.example/%C3%A4%2C1.png';
  expect(out.toString()).toBe(
    `id,image_link,additional_image_link\na,${link},"${OLD}?1,${link}"\nb,bad,\nc,${link},\n`,
  );
});

describe('columns are filled where a row has none of its own', () => {
  const values = { google_product_category: '1604', color: 'Türkis/<b>', material: '' };
  const keep = () => undefined;
  async function filled(feed: string, reading: FeedReadOptions = {}): Promise<string> {
    const columns = ['google_product_category', 'color', 'material'] as const;
    const filling = { columns, valuesOf: async () => values };
    const source = streamOf([Buffer.from(feed)]);
    return Buffer.concat(await collect(exportFeed(source, keep, reading, filling))).toString();
  }
  const link = 'https://shop.example/a.jpg';

  test.each([
    [
      'CSV without the columns, with rows that cannot be used',
      `id,image_link\r\na,${link}\r\n\r\nb,\r\nc,d,e\r\n"d",${link}`,
      `id,image_link,google_product_category,color,material\r\na,${link},1604,Türkis/<b>,\r\n\r\nb,,,,\r\nc,d,e\r\n"d",${link},1604,Türkis/<b>,`,
    ],
    [
      'CSV with some of them',
      `id;image_link;colour\na;${link};\n`,
      `id;image_link;colour;google_product_category;material\na;${link};Türkis/<b>;1604;\n`,
    ],
    [
      'CSV with others of them',
      `id;colour;image_link;material\na;;${link};\nb;red;${link};wool\nc;"";${link};\n`,
      `id;colour;image_link;material;google_product_category\na;Türkis/<b>;${link};;1604\nb;red;${link};wool;1604\nc;"Türkis/<b>";${link};;1604\n`,
    ],
    [
      'TSV whose quotes mean nothing',
      `id\timage_link\ttitle\na\t${link}\t5" heel\n`,
      `id\timage_link\ttitle\tgoogle_product_category\tcolor\tmaterial\na\t${link}\t5" heel\t1604\tTürkis/<b>\t\n`,
    ],
    [
      'NDJSON',
      `{"id":"a","image_link":"${link}"}\n{"id":"b","color":null,"image_link":"${link}","googleProductCategory":"5" }\n{"id":"c"}\n`,
      `{"id":"a","image_link":"${link}","google_product_category":"1604","color":"Türkis/<b>"}\n{"id":"b","color":"Türkis/<b>","image_link":"${link}","googleProductCategory":"5" }\n{"id":"c"}\n`,
    ],
    [
      'RSS',
      `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a</g:id><g:image_link>${link}</g:image_link></item>\n<item><g:id>b</g:id><g:color/><g:google_product_category x="/>"  /><g:material></g:material><g:image_link>${link}</g:image_link></item><item><g:id>c</g:id><g:color><![CDATA[]]></g:color><g:google_product_category>7</g:google_product_category><g:image_link>${link}</g:image_link></item></channel></rss>`,
      `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a</g:id><g:image_link>${link}</g:image_link><g:google_product_category>1604</g:google_product_category><g:color>Türkis/&lt;b&gt;</g:color></item>\n<item><g:id>b</g:id><g:color>Türkis/&lt;b&gt;</g:color><g:google_product_category x="/>">1604</g:google_product_category><g:material></g:material><g:image_link>${link}</g:image_link></item><item><g:id>c</g:id><g:color><![CDATA[Türkis/<b>]]></g:color><g:google_product_category>7</g:google_product_category><g:image_link>${link}</g:image_link></item></channel></rss>`,
    ],
    [
      'Atom with another prefix',
      `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://base.google.com/ns/1.0" xmlns:g="urn:other"><entry><m:id>a</m:id><m:image_link>${link}</m:image_link></entry></feed>`,
      `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://base.google.com/ns/1.0" xmlns:g="urn:other"><entry><m:id>a</m:id><m:image_link>${link}</m:image_link><g:google_product_category xmlns:g="http://base.google.com/ns/1.0">1604</g:google_product_category><g:color xmlns:g="http://base.google.com/ns/1.0">Türkis/&lt;b&gt;</g:color></entry></feed>`,
    ],
    [
      'RSS in which a comment is no empty element',
      `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a</g:id><g:color><!--/>--></g:color><g:image_link>${link}</g:image_link></item></channel></rss>`,
      `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>a</g:id><g:color>Türkis/&lt;b&gt;</g:color><g:image_link>${link}</g:image_link><g:google_product_category>1604</g:google_product_category></item></channel></rss>`,
    ],
  ])('%s', async (_, feed, expected) => {
    expect(await filled(feed)).toBe(expected);
    const items = await readItems(expected);
    const products = items.filter(({ kind }) => kind === 'row');
    expect(products.length).toBeGreaterThan(0);
    for (const product of products)
      expect(product).toMatchObject({ color: expect.stringMatching(/^(Türkis\/<b>|red)$/) });
  });
});
