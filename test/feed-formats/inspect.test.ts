import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { EXPANSION, expandFeed } from '../../src/feed-formats/expand.ts';
import { inspectFeed } from '../../src/feed-formats/inspect.ts';
import type { FeedMapping } from '../../src/feed-formats/mapping.ts';
import { streamOf } from '../support/feeds.ts';
import { collect } from './read-items.ts';

const inspect = (feed: string | Uint8Array, mapping: FeedMapping = {}) =>
  inspectFeed(streamOf([feed]), { mapping });

/** Twice what is free. */
const BOMB_BYTES = 2 * EXPANSION.freeBytes;
const IMAGE = 'https://img.example/1.jpg';

describe('the kind of export is recognised by its columns', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    { preset: 'google', feed: `ID;Titel;Bildlink;Zusätzlicher Bildlink\na;Hut;${IMAGE};${IMAGE}?2\n`, images: 2 },
    { preset: 'google', feed: `identifiant\ttitre\tlien image\na\tChapeau\t${IMAGE}\n`, images: 1 },
    { preset: 'google', feed: `Código [id];Enlace [image_link]\na;${IMAGE}\n`, images: 1 },
    { preset: 'google', feed: `id,title,image[0].url,image[1].url\na,Hat,${IMAGE},${IMAGE}?2\n`, images: 2 },
    { preset: 'woocommerce', feed: `ID,Type,SKU,Name,Published,Categories,Images\n7,simple,a,Hat,1,Hats,"${IMAGE}, ${IMAGE}?2"\n`, images: 2 },
    { preset: 'criteo', feed: `id,name,producturl,smallimage,bigimage\na,Hat,https://x.example,${IMAGE}?s,${IMAGE}\n`, images: 1 },
    { preset: 'plain', feed: `sku,name,image_url,image_url_2\na,Hat,${IMAGE},${IMAGE}?2\n`, images: 2 },
    { preset: 'plain', feed: `<list><p id="a"><name>Hat</name><images><image>${IMAGE}</image><image>${IMAGE}?2</image></images></p></list>`, images: 2 },
    { preset: 'plain', feed: `{"data":{"items":[{"sku":"a","images":[{"url":"${IMAGE}"},{"url":"${IMAGE}?2"}]}]}}`, images: 2 },
  ])('$preset: $feed', async ({ preset, feed, images }) => {
    const found = await inspect(feed);
    expect(found).toMatchObject({ preset, rows: 1, rejected: 0 });
    expect(found.sample[0]?.images).toHaveLength(images);
    expect(found.problem).toBeUndefined();
  });
});

test.each(['*/*', 'women/*'])('rows keyed by id at %s, as the mapping says', async (items) => {
  const feed = `{"women":{"a":{"image":"${IMAGE}"}},"men":{"b":{"image":"${IMAGE}"}}}`;
  const { format, rows, sample } = await inspect(feed, { items });
  const ids = items === '*/*' ? ['a', 'b'] : ['a'];
  const expected = { format: 'json', rows: ids.length, ids };
  expect({ format, rows, ids: sample.map(({ id }) => id) }).toEqual(expected);
});

