import { describe, expect, test } from 'vitest';
import { FEED_LIMITS } from '../../src/feed-formats/chunk.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import { feedText, products, streamOf } from '../support/feeds.ts';
import { readItems, summary } from './read-items.ts';

const IMAGE = 'https://img.example/1.jpg';
const GOOGLE = 'xmlns:g="http://base.google.com/ns/1.0"';

const rss = (...items: string[]) =>
  `<?xml version="1.0"?>\n<rss version="2.0" ${GOOGLE}><channel>\n${items.join('\n')}\n</channel></rss>`;
const item = (id: string, more = '') =>
  `<item><g:id>${id}</g:id><g:image_link>${IMAGE}</g:image_link>${more}</item>`;

const summaries = async (feed: string) => (await readItems(feed, { format: 'rss' })).map(summary);

describe('names are resolved by namespace', () => {
  test.each(['g', 'google', 'ns0'])('with the prefix %s', async (prefix) => {
    const one = products(1, () => [IMAGE, 'https://img.example/2.jpg']);
    expect(await readItems(feedText('rss', one, { prefix }))).toMatchObject([
      { kind: 'row', id: 'sku-0', additionalImageLinks: ['https://img.example/2.jpg'] },
    ]);
  });

  test('as the default namespace of a child, or declared on the item', async () => {
    const feed = `<rss><channel>
      <item xmlns:x="http://base.google.com/ns/1.0"><x:id>a</x:id><x:image_link>${IMAGE}</x:image_link></item>
      <item><id xmlns="http://base.google.com/ns/1.0">b</id><image_link>${IMAGE}</image_link></item>
    </channel></rss>`;
    expect(await summaries(feed)).toEqual(['2 row a', '3 row b']);
  });

  test('of another namespace they do not count, and the error says so', async () => {
    const feed = `<rss xmlns:g="http://example.com/other"><channel>${item('a')}</channel></rss>`;
    expect(await readItems(feed)).toMatchObject([
      {
        kind: 'error',
        detail:
          "The row has no id; The row has no image_link; its g:image_link is not in Google's namespace",
      },
    ]);
  });

  test("Google's elements take precedence over the format's own", async () => {
    const feed = rss(
      item('a', "<title>own</title><g:title>Google's</g:title><description>own</description>"),
    );
    expect(await readItems(feed)).toMatchObject([{ title: "Google's", description: 'own' }]);
  });

  test('in Atom, whose entries have an id of their own', async () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" ${GOOGLE}>
      <id>tag:shop</id>
      <entry><id>tag:1</id><g:id>a</g:id><title>Coat</title><summary>Warm</summary><g:image_link>${IMAGE}</g:image_link></entry>
      <entry><id>tag:2</id><title>Coat</title><link href="x"/><g:image_link>${IMAGE}</g:image_link></entry>
    </feed>`;
    expect(await readItems(feed)).toMatchObject([
      { id: 'a', title: 'Coat', description: 'Warm', line: 3 },
      { id: 'tag:2', line: 4 },
    ]);
  });

  test('in RSS 1.0, whose items are beside the channel', async () => {
    const feed = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ${GOOGLE}>
      <channel><title>Shop</title></channel>${item('a')}</rdf:RDF>`;
    expect(await summaries(feed)).toEqual(['2 row a']);
  });
});

describe('text', () => {
  test('is joined from CDATA, references and several chunks', async () => {
    const title =
      '<title>Wool &amp; <![CDATA[<b>silk</b> &amp; ]]>&#x1F9E5; &#228;<!-- not this --></title>';
    const expected = [{ title: 'Wool & <b>silk</b> &amp; \u{1F9E5} ä' }];
    expect(await readItems(rss(item('a', title)))).toMatchObject(expected);
  });

  test('items within comments or CDATA do not count', async () => {
    const feed = rss(
      `<!-- ${item('a')} -->`,
      item('b', `<title><![CDATA[</item>${item('c')}]]></title>`),
    );
    expect(await summaries(feed)).toEqual(['4 row b']);
  });

  test('repeated and empty elements', async () => {
    const more = `<g:additional_image_link/><g:additional_image_link>${IMAGE}?2</g:additional_image_link><g:additional_image_link>${IMAGE}?3</g:additional_image_link>`;
    const expected = [{ additionalImageLinks: [`${IMAGE}?2`, `${IMAGE}?3`] }];
    expect(await readItems(rss(item('a', more)))).toMatchObject(expected);
  });

  test('nested elements, even if named item', async () => {
    const more =
      '<g:shipping><g:country>DE</g:country></g:shipping><set><item>x</item><item/></set>';
    const expected = [{ id: 'a' }, { id: 'b' }];
    expect(await readItems(rss(item('a', more), item('b')))).toMatchObject(expected);
  });
});

