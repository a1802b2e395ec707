import { describe, expect, test } from 'vitest';
import { FEED_LIMITS } from '../../src/feed-formats/limits.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import { feedText, products, streamOf } from '../support/feeds.ts';
import { itemsOf, summary } from './reading.ts';

const IMAGE = 'https://img.example/1.jpg';
const GOOGLE = 'xmlns:g="http://base.google.com/ns/1.0"';

const rss = (...items: string[]) =>
  `<?xml version="1.0"?>\n<rss version="2.0" ${GOOGLE}><channel>\n${items.join('\n')}\n</channel></rss>`;
const item = (id: string, more = '') =>
  `<item><g:id>${id}</g:id><g:image_link>${IMAGE}</g:image_link>${more}</item>`;

const summaries = async (feed: string) => (await itemsOf(feed, { format: 'rss' })).map(summary);

describe('names are known by their namespace', () => {
  test.each(['g', 'google', 'ns0'])('whatever the prefix: %s', async (prefix) => {
    const one = products(1, () => [IMAGE, 'https://img.example/2.jpg']);
    expect(await itemsOf(feedText('rss', one, { prefix }))).toMatchObject([
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

  test("of another namespace they are not Google's, and the fault says so", async () => {
    const feed = `<rss xmlns:g="http://example.com/other"><channel>${item('a')}</channel></rss>`;
    expect(await itemsOf(feed)).toMatchObject([
      {
        kind: 'fault',
        detail:
          "The row has no id; The row has no image_link; its g:image_link is not in Google's namespace",
      },
    ]);
  });

  test("Google's words win over the format's own", async () => {
    const feed = rss(
      item('a', "<title>own</title><g:title>Google's</g:title><description>own</description>"),
    );
    expect(await itemsOf(feed)).toMatchObject([{ title: "Google's", description: 'own' }]);
  });

  test('Atom, whose entries have an id of their own', async () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" ${GOOGLE}>
      <id>tag:shop</id>
      <entry><id>tag:1</id><g:id>a</g:id><title>Coat</title><summary>Warm</summary><g:image_link>${IMAGE}</g:image_link></entry>
      <entry><id>tag:2</id><title>Coat</title><link href="x"/><g:image_link>${IMAGE}</g:image_link></entry>
    </feed>`;
    expect(await itemsOf(feed)).toMatchObject([
      { id: 'a', title: 'Coat', description: 'Warm', line: 3 },
      { id: 'tag:2', line: 4 },
    ]);
  });

  test('RSS 1.0, whose items stand beside the channel', async () => {
    const feed = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ${GOOGLE}>
      <channel><title>Shop</title></channel>${item('a')}</rdf:RDF>`;
    expect(await summaries(feed)).toEqual(['2 row a']);
  });
});

describe('text', () => {
  test('comes from CDATA, references and several pieces', async () => {
    const title =
      '<title>Wool &amp; <![CDATA[<b>silk</b> &amp; ]]>&#x1F9E5; &#228;<!-- not this --></title>';
    expect(await itemsOf(rss(item('a', title)))).toMatchObject([
      { title: 'Wool & <b>silk</b> &amp; \u{1F9E5} ä' },
    ]);
  });

  test('an item within comments or CDATA is none', async () => {
    const feed = rss(
      `<!-- ${item('a')} -->`,
      item('b', `<title><![CDATA[</item>${item('c')}]]></title>`),
    );
    expect(await summaries(feed)).toEqual(['4 row b']);
  });

  test('repeated and empty elements', async () => {
    const more = `<g:additional_image_link/><g:additional_image_link>${IMAGE}?2</g:additional_image_link><g:additional_image_link>${IMAGE}?3</g:additional_image_link>`;
    expect(await itemsOf(rss(item('a', more)))).toMatchObject([
      { additionalImageLinks: [`${IMAGE}?2`, `${IMAGE}?3`] },
    ]);
  });

  test('elements within elements, even ones that are called item', async () => {
    const more =
      '<g:shipping><g:country>DE</g:country></g:shipping><set><item>x</item><item/></set>';
    expect(await itemsOf(rss(item('a', more), item('b')))).toMatchObject([
      { id: 'a', otherColumns: ['g:shipping', 'set'] },
      { id: 'b' },
    ]);
  });
});

describe('each bad item is one fault and the rest goes on', () => {
  const deep = (levels: number) => `${'<x>'.repeat(levels)}${'</x>'.repeat(levels)}`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'an ampersand that is not escaped', bad: item('a', '<title>Wool & silk</title>'), says: 'fault a malformed' },
    { what: 'an entity of HTML', bad: item('a', '<title>Wool&nbsp;silk</title>'), says: 'fault a malformed' },
    { what: 'an entity named like a method', bad: item('a', '<title>&constructor;&__proto__;</title>'), says: 'fault a malformed' },
    { what: 'a less-than sign', bad: item('a', '<title>size < 40</title>'), says: 'fault a malformed' },
    { what: 'a tag that is not closed', bad: item('a', '<title>Coat'), says: 'fault a malformed' },
    { what: 'a tag closed twice', bad: item('a', '</title>'), says: 'fault a malformed' },
    { what: 'tags that cross', bad: item('a', '<b><i></b></i>'), says: 'fault a malformed' },
    { what: 'a prefix without a namespace', bad: item('a', '<x:y>1</x:y>'), says: 'fault a malformed' },
    { what: 'a control character', bad: item('a', '<title>\u0001</title>'), says: 'fault a malformed' },
    { what: 'an attribute without quotes', bad: item('a', '<title lang=en>Coat</title>'), says: 'fault a malformed' },
    { what: 'an item that is not closed', bad: item('a').replace('</item>', ''), says: 'fault - malformed' },
    { what: 'an end tag with an attribute', bad: item('a').replace('</item>', '</item x="1">'), says: 'fault a malformed' },
    { what: 'an empty item within', bad: item('a', '<item/>'), says: 'row a' },
    { what: 'nothing in it', bad: '<item/>', says: 'fault - missing-id missing-image' },
    { what: 'nesting 33 deep', bad: item('a', deep(32)), says: 'fault a malformed' },
    { what: 'nesting 32 deep', bad: item('a', deep(31)), says: 'row a' },
    { what: 'a tag past 64 KiB', bad: item('a', `<x y="${'z'.repeat(70_000)}"/>`), says: 'fault - too-large' },
    { what: 'a text past the limit', bad: item('a', `<x>${'z'.repeat(1024 * 1024)}</x>`), says: 'fault - too-large' },
  ])('$what', async ({ bad, says }) => {
    expect(await summaries(rss(bad, item('z')))).toEqual([`3 ${says}`, '4 row z']);
  });

  test.each([
    { bad: 'Wool & silk', fault: 'an "&" is not written as "&amp;" (line 5)' },
    { bad: 'a="1"&b=2;', fault: 'an "&" is not written as "&amp;" (line 5)' },
    { bad: '<![CDATA[a & b]]> <b>', fault: 'unexpected close tag (line 5)' },
    { bad: '&nbsp; & <b>', fault: 'undefined entity (line 5)' },
  ])('and it says where: $bad', async ({ bad, fault }) => {
    const feed = rss(item('a', `\n\n<title>${bad}</title>`));
    expect(await itemsOf(feed)).toMatchObject([
      { detail: `The item is not well-formed: ${fault}` },
    ]);
  });
});

