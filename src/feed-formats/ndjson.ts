import type { Cell, Chunk, Edit, Line, Raw, RecordChunk, Splitter } from './chunk.ts';
import { applyEdits, lineSplitter } from './chunk.ts';
import { type Column, cellOf } from './columns.ts';
import type { Encoding } from './encoding.ts';

/** A member of an object: its key as written, including quotes, and the span of its value. */
interface Member {
  key: Raw;
  start: number;
  end: number;
}

const isSpace = (char: string | undefined): boolean =>
  char === ' ' || char === '\t' || char === '\n' || char === '\r';

const endsValue = (char: string | undefined): boolean =>
  isSpace(char) || char === ',' || char === '}' || char === ']';

function afterString(json: Raw, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterValue(json: Raw, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = json[at];
    at = char === '"' ? afterString(json, at) : at + 1;
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
  } while (depth > 0 || !endsValue(json[at]));
  return at;
}

const skipSpace = (json: Raw, from: number): number => {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
};

/** Returns the start of what follows a value: the next one, or the closing bracket. */
function afterComma(json: Raw, from: number): number {
  const at = skipSpace(json, from);
  return json[at] === ',' ? skipSpace(json, at + 1) : at;
}

/**
 * Returns the members of a JSON object in the order they are written.
 * @param json an object that JSON.parse accepts; other input may be read past its end
 * @param from start of the object, or spaces before it
 */
export function jsonMembers(json: Raw, from = 0): Member[] {
  const members: Member[] = [];
  let at = skipSpace(json, skipSpace(json, from) + 1);
  while (json[at] === '"') {
    const keyEnd = afterString(json, at);
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = afterValue(json, start);
    members.push({ key: json.slice(at, keyEnd), start, end });
    at = afterComma(json, end);
  }
  return members;
}

/**
 * Returns the spans of the values of a JSON array.
 * @param json holds an array that JSON.parse accepts; other input may be read past its end
 * @param from start of the array
 */
function jsonElements(json: Raw, from: number): Pick<Member, 'start' | 'end'>[] {
  const elements: Pick<Member, 'start' | 'end'>[] = [];
  let at = skipSpace(json, from + 1);
  while (json[at] !== ']') {
    const end = afterValue(json, at);
    elements.push({ start: at, end });
    at = afterComma(json, end);
  }
  return elements;
}

/** Objects within objects that are read. */
const MAX_DEPTH = 6;

/** Returns a scalar as text; undefined for other values and for integers that JavaScript rounds: see `restoreNumbers`. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The label of a value within another; a slash in a key is written as in JSON Pointer. */
const within = (label: string, key: string): string =>
  label === '' ? key : `${label}/${key.replaceAll('/', '~1')}`;

/**
 * Returns the cells of a row: one for each key, its values those of an array. The values of objects have the path
 * to them as label (`images/src`), those of an array of objects together.
 */
function jsonCells(object: object, columnOf: (label: string) => Column | undefined): Cell[] {
  const cells: Cell[] = [];
  const nested = new Map<string, string[]>();
  function valuesOf(label: string): string[] {
    const known = nested.get(label);
    if (known) return known;
    const values: string[] = [];
    nested.set(label, values);
    cells.push({ label, name: columnOf(label), values });
    return values;
  }
  function add(label: string, value: unknown, depth: number): void {
    const own = valuesOf(label);
    if (!isNested(value)) own.push(textOf(value) ?? '');
    else if (depth > MAX_DEPTH) own.push('');
    else if (Array.isArray(value)) for (const each of value) add(label, each, depth + 1);
    else {
      own.push('');
      for (const [key, each] of Object.entries(value as object))
        add(within(label, key), each, depth + 1);
    }
  }
  for (const [key, value] of Object.entries(object)) {
    const isFlat = !isNested(value) && !key.includes('/'); // as nearly all are
    if (isFlat) cells.push({ label: key, name: columnOf(key), values: [textOf(value) ?? ''] });
    else add(key, value, 1);
  }
  return cells;
}

type Span = Pick<Member, 'start' | 'end'>;

/** Returns where the values of a row's cells are written, in the order of `jsonCells`. */
function jsonSpans(raw: Raw, decode: (raw: Raw) => string): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  function add(label: string, { start, end }: Span, depth: number): void {
    const own = spans.get(label) ?? [];
    spans.set(label, own);
    const isArray = raw[start] === '[';
    if (!isArray || depth > MAX_DEPTH) own.push({ start, end });
    if (depth > MAX_DEPTH) return;
    if (isArray) for (const each of jsonElements(raw, start)) add(label, each, depth + 1);
    else if (raw[start] === '{') addMembers(start, label, depth + 1);
  }
  function addMembers(start: number, label: string, depth: number): void {
    /** Of several equal keys, JSON.parse uses the last. */
    const members = new Map(
      jsonMembers(raw, start).map((member) => [String(JSON.parse(decode(member.key))), member]),
    );
    for (const [key, member] of members) add(within(label, key), member, depth);
  }
  addMembers(0, '', 1);
  return spans;
}

