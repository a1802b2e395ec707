import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandFeed } from '../../src/feed-formats/expand.ts';
import { exportFeed } from '../../src/feed-formats/export.ts';
import { FeedNotes } from '../../src/feed-formats/feed-error.ts';
import type { FeedMapping } from '../../src/feed-formats/mapping.ts';
import type { FeedReadOptions, OpenFeed } from '../../src/feed-formats/open-feed.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import { streamOf } from '../support/feeds.ts';
import { collect } from './read-items.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/feeds');
const HOST = 'http://127.0.0.1:9701';

const read = async (name: string): Promise<Buffer> =>
  Buffer.concat(await collect(expandFeed(streamOf([readFileSync(join(FOLDER, name))]))));

/** Reads a feed as one line a product: its id and the paths of its images, or why it is rejected. */
async function summarise(name: string, options: FeedReadOptions) {
  const rows: string[] = [];
  const titles: (string | undefined)[] = [];
  const notes = new FeedNotes();
  const opened: OpenFeed[] = [];
  const source = streamOf([await read(name)]);
  for await (const item of parseFeed(source, { ...options, takeNote: notes.take }, (feed) =>
    opened.push(feed),
  )) {
    if (item.kind === 'error')
      rows.push(
        `${item.line} ${item.id ?? '-'}: ${item.reasons.map(({ code }) => code).join(' ')}`,
      );
    else {
      titles.push(item.title);
      const links = [item.imageLink, ...item.additionalImageLinks];
      rows.push(`${item.line} ${item.id} ${links.map((link) => link.replace(HOST, '')).join(' ')}`);
    }
  }
  const { preset } = opened[0]!.reading;
  return { rows, titles, preset, notes: notes.list().map(({ code }) => code) };
}

interface Right {
  name: string;
  rows: readonly string[];
  preset?: OpenFeed['reading']['preset'];
  notes?: readonly string[];
  mapping?: FeedMapping;
  titles?: readonly string[];
}

const two = (first: number, second: number) => [`${first} A-1 /i/1.jpg`, `${second} A-2 /i/2.jpg`];

// biome-ignore format: a table reads best aligned
const RIGHT: readonly Right[] = [
  { name: '01-atom-no-namespace.xml', rows: two(4, 5), notes: ['namespace'] },
  { name: '03-rss-google-default-namespace.xml', rows: two(4, 5), notes: ['namespace'] },
  { name: '04-rss-g-trailing-slash.xml', rows: two(4, 5), notes: ['namespace'] },
  { name: '06-rss-g-undeclared.xml', rows: two(4, 5), notes: ['undeclared-prefix'] },
  { name: '07-rss-no-prefix.xml', rows: two(4, 5), notes: [] },
  { name: '08-rss-html-entities.xml', rows: two(4, 4), notes: ['html-entities'] },
  { name: '10-rss-bare-ampersand.xml', rows: ['4 A-1 /i/1.jpg?w=600&h=800', '4 A-2 /i/2.jpg?w=600&h=800'], notes: ['bare-ampersands'] },
  { name: '11-rss-php-notice-before.xml', rows: two(6, 7), notes: ['text-before'] },
  { name: '12-rss-blank-line-before.xml', rows: two(5, 6), notes: [] },
  { name: '13-rss-comment-after.xml', rows: two(4, 5), notes: [] },
  { name: '15-rss-doctype.xml', rows: two(5, 6), notes: [] },
  { name: '16-generic-products.xml', rows: two(3, 4) },
  { name: '17-heureka.xml', rows: ['3 A-1 /i/1.jpg /i/3.jpg'], preset: 'heureka' },
  { name: '18-rss-iso-8859-1.xml', rows: ['4 A-1 /i/1.jpg'], notes: [] },
  { name: '19-rss-nested-shipping.xml', rows: ['4 A-1 /i/1.jpg /i/3.jpg /i/4.jpg?a=1&b=2'] },
  { name: '20-short-rows.csv', rows: two(2, 3), notes: ['short-rows'] },
  { name: '21-trailing-delimiter.csv', rows: two(2, 3), notes: ['extra-delimiters'] },
  { name: '23-excel-sep-line.csv', rows: two(3, 4), notes: ['separator-line'] },
  { name: '24-cr-only.csv', rows: two(2, 3), notes: ['carriage-returns'] },
  { name: '25-windows-1252.csv', rows: two(2, 3), notes: ['windows-1252'], titles: ['Grüner Schal € 9', 'Shirt'] },
  { name: '27-utf16le.tsv', rows: ['2 A-1 /i/1.jpg'], titles: ['Grüner Schal'] },
  { name: '28-utf8-bom-quoted.csv', rows: ['2 A-1 /i/1.jpg'], titles: ['Shirt, red'] },
  { name: '29-unescaped-inches.csv', rows: ['2 -: malformed', '3 A-2 /i/2.jpg'] },
  { name: '30-backslash-quotes.csv', rows: ['2 -: malformed', '3 A-2 /i/2.jpg'] },
  { name: '32-awin.csv', rows: ['2 330001 /i/1.jpg', '3 330002 /i/2.jpg'], preset: 'awin' },
  { name: '33-shopify-export.csv', rows: ['2 red-shirt /i/1.jpg /i/2.jpg /i/3.jpg', '5 blue-coat https://cdn.shop.example/4.jpg'], preset: 'shopify', notes: ['protocol-less-links'] },
  { name: '35-magento-export.csv', rows: ['2 A-1 /media/a/1/1.jpg /media/a/1/2.jpg /media/a/1/3.jpg'], preset: 'magento', mapping: { baseUrl: `${HOST}/media/` } },
  { name: '36-prestashop.csv', rows: ['2 1 /i/1.jpg /i/2.jpg'], preset: 'prestashop' },
  { name: '38-idealo.csv', rows: ['2 A-1 /i/1.jpg'], preset: 'idealo' },
  { name: '40-image-url.csv', rows: ['2 A-1 /i/1.jpg'], preset: 'plain' },
  { name: '42-ids.csv', rows: ['2 A-1 /i/1.jpg', '3 A-1: duplicate-id', '4 a-1 /i/3.jpg', '5 -: missing-id', '6 -: missing-id', '7 00123 /i/6.jpg', '8 123 /i/7.jpg', '9 A 1/2#x?y /i/8.jpg', '10 A-9 /i/9.jpg', '11 =1+1 /i/10.jpg'] },
  { name: '43-additional-lists.csv', rows: [...[1, 2, 3, 4, 5].map((i) => `${i + 1} A-${i} /i/1.jpg /i/2.jpg /i/3.jpg`), '7 A-6 /cdn/w_600,h_800/1.jpg /cdn/w_600,h_800/2.jpg /cdn/w_600,h_800/3.jpg', '8 A-7 /i/1.jpg /i/2.jpg', '9 A-8 /i/1.jpg /i/2.jpg', '10 A-9 /i/1.jpg', '11 A-10 /i/1.jpg /i/2.jpg https://127.0.0.1:9701/i/3.jpg'], notes: ['unquoted-links', 'link-lists', 'protocol-less-links'] },
  { name: '45-json-array.json', rows: two(2, 7) },
  { name: '46-shopify-products.json', rows: ['1 1 /i/1.jpg'], preset: 'shopify-json' },
  { name: '48-header-only.csv', rows: [] },
  { name: '50-gz.csv.gz', rows: ['2 A-1 /i/1.jpg'] },
  { name: '51-zip.csv.zip', rows: ['2 A-1 /i/1.jpg'] },
];