describe('each bad item yields one error, and reading continues', () => {
  const deep = (levels: number) => `${'<x>'.repeat(levels)}${'</x>'.repeat(levels)}`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'an ampersand that is not escaped', bad: item('a', '<title>Wool & silk</title>'), says: 'row a' },
    { what: 'an entity of HTML', bad: item('a', '<title>Wool&nbsp;silk</title>'), says: 'row a' },
    { what: 'an entity named like a method', bad: item('a', '<title>&constructor;&__proto__;</title>'), says: 'row a' },
    { what: 'a less-than sign', bad: item('a', '<title>size < 40</title>'), says: 'row a' },
    { what: 'a tag that is not closed', bad: item('a', '<title>Coat'), says: 'error a malformed' },
    { what: 'a tag closed twice', bad: item('a', '</title>'), says: 'error a malformed' },
    { what: 'overlapping tags', bad: item('a', '<b><i></b></i>'), says: 'error a malformed' },
    { what: 'a prefix without a namespace', bad: item('a', '<x:y>1</x:y>'), says: 'row a' },
    { what: 'a control character', bad: item('a', '<title>\u0001</title>'), says: 'row a' },
    { what: 'an attribute without quotes', bad: item('a', '<title lang=en>Coat</title>'), says: 'error a malformed' },
    { what: 'an item that is not closed', bad: item('a').replace('</item>', ''), says: 'error - malformed' },
    { what: 'an end tag with an attribute', bad: item('a').replace('</item>', '</item x="1">'), says: 'error a malformed' },
    { what: 'an empty item within', bad: item('a', '<item/>'), says: 'row a' },
    { what: 'nothing in it', bad: '<item/>', says: 'error - missing-id missing-image' },
    { what: 'nesting 33 deep', bad: item('a', deep(32)), says: 'error a malformed' },
    { what: 'nesting 32 deep', bad: item('a', deep(31)), says: 'row a' },
    { what: 'a tag beyond 64 KiB', bad: item('a', `<x y="${'z'.repeat(70_000)}"/>`), says: 'error - too-large' },
    { what: '30,000 elements', bad: item('a', '<x/>'.repeat(30_000)), says: 'error - too-large' },
    { what: 'a text beyond the limit', bad: item('a', `<x>${'z'.repeat(1024 * 1024)}</x>`), says: 'error - too-large' },
  ])('$what', async ({ bad, says }) => {
    expect(await summaries(rss(bad, item('z')))).toEqual([`3 ${says}`, '4 row z']);
  });

  test.each([
    { bad: '<![CDATA[a & b]]> <b>', message: 'unexpected close tag (line 5)' },
    { bad: '&nbsp; & <b>', message: 'unexpected close tag (line 5)' },
  ])('and the error says where: $bad', async ({ bad, message }) => {
    const feed = rss(item('a', `\n\n<title>${bad}</title>`));
    const expected = [{ detail: `The item is not well-formed: ${message}` }];
    expect(await readItems(feed)).toMatchObject(expected);
  });
});

describe('a FeedError', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel><item><g:id>&b;</g:id></item></channel></rss>`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'an entity bomb', feed: bomb, reason: 'doctype', position: { line: 1, column: 22 } },
    { what: 'a DOCTYPE with a file and declarations', feed: '<!DOCTYPE rss SYSTEM "file:///etc/passwd" [<!ENTITY a "b">]><rss/>', reason: 'doctype', position: { line: 1, column: 1 } },
    { what: 'declarations within', feed: rss('<!ENTITY a "b">'), reason: 'doctype', position: { line: 3, column: 1 } },
    { what: 'declarations within an item', feed: rss(item('a', '<!ELEMENT a>')), reason: 'doctype' },
    { what: 'a mismatched envelope', feed: rss('</feed>'), reason: 'malformed-xml', position: { line: 3, column: 1 } },
    { what: 'a feed cut off between items', feed: rss(item('a')).replace('</channel></rss>', ''), reason: 'malformed-xml' },
    { what: 'a feed cut off within an item', feed: rss(item('a')).slice(0, -40), reason: 'malformed-xml' },
    { what: 'a feed cut off within a tag', feed: rss(item('a')).slice(0, -3), reason: 'malformed-xml' },
    { what: 'a feed cut off within a comment', feed: `${rss(item('a'))}<!-- `, reason: 'malformed-xml' },
    { what: 'two roots', feed: rss() + rss(), reason: 'malformed-xml' },
    { what: 'no element at all', feed: '<?xml version="1.0"?>', reason: 'malformed-xml' },
    { what: 'deep nesting around the items', feed: rss('<x>'.repeat(40)), reason: 'too-deep' },
    { what: 'an endless tag around the items', feed: rss(`<x y="${'z'.repeat(140_000)}"/>`), reason: 'malformed-xml' },
    { what: 'Atom instead of RSS', feed: '<feed xmlns="http://www.w3.org/2005/Atom"/>', reason: 'unknown-format' },
    { what: 'an HTML page instead of RSS', feed: '<html><body/></html>', reason: 'unknown-format' },
  ])('$what', async ({ feed, reason, position }) => {
    const error = { name: 'FeedError', reason, ...(position && { position }) };
    await expect(readItems(feed, { format: 'rss' })).rejects.toMatchObject(error);
  });

  test('comes after the rows before it', async () => {
    const seen: string[] = [];
    const reading = async () => {
      const cut = `${rss(item('a'), item('b'))}`.slice(0, -10);
      for await (const each of parseFeed(streamOf([cut]))) seen.push(summary(each));
    };
    await expect(reading()).rejects.toMatchObject({ reason: 'malformed-xml' });
    expect(seen).toEqual(['3 row a', '4 row b']);
  });

  test('for too many rows', async () => {
    const limits = { ...FEED_LIMITS, maxRows: 2 };
    await expect(readItems(rss(item('a'), item('b'), item('c')), { limits })).rejects.toMatchObject(
      {
        reason: 'too-many-rows',
      },
    );
  });
});
