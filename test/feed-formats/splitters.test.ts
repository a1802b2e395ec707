import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Chunk, FEED_LIMITS, type Raw, type Splitter } from '../../src/feed-formats/chunk.ts';
import { columnOf } from '../../src/feed-formats/columns.ts';
import { csvSplitter } from '../../src/feed-formats/csv.ts';
import { detectEncoding } from '../../src/feed-formats/encoding.ts';
import { jsonSplitter } from '../../src/feed-formats/json.ts';
import { ndjsonSplitter } from '../../src/feed-formats/ndjson.ts';
import { xmlSplitter } from '../../src/feed-formats/xml.ts';
import { randomRuns } from '../support/many.ts';

const encoding = detectEncoding(Buffer.alloc(0));
const maxRowBytes = 120;
const limits = { ...FEED_LIMITS, maxRowBytes };

const SPLITTERS = {
  csv: () => csvSplitter({ encoding, maxRowBytes, columnOf, required: {} }),
  tsv: () => csvSplitter({ encoding, maxRowBytes, columnOf, required: {}, delimiter: '\t' }),
  ndjson: () => ndjsonSplitter({ encoding, maxRowBytes, columnOf }),
  json: () => jsonSplitter({ encoding, maxRowBytes, columnOf, items: undefined }),
  rss: () => xmlSplitter({ format: 'rss', encoding, limits, columnOf }),
};

function splitChunks(splitter: Splitter, raw: Raw, cuts: readonly number[]): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  for (const to of [...cuts, raw.length]) {
    chunks.push(...splitter.push(raw.slice(from, to)));
    from = to;
  }
  return [...chunks, ...splitter.end()];
}

const joinRaw = (chunks: readonly Chunk[]): Raw => chunks.map(({ raw }) => raw).join('');

/** The rows among chunks; the bytes between rows may be cut anywhere. */
const rowsOf = (chunks: readonly Chunk[]) =>
  chunks
    .filter((chunk) => chunk.kind !== 'between')
    .map((chunk) =>
      chunk.kind === 'record'
        ? { line: chunk.line, cells: chunk.cells }
        : { line: chunk.line, code: chunk.code, id: chunk.id },
    );

const long = 'x'.repeat(150);

/** Lines and items that are hard to split. */
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
  json: {
    head: '{"a":"[{","b":{"c":[\n',
    parts: [
      '{"id":"ä"},\n',
      '{"id":"\\"}\\\\","n":{"a":[{"b":1}]}},',
      `{"id":"${long}"},`,
      '{},',
      '"x",',
      '[{"id":1}],\n\n',
      '{"a":x},',
      '12,',
    ],
    tail: '{}]},"d":[]}\n',
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

describe.each(['csv', 'tsv', 'ndjson', 'json', 'rss'] as const)('%s', (format) => {
  const { head, parts, tail } = PARTS[format];
  const feed = fc
    .array(fc.constantFrom(...parts), { maxLength: 12 })
    .map((chosen) => Buffer.from(head + chosen.join('') + tail).toString('latin1'));

  test('the chunks concatenate to the feed, wherever it is cut', () => {
    fc.assert(
      fc.property(feed, fc.array(fc.nat(2000), { maxLength: 30 }), (raw, positions) => {
        const cuts = positions.map((position) => position % (raw.length + 1)).sort((a, b) => a - b);
        const whole = splitChunks(SPLITTERS[format](), raw, []);
        const cut = splitChunks(SPLITTERS[format](), raw, cuts);
        expect(joinRaw(whole)).toBe(raw);
        expect(joinRaw(cut)).toBe(raw);
        expect(rowsOf(cut)).toEqual(rowsOf(whole));
      }),
      randomRuns(400),
    );
  });

  test('also byte by byte', () => {
    const raw = Buffer.from(head + parts.join('') + tail).toString('latin1');
    const bytes = Array.from({ length: raw.length }, (_, i) => i);
    const cut = splitChunks(SPLITTERS[format](), raw, bytes);
    expect(joinRaw(cut)).toBe(raw);
    expect(rowsOf(cut)).toEqual(rowsOf(splitChunks(SPLITTERS[format](), raw, [])));
  });
});