test.each(RIGHT)('$name', async ({ name, rows, preset, notes, titles, mapping }) => {
  const seen = await summarise(name, { fileName: name, mapping });
  expect(seen.rows).toEqual(rows);
  expect(seen.preset).toBe(preset ?? 'google');
  if (notes) expect(seen.notes).toEqual(notes);
  if (titles) expect(seen.titles).toEqual(titles);
});

test.each(RIGHT)('$name is exported byte for byte', async ({ name, mapping }) => {
  const bytes = await read(name);
  const keep = await collect(
    exportFeed(streamOf([bytes]), () => undefined, { fileName: name, mapping }),
  );
  expect(Buffer.concat(keep)).toEqual(bytes);
});

test.each(RIGHT)(
  '$name reads the same after an export with new links',
  async ({ name, rows, mapping }) => {
    const bytes = await read(name);
    const replace = (row: { id: string }, image: number) =>
      `https://new.example/${encodeURIComponent(row.id)}/${image}.png`;
    const out = await collect(exportFeed(streamOf([bytes]), replace, { fileName: name, mapping }));
    const ids: string[] = [];
    for await (const item of parseFeed(streamOf(out), { fileName: name, mapping })) {
      if (item.kind === 'error') continue;
      ids.push(item.id);
      expect([item.imageLink, ...item.additionalImageLinks]).toEqual(
        [item.imageLink, ...item.additionalImageLinks].map((_, image) => replace(item, image)),
      );
    }
    expect(ids).toHaveLength(rows.filter((row) => !row.includes(': ')).length);
  },
);

test('44-link-spellings.csv', async () => {
  const { rows } = await summarise('44-link-spellings.csv', {});
  const rejected = rows
    .filter((row) => row.includes(': '))
    .map((row) => Number(row.split(' ')[0]) - 1);
  expect(rejected).toEqual([2, 3, 14, 18, 19, 20, 21, 22, 23]);
  expect(rows[0]).toBe('2 L-1 https://127.0.0.1:9701/i/1.jpg');
});

test.each([
  { name: '14-rss-cut.xml', reason: 'malformed-xml' },
  { name: '49-empty.csv', reason: 'empty' },
])('$name is refused: $reason', async ({ name, reason }) => {
  await expect(summarise(name, {})).rejects.toMatchObject({ name: 'FeedError', reason });
});
