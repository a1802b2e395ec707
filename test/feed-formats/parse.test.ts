import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import { FEED_FORMATS } from '../../src/feed-formats/sniff.ts';
import { streamOf } from '../support/feeds.ts';
import { randomRuns } from '../support/many.ts';
import type { Item } from './read-items.ts';

/** Tokens of all formats, combined at random. */
const NOISE = [
  'id,image_link\n',
  'id\timage_link\n',
  'a,',
  '\t',
  '"',
  '""',
  '\n',
  '\r\n',
  'https://a.example/1.jpg',
  '{',
  '}',
  '[',
  ']',
  ':',
  '"id"',
  '"image_link"',
  '\\',
  '1e400',
  'null',
  '<?xml version="1.0"?>',
  '<rss>',
  '<channel>',
  '<item>',
  '</item>',
  '<item/>',
  '</channel>',
  '</rss>',
  '<feed xmlns="http://www.w3.org/2005/Atom">',
  '<entry>',
  '</entry>',
  '<id>',
  '</id>',
  '<',
  '>',
  '/',
  '=',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '&',
  '&amp;',
  '&#0;',
  "'",
  'xmlns:x="',
  'x:y',
  '\0',
  'ä',
  '\ufeff',
];

describe('for any bytes', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .array(fc.constantFrom(...NOISE), { maxLength: 60 })
      .map((parts) => Buffer.from(parts.join(''))),
  );

  test.each([...FEED_FORMATS, undefined])(
    '%s: rows and errors are in order, or there is a FeedError',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(noise, async (bytes) => {
          const items: Item[] = [];
          try {
            for await (const item of parseFeed(streamOf([bytes]), { format })) items.push(item);
          } catch (error) {
            expect(error).toBeInstanceOf(FeedError);
          }
          expect(items.map(({ index }) => index)).toEqual(items.map((_, i) => i));
        }),
        randomRuns(150),
      );
    },
  );
});

test('a reader that stops early or fails closes the source', async () => {
  let closed = 0;
  async function* source(text: string): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.from(text);
    } finally {
      closed += 1;
    }
  }
  const lines: number[] = [];
  for await (const item of parseFeed(source('id,image_link\nx,y\n'))) {
    lines.push(item.line);
    break;
  }
  expect(lines).toEqual([2]);
  expect(closed).toBe(1);
  await expect(parseFeed(source('<html>')).next()).rejects.toBeInstanceOf(FeedError);
  expect(closed).toBe(2);
});