describe('what ends the reading', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel><item><g:id>&b;</g:id></item></channel></rss>`;
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'an entity bomb', feed: bomb, reason: 'doctype', place: { line: 1, column: 22 } },
    { what: 'a DOCTYPE that names a file', feed: '<!DOCTYPE rss SYSTEM "file:///etc/passwd"><rss/>', reason: 'doctype', place: { line: 1, column: 1 } },
    { what: 'declarations within', feed: rss('<!ENTITY a "b">'), reason: 'doctype', place: { line: 3, column: 1 } },
    { what: 'declarations within an item', feed: rss(item('a', '<!ELEMENT a>')), reason: 'doctype' },
    { what: 'a mismatched envelope', feed: rss('</feed>'), reason: 'malformed-xml', place: { line: 3, column: 1 } },
    { what: 'a feed cut off between items', feed: rss(item('a')).replace('</channel></rss>', ''), reason: 'malformed-xml' },
    { what: 'a feed cut off within an item', feed: rss(item('a')).slice(0, -40), reason: 'malformed-xml' },
    { what: 'a feed cut off within a tag', feed: rss(item('a')).slice(0, -3), reason: 'malformed-xml' },
    { what: 'a feed cut off within a comment', feed: `${rss(item('a'))}<!-- `, reason: 'malformed-xml' },
    { what: 'two roots', feed: rss() + rss(), reason: 'malformed-xml' },
    { what: 'no element at all', feed: '<?xml version="1.0"?>', reason: 'malformed-xml' },
    { what: 'deep nesting around the items', feed: rss('<x>'.repeat(40)), reason: 'too-deep' },
    { what: 'an endless tag around the items', feed: rss(`<x y="${'z'.repeat(140_000)}"/>`), reason: 'malformed-xml' },
    { what: 'Atom where RSS was promised', feed: '<feed xmlns="http://www.w3.org/2005/Atom"/>', reason: 'unknown-format' },
    { what: 'an HTML page where RSS was promised', feed: '<html><body/></html>', reason: 'unknown-format' },
  ])('$what', async ({ feed, reason, place }) => {
    const error = { name: 'FeedError', reason, ...(place && { place }) };
    await expect(itemsOf(feed, { format: 'rss' })).rejects.toMatchObject(error);
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

  test('more rows than are taken', async () => {
    const limits = { ...FEED_LIMITS, maxRows: 2 };
    await expect(itemsOf(rss(item('a'), item('b'), item('c')), { limits })).rejects.toMatchObject({
      reason: 'too-many-rows',
    });
  });
});