/** More digits than JavaScript keeps. */
const LONG_NUMBER = /\d{16}/;

/** Gives whole numbers that JavaScript would round, as ids of 64 bits, the digits they are written with. */
function restoreNumbers(cells: Cell[], raw: Raw, decode: (raw: Raw) => string): void {
  const spans = jsonSpans(raw, decode);
  for (const [index, cell] of cells.entries()) {
    const written = spans.get(cell.label) ?? [];
    const values = cell.values.map((value, i) => {
      const text = value === '' ? raw.slice(written[i]?.start, written[i]?.end) : '';
      return /^-?\d{16,}$/.test(text) ? text : value;
    });
    cells[index] = { ...cell, values };
  }
}

export interface JsonOptions {
  encoding: Encoding;
  maxRowBytes: number;
  /** Maps a key to a column; undefined for a member that is passed through unread. */
  columnOf(label: string): Column | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a JSON object; returns undefined for anything else. */
function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Approximate number of values in a row. A row may be as long as an image in base64; as many bytes of brackets or
 * short members would take minutes to parse.
 */
const MAX_VALUES = 20_000;

/** The characters that precede nearly every value. */
const SEPARATORS = [',', '[', '{'];

function hasTooManyValues(raw: Raw): boolean {
  let count = 0;
  for (const separator of SEPARATORS) {
    for (let at = raw.indexOf(separator); at >= 0; at = raw.indexOf(separator, at + 1)) {
      if (++count > MAX_VALUES) return true;
    }
  }
  return false;
}

/** Reads and rewrites rows that are one JSON object each. */
export function jsonRows({ encoding, columnOf }: JsonOptions) {
  const write = (value: string): Raw => encoding.encode(JSON.stringify(value));
  return {
    /** @param what names the row in an error */
    toChunk(line: number, raw: Raw, what: string): Chunk {
      if (raw.trim() === '') return { kind: 'between', raw };
      if (hasTooManyValues(raw)) {
        const detail = `The row has more than ${MAX_VALUES} values`;
        return { kind: 'unreadable', line, raw, code: 'malformed', detail };
      }
      const object = parseObject(encoding.decode(raw));
      if (!object) {
        const detail = `The ${what} is not one JSON object`;
        return { kind: 'unreadable', line, raw, code: 'malformed', detail };
      }
      const cells = jsonCells(object, columnOf);
      if (LONG_NUMBER.test(raw)) restoreNumbers(cells, raw, encoding.decode);
      return { kind: 'record', line, raw, broken: encoding.isBroken(raw), cells };
    },

    /** Rewrites only values that change: others, as numbers that JavaScript rounds, stay as written. */
    rewrite({ raw, cells }: RecordChunk, ...[values, filled = new Map()]: RewriteValues): Raw {
      const spans = jsonSpans(raw, encoding.decode);
      const edits = [...values].flatMap(([index, replaced]) =>
        (spans.get(cells[index]!.label) ?? []).flatMap(({ start, end }, i): Edit[] => {
          const isScalar = raw[start] !== '{' && raw[start] !== '[';
          const isChanged = isScalar && replaced[i] !== cells[index]!.values[i];
          return isChanged ? [{ start, end, written: write(replaced[i]!) }] : [];
        }),
      );
      for (const [column, value] of filled) {
        if (!value) continue;
        const cell = cells[cellOf(cells, column)];
        if (cell) {
          const { start, end } = jsonMembers(raw).findLast(
            ({ key }) => JSON.parse(encoding.decode(key)) === cell.label,
          )!;
          edits.push({ start, end, written: write(value) });
        } else {
          const end = raw.lastIndexOf('}');
          edits.push({ start: end, end, written: `,${write(column)}:${write(value)}` });
        }
      }
      return applyEdits(raw, edits);
    },
  };
}

type RewriteValues =
  Parameters<Splitter['rewrite']> extends [unknown, ...infer Rest] ? Rest : never;

/** Splits rows of one JSON object a line. */
export function ndjsonSplitter(options: JsonOptions): Splitter {
  const { toChunk, rewrite } = jsonRows(options);
  const lines = lineSplitter(options.maxRowBytes);

  function* take(input: Iterable<Line | Chunk>): Iterable<Chunk> {
    for (const each of input)
      yield each.kind === 'line' ? toChunk(each.line, each.raw, 'line') : each;
  }

  return { push: (raw) => take(lines.push(raw)), end: () => take(lines.end()), rewrite };
}