describe('what is missing is said', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'a column that is not there', feed: `id,image_link\na,${IMAGE}\n`, mapping: { image: 'picture' }, says: 'names "picture"' },
    { what: 'a path that matches nothing', feed: `<a><b><id>1</id><image>${IMAGE}</image></b></a>`, mapping: { items: 'a/c' }, says: 'no element at the path "a/c"; it has "a/b"' },
    { what: 'two lists that fit equally', feed: `{"women":[{"id":"1","image":"${IMAGE}"}],"men":[{"id":"2","image":"${IMAGE}"}]}`, mapping: {}, says: 'have an id and an image: "women", "men"; name one' },
    { what: 'two lists keyed by id', feed: `{"women":{"a":{"image":"${IMAGE}"}},"men":{"b":{"image":"${IMAGE}"}}}`, mapping: {}, says: 'have an id and an image: "women/*", "men/*"; name one' },
    { what: 'a path that matches nothing in JSON', feed: `{"a":[{"id":"1","image":"${IMAGE}"}]}`, mapping: { items: 'b' }, says: 'no array at "b"; it has arrays at "a"' },
    { what: 'columns that fit two kinds', feed: `ID,Published,Images,Handle,Title,Image Src\n1,1,${IMAGE},a,b,${IMAGE}?2\n`, mapping: {}, says: /fit \S+ and \S+ equally well: name one of them/ },
    { what: 'no id', feed: `title,image_link\na,${IMAGE}\n`, mapping: {}, says: 'no column id; it has "title", "image_link"' },
    { what: 'two files in a zip', feed: zipSync({ 'a.csv': Buffer.from('id'), 'b.csv': Buffer.from('id') }), mapping: {}, says: 'several files ("a.csv", "b.csv"' },
    { what: 'a workbook of Excel', feed: zipSync({ '[Content_Types].xml': Buffer.from('<x/>'), 'xl/workbook.xml': Buffer.from('<x/>') }), mapping: {}, says: 'spreadsheet, not text: save it as CSV' },
    { what: 'an old workbook', feed: Buffer.from('d0cf11e0a1b11ae10000', 'hex'), mapping: {}, says: 'Excel workbook: save it as CSV' },
    { what: 'a workbook in XML', feed: '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', mapping: {}, says: 'Excel workbook: save it as CSV' },
    { what: 'a tar archive', feed: Buffer.from(`${'feed.csv'.padEnd(257, '\0')}ustar`), mapping: {}, says: 'tar archive' },
    { what: 'deflate', feed: Buffer.from('789c4b4c', 'hex'), mapping: {}, says: 'compressed in a way' },
    { what: 'UTF-32', feed: Buffer.from('fffe000069000000', 'hex'), mapping: {}, says: 'UTF-32' },
    { what: 'spaces', feed: ' \n', mapping: {}, says: 'The feed is empty' },
    { what: 'a file that is cut off', feed: gzipSync('id,image_link\n'.repeat(1000)).subarray(0, 40), mapping: {}, says: 'damaged or cut off' },
  ])('$what', async ({ feed, mapping, says }) => {
    const { problem } = await inspect(feed, mapping);
    expect(problem?.detail).toMatch(says);
  });

  test('a JSON with arrays without number names some', async () => {
    const arrays = Array.from({ length: 50_000 }, (_, i) => `"a${i}":[]`);
    const { problem } = await inspect(`{${arrays.join()}}`);
    expect(problem?.detail).toContain('it has arrays at "a0", "a1"');
    expect(problem?.detail.length).toBeLessThan(1000);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(BOMB_BYTES))],
    ['zip', zipSync({ a: Buffer.alloc(BOMB_BYTES) }, { level: 1 })],
  ])('a bomb in %s', async (_, bomb) => {
    await expect(collect(expandFeed(streamOf([bomb])))).rejects.toThrow('many times larger');
  });

  test('a password of a zip file', async () => {
    const zip = Buffer.from(zipSync({ 'a.csv': Buffer.from('id') }));
    zip[6] = 1;
    expect((await inspect(zip)).problem?.detail).toContain('has a password');
  });

  test('a user name in the address of an image', async () => {
    const { rejections } = await inspect('id,image_link\na,https://me:secret@img.example/1.jpg\n');
    expect(rejections[0]?.detail).toContain('carries a user name or password');
    expect(JSON.stringify(rejections)).not.toContain('secret');
  });
});

test.each([1, 7, 70_000])(
  'a zip file is read in pieces of %i bytes, whatever is beside the feed',
  async (size) => {
    const feed = Array.from(
      { length: 300 },
      (_, i) => `${i},https://img.example/${i * 7919}.jpg\n`,
    ).join('');
    const zip = zipSync({ '__MACOSX/._feed.csv': Buffer.from('x'), 'feed.csv': Buffer.from(feed) });
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < zip.length; at += size) pieces.push(zip.subarray(at, at + size));
    expect(Buffer.concat(await collect(expandFeed(streamOf(pieces)))).toString()).toBe(feed);
  },
);
