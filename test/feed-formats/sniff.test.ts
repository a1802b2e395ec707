import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { detectEncoding } from '../../src/feed-formats/encoding.ts';
import { type FeedHints, sniffFeed } from '../../src/feed-formats/sniff.ts';
import { feedText, products } from '../support/feeds.ts';

const shop = (format: 'rss' | 'atom' | 'tsv' | 'csv' | 'ndjson') =>
  feedText(
    format,
    products(3, (i) => [`https://img.example/${i}.jpg`]),
  );

describe('a format is detected from the first bytes', () => {
  test.each(['rss', 'atom', 'tsv', 'csv', 'ndjson'] as const)('%s', (format) => {
    expect(sniffFeed(Buffer.from(shop(format)))).toEqual({ format });
  });

  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'RSS 1.0', head: '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">', format: 'rss' },
    { what: 'a comment before the root', head: '<?xml version="1.0"?>\n<!-- <feed> -->\n<rss version="2.0">', format: 'rss' },
    { what: 'a document type, rejected later', head: '<!DOCTYPE rss [<!ENTITY a "b">]><rss>', format: 'rss' },
    { what: 'a prefixed root', head: '<a:feed xmlns:a="http://www.w3.org/2005/Atom">', format: 'atom' },
    { what: 'semicolons', head: 'id;title;image_link\n1;a;b', format: 'csv' },
    { what: 'pipes', head: 'id|title|image_link\n1|a|b', format: 'csv' },
    { what: 'tabs, in capitals and with spaces', head: 'ID\tImage Link\n', format: 'tsv' },
    { what: 'quoted names', head: '"id","image link"\r\n', format: 'csv' },
    { what: 'other XML', head: '<?xml version="1.0"?><urlset/>', format: 'xml' },
    { what: 'a JSON array', head: '[{"id":"1"}]', format: 'json' },
    { what: 'an array within a JSON object', head: '{"count": 2, "data": {"products": [ {"id":1}]}}', format: 'json' },
    { what: 'a row of JSON with an array of objects', head: '{"id":1,"image_link":"x","sizes":[{"size":1}]}', format: 'ndjson' },
    { what: 'an empty JSON object', head: '{}\n{"id":1}', format: 'ndjson' },
  ])('$what', ({ head, format }) => {
    expect(sniffFeed(Buffer.from(head))).toEqual({ format });
  });
});

describe('bytes take precedence over names', () => {
  test.each([
    { hints: { mediaType: 'text/csv' }, format: 'rss' },
    { hints: { fileName: 'shop.tsv' }, format: 'rss' },
  ])('$hints', ({ hints, format }) => {
    expect(sniffFeed(Buffer.from(shop('rss')), hints)).toEqual({ format });
  });
});

describe('names decide if the bytes do not', () => {
  const names: [FeedHints, string | undefined][] = [
    [{ mediaType: 'text/tab-separated-values; charset=utf-8' }, 'tsv'],
    [{ mediaType: 'TEXT/CSV' }, 'csv'],
    [{ fileName: 'products.TSV' }, 'tsv'],
    [{ fileName: 'products.jsonl' }, 'ndjson'],
    [{ mediaType: 'text/plain', fileName: 'products.csv' }, 'csv'],
    [{ mediaType: 'text/plain', fileName: 'products.txt' }, undefined],
    [{}, undefined],
  ];
  test.each(names)('%o means %s', (hints, format) => {
    expect(sniffFeed(Buffer.from('x,y\n1,https://a.example/1.jpg\n'), hints)?.format).toBe(format);
  });
});

describe('other files are not detected as feeds, whatever their name', () => {
  test.each([
    ['an HTML page', '<!DOCTYPE html>\n<html><body>id,image_link</body></html>'],
    ['an HTML page without a doctype', '<html lang="en">'],
    ['gzip', gzipSync(shop('csv'))],
    ['a PNG', Buffer.from('89504e470d0a1a0a', 'hex')],
  ])('%s', (_, head) => {
    expect(sniffFeed(Buffer.from(head), { mediaType: 'text/csv' })).toBeUndefined();
  });
});

test('prose has no format', () => {
  expect(sniffFeed(Buffer.from('Dear customer, the feed has moved.'))).toBeUndefined();
});

describe('the encoding', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'nothing declared', head: Buffer.from('id,title'), name: 'utf-8' },
    { what: 'a UTF-8 byte order mark', head: Buffer.from('\ufeffid,title'), charset: 'windows-1252', name: 'utf-8' },
    { what: 'a UTF-16LE byte order mark', head: Buffer.from('\ufeffid', 'utf16le'), name: 'utf-16le' },
    { what: 'a UTF-16BE byte order mark', head: Buffer.from('\ufeffid', 'utf16le').swap16(), name: 'utf-16be' },
    { what: 'UTF-16 without a byte order mark', head: Buffer.from('<rss', 'utf16le'), name: 'utf-16le' },
    { what: 'an XML declaration', head: Buffer.from('<?xml version="1.0" encoding="ISO-8859-15"?>'), name: 'iso-8859-15' },
    { what: 'a declaration of UTF-16 in plain bytes', head: Buffer.from('<?xml version="1.0" encoding="utf-16"?>'), name: 'utf-8' },
    { what: 'a charset', head: Buffer.from('id,title'), charset: 'latin1', name: 'windows-1252' },
  ])('$what is $name', ({ head, charset, name }) => {
    expect(detectEncoding(head, charset).name).toBe(name);
  });

  const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));

  test.each([
    ['windows-1252', '\x80\x93a\x94\x9f\xff', '\u20ac\u201ca\u201d\u0178\u00ff'],
    ['windows-1252', '\xff', '\u00ff'],
    ['iso-8859-15', '\xa4\xff', '\u20ac\u00ff'],
    ['windows-1251', '\xff\x93', '\u044f\u201c'],
    ['koi8-r', '\xff', '\u042a'],
    ['shift_jis', '\x95\x5c\xb1', '\u8868\uff71'],
  ])('%s has the characters of its bytes, and they go back to these', (charset, raw, text) => {
    const { decode, encode, isBroken } = detectEncoding(Buffer.from('id'), charset);
    expect(decode(raw)).toBe(text);
    expect(isBroken(raw)).toBe(false);
    expect(encode(text)).toBe(raw);
    for (const byte of BYTES)
      if (decode(byte) !== '\uFFFD') expect(encode(decode(byte))).toBe(byte);
  });

  test.each(['iso-2022-jp', 'klingon'])('%s is rejected', (charset) => {
    expect(() => detectEncoding(Buffer.from('id'), charset)).toThrow(
      expect.objectContaining({ reason: 'encoding' }),
    );
  });
});
