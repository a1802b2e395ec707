import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chunk, Raw, Splitter } from '../../src/feed-formats/chunk.ts';
import { columnOf } from '../../src/feed-formats/columns.ts';
import { csvSplitter } from '../../src/feed-formats/csv.ts';
import { detectEncoding } from '../../src/feed-formats/encoding.ts';
import { FEED_LIMITS } from '../../src/feed-formats/limits.ts';
import { ndjsonSplitter } from '../../src/feed-formats/ndjson.ts';
import { xmlSplitter } from '../../src/feed-formats/xml.ts';

const encoding = detectEncoding(Buffer.alloc(0));
const maxRowBytes = 120;
const limits = { ...FEED_LIMITS, maxRowBytes };

const SPLITTERS = {
  csv: () => csvSplitter({ encoding, maxRowBytes, columnOf, required: {} }),
  tsv: () => csvSplitter({ encoding, maxRowBytes, columnOf, required: {}, delimiter: '\t' }),
  ndjson: () => ndjsonSplitter({ encoding, maxRowBytes, columnOf }),
  rss: () => xmlSplitter('rss', encoding, limits),
};

function piecesOf(splitter: Splitter, raw: Raw, cuts: readonly number[]): Chunk[] {
  const pieces: Chunk[] = [];
  let from = 0;
  for (const to of [...cuts, raw.length]) {
    pieces.push(...splitter.push(raw.slice(from, to)));
    from = to;
  }
  return [...pieces, ...splitter.end()];
}

const together = (pieces: readonly Chunk[]): Raw => pieces.map(({ raw }) => raw).join('');

/** What a piece says of a row; how the bytes between rows are cut does not matter. */
const rowsOf = (pieces: readonly Chunk[]) =>
  pieces
    .filter((piece) => piece.kind !== 'between')
    .map((piece) =>
      piece.kind === 'record'
        ? { line: piece.line, cells: piece.cells }
        : { line: piece.line, code: piece.code, id: piece.id },
    );

const long = 'x'.repeat(150);

/** Feeds made of what is hard to split: each line or item is one of these. */
const PARTS: Record<keyof typeof SPLITTERS, { head: string; parts: string[]; tail: string }> = {
  csv: {
    head: 'id,title\r\n',
    parts: [
      'a,b\n',
      'a,"b\r\nc"\r\n',
      '"a ""q""",b\n',
      '\n',
      'a,"b\n',
      'a,"b"c\n',
      `a,${long}\n`,
      `a,"${long}\n`,
      'a\n',
      'ä,ß\n',
      '"',
      ',',
    ],
    tail: '',
  },
  tsv: {
    head: 'id\ttitle\n',
    parts: ['a\tb\n', 'a\t"b\n', 'a\t"b\tc"\n', `${long}\n`, '"'],
    tail: '',
  },
  ndjson: {
    head: '',
    parts: ['{"id":"ä"}\n', '{}\r\n', '\n', '{', `"${long}"\n`, '\n\n'],
    tail: '',
  },
  rss: {
    head: '<?xml version="1.0"?><rss><!-- > <item> --><channel>',
    parts: [
      '<item><id>ä</id></item>\n',
      '<item><t lang=">">a<![CDATA[]]]]><![CDATA[></item>]]></t></item>',
      '<item><!-- </item> --><id>c</id></item>',
      '<item><id>c</id><bad></item>',
      '<item><id>d</id>',
      '<item/>',
      '<item a=\'"/>\' b="\'>">\n</item>',
      `<item>${long}</item>`,
      `<item><x a="${long}"/></item>`,
      '<x><item/></x>',
      'text < > & ]]>',
      '<?pi <item> ?>',
    ],
    tail: '<item></item></channel></rss>',
  },
};

describe.each(['csv', 'tsv', 'ndjson', 'rss'] as const)('%s', (format) => {
  const { head, parts, tail } = PARTS[format];
  const feed = fc
    .array(fc.constantFrom(...parts), { maxLength: 12 })
    .map((chosen) => Buffer.from(head + chosen.join('') + tail).toString('latin1'));

  test('the pieces are the feed again, wherever it is cut', () => {
    fc.assert(
      fc.property(feed, fc.array(fc.nat(2000), { maxLength: 30 }), (raw, places) => {
        const cuts = places.map((place) => place % (raw.length + 1)).sort((a, b) => a - b);
        const whole = piecesOf(SPLITTERS[format](), raw, []);
        const cut = piecesOf(SPLITTERS[format](), raw, cuts);
        expect(together(whole)).toBe(raw);
        expect(together(cut)).toBe(raw);
        expect(rowsOf(cut)).toEqual(rowsOf(whole));
      }),
      { numRuns: 400 },
    );
  });

  test('and a byte at a time', () => {
    const raw = Buffer.from(head + parts.join('') + tail).toString('latin1');
    const bytes = Array.from({ length: raw.length }, (_, i) => i);
    const cut = piecesOf(SPLITTERS[format](), raw, bytes);
    expect(together(cut)).toBe(raw);
    expect(rowsOf(cut)).toEqual(rowsOf(piecesOf(SPLITTERS[format](), raw, [])));
  });
});
