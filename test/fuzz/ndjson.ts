import { deepEqual, equal } from 'node:assert/strict';
import { columnOf } from '../../src/feed-formats/columns.ts';
import { detectEncoding } from '../../src/feed-formats/encoding.ts';
import { ndjsonSplitter } from '../../src/feed-formats/ndjson.ts';
import { checkSplit, isRecord } from './splitting.ts';
import type { Input } from './target.ts';

export const dictionary = [
  '{"',
  '":',
  '":"',
  '"id"',
  '\\u0',
  '\\"',
  '__proto__',
  'null',
  '1e9',
  '[]',
  '{}',
];

export const seeds: readonly Input[] = [
  '{"id":"ä","imageLink":"https://a.test/1.jpg"}\n',
  '{"id": 1, "title" : "\\u00e4\\"", "additionalImageLinks": ["a", "b"]}\r\n\n{}\n',
  '{"id":"1","id":"2","x":{"y":[1,{"z":"]}"}]},"price":1e400}\n',
  '[1]\n"text"\nnull\n{"id"\n{"id":9007199254740993}\n',
  ' {"__proto__":{"id":1},"constructor":true}\n{"\xff":"\xc3"}',
];

export const regressions: readonly Input[] = [
  // Numbers beside strings of an array were rewritten in JavaScript's notation.
  '{"x":["a",1e999,9007199254740993]}\n',
];

const encoding = detectEncoding(Buffer.alloc(0));
const open = (maxRowBytes: number) => ndjsonSplitter({ encoding, maxRowBytes, columnOf });

const NEW_VALUE = 'ä"\n\u0000';

/** A value with all its strings replaced. */
const replaced = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((each) => (typeof each === 'string' ? NEW_VALUE : each))
    : NEW_VALUE;

/** Every row agrees with JSON.parse, before and after its strings are replaced. */
export function fuzz(input: Buffer): void {
  const { chunks: pieces, splitter } = checkSplit(open, input);
  for (const record of pieces.filter(isRecord)) {
    const parse = (raw: string): object => JSON.parse(encoding.decode(raw));
    const entries = Object.entries(parse(record.raw));
    deepEqual(
      record.cells.map(({ label }) => label),
      entries.map(([name]) => name),
    );
    equal(splitter.rewrite(record, new Map()), record.raw);
    const values = record.cells.map((cell) => cell.values.map(() => NEW_VALUE));
    deepEqual(
      Object.entries(parse(splitter.rewrite(record, new Map(values.entries())))),
      entries.map(([name, value]) => [name, replaced(value)]),
    );
  }
}
