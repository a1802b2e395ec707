import { deepEqual, equal, ok } from 'node:assert/strict';
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

/** Objects and arrays within others that are read; what is within these is one value that is not replaced. */
const MAX_DEPTH = 6;

/** A value with all texts, numbers and other scalars in it replaced. */
function replaced(value: unknown, depth = 1): unknown {
  if (typeof value !== 'object' || value === null) return NEW_VALUE;
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaced(each, depth + 1)]),
  );
}

/** Every row agrees with JSON.parse, before and after its values are replaced. */
export function fuzz(input: Buffer): void {
  const { chunks: pieces, splitter } = checkSplit(open, input);
  for (const record of pieces.filter(isRecord)) {
    const parse = (raw: string): object => JSON.parse(encoding.decode(raw));
    const entries = Object.entries(parse(record.raw));
    const labels = new Set(record.cells.map(({ label }) => label));
    for (const [name] of entries) ok(labels.has(name));
    equal(splitter.rewrite(record, new Map()), record.raw);
    const same = record.cells.map((cell) => cell.values);
    equal(splitter.rewrite(record, new Map(same.entries())), record.raw);
    const values = record.cells.map((cell) => cell.values.map(() => NEW_VALUE));
    deepEqual(
      Object.entries(parse(splitter.rewrite(record, new Map(values.entries())))),
      entries.map(([name, value]) => [name, replaced(value)]),
    );
  }
}
