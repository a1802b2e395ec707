import type { Chunk, Raw, RecordChunk, Splitter } from './chunk.ts';
import { type Column, cellOf } from './columns.ts';
import { applyEdits, type Edit } from './edits.ts';
import type { Encoding } from './encoding.ts';
import { jsonCells, jsonSpans } from './json-cells.ts';
import { jsonMembers } from './json-members.ts';
import { type Line, lineSplitter } from './lines.ts';

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
  const { maxRowBytes } = options;
  const { toChunk, rewrite } = jsonRows(options);
  const lines = lineSplitter(maxRowBytes);

  function partToChunk({ line, raw, last }: Extract<Line, { kind: 'part' }>): Chunk {
    if (!last) return { kind: 'between', raw };
    const detail = `The row is longer than ${maxRowBytes} bytes`;
    return { kind: 'unreadable', line, raw, code: 'too-large', detail };
  }

  function* take(input: Iterable<Line>): Iterable<Chunk> {
    for (const each of input) {
      yield each.kind === 'line' ? toChunk(each.line, each.raw, 'line') : partToChunk(each);
    }
  }

  return {
    push: (raw) => take(lines.push(raw)),
    end: () => take(lines.end()),
    rewrite,
  };
}
