import type { Cell, Chunk, Raw, Splitter } from './chunk.ts';
import { type Column, cellOf } from './columns.ts';
import { applyEdits, type Edit } from './edits.ts';
import type { Encoding } from './encoding.ts';
import { jsonElements, jsonMembers, type Member } from './json-members.ts';
import { type Line, lineSplitter } from './lines.ts';

interface NdjsonOptions {
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

/** Returns a scalar as text; undefined for other values and for integers that JavaScript would round. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Returns one text for each value of an array, so that `rewrite` can replace it by index. */
const valuesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((each) => textOf(each) ?? '') : [textOf(value) ?? ''];

/** Returns the spans of a value's strings, with their indices; other values are not rewritten. */
const textElements = (raw: Raw, value: Pick<Member, 'start' | 'end'>) =>
  raw[value.start] === '['
    ? jsonElements(raw, value.start)
        .map((element, i) => ({ ...element, i }))
        .filter(({ start }) => raw[start] === '"')
    : [{ ...value, i: 0 }];

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

/** Splits rows of one JSON object a line. */
export function ndjsonSplitter(options: NdjsonOptions): Splitter {
  const { encoding, maxRowBytes, columnOf } = options;
  const lines = lineSplitter(maxRowBytes);

  function toChunk(line: number, raw: Raw): Chunk {
    if (raw.trim() === '') return { kind: 'between', raw };
    if (hasTooManyValues(raw)) {
      const detail = `The row has more than ${MAX_VALUES} values`;
      return { kind: 'unreadable', line, raw, code: 'malformed', detail };
    }
    const object = parseObject(encoding.decode(raw));
    if (!object) {
      const detail = 'The line is not one JSON object';
      return { kind: 'unreadable', line, raw, code: 'malformed', detail };
    }
    const cells = Object.entries(object).map(
      ([label, value]): Cell => ({ label, name: columnOf(label), values: valuesOf(value) }),
    );
    return { kind: 'record', line, raw, broken: encoding.isBroken(raw), cells };
  }

  function partToChunk({ line, raw, last }: Extract<Line, { kind: 'part' }>): Chunk {
    if (!last) return { kind: 'between', raw };
    const detail = `The row is longer than ${maxRowBytes} bytes`;
    return { kind: 'unreadable', line, raw, code: 'too-large', detail };
  }

  function* take(input: Iterable<Line>): Iterable<Chunk> {
    for (const each of input) {
      yield each.kind === 'line' ? toChunk(each.line, each.raw) : partToChunk(each);
    }
  }

  /** Of several equal keys, JSON.parse uses the last. */
  const memberOf = (raw: Raw, label: string) =>
    jsonMembers(raw).findLast(({ key }) => JSON.parse(encoding.decode(key)) === label);

  return {
    push: (raw) => take(lines.push(raw)),
    end: () => take(lines.end()),
    rewrite({ raw, cells }, values, filled = new Map()): Raw {
      const write = (value: string): Raw => encoding.encode(JSON.stringify(value));
      const edits = [...values].flatMap(([index, replaced]) =>
        textElements(raw, memberOf(raw, cells[index]!.label)!).map(
          ({ start, end, i }): Edit => ({ start, end, written: write(replaced[i]!) }),
        ),
      );
      for (const [column, value] of filled) {
        if (!value) continue;
        const cell = cells[cellOf(cells, column)];
        if (cell) {
          const { start, end } = memberOf(raw, cell.label)!;
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
