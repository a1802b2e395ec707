import type { Cell, Chunk, Raw, Splitter } from './chunk.ts';
import type { Column } from './columns.ts';
import { applyEdits } from './edits.ts';
import type { Encoding } from './encoding.ts';
import { jsonElements, jsonMembers, type Member } from './json-members.ts';
import { type Line, lineSplitter } from './lines.ts';

export interface NdjsonOptions {
  encoding: Encoding;
  maxRowBytes: number;
  /** What a key means; undefined for a member that is only carried along. */
  columnOf(label: string): Column | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object on a line of its own; undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A value as text, where it has one. A number that JavaScript would round has none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** One place a value, so that `rewrite` can put each back where it was. */
const valuesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((each) => textOf(each) ?? '') : [textOf(value) ?? ''];

/** Where the texts of a value stand, and which of its values each is; the others stay as they are written. */
const textsIn = (raw: Raw, value: Pick<Member, 'start' | 'end'>) =>
  raw[value.start] === '['
    ? jsonElements(raw, value.start)
        .map((element, i) => ({ ...element, i }))
        .filter(({ start }) => raw[start] === '"')
    : [{ ...value, i: 0 }];

/** Rows of one JSON object a line. */
export function ndjsonSplitter(options: NdjsonOptions): Splitter {
  const { encoding, maxRowBytes, columnOf } = options;
  const lines = lineSplitter(maxRowBytes);

  function toPiece(line: number, raw: Raw): Chunk {
    if (raw.trim() === '') return { kind: 'between', raw };
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

  function partToPiece({ line, raw, last }: Extract<Line, { kind: 'part' }>): Chunk {
    if (!last) return { kind: 'between', raw };
    const detail = `The row is longer than ${maxRowBytes} bytes`;
    return { kind: 'unreadable', line, raw, code: 'too-large', detail };
  }

  function* take(pieces: Iterable<Line>): Iterable<Chunk> {
    for (const piece of pieces) {
      yield piece.kind === 'line' ? toPiece(piece.line, piece.raw) : partToPiece(piece);
    }
  }

  /** The last of several equal keys is the one that JSON.parse takes. */
  const memberOf = (raw: Raw, label: string) =>
    jsonMembers(raw).findLast(({ key }) => JSON.parse(encoding.decode(key)) === label);

  return {
    push: (raw) => take(lines.push(raw)),
    end: () => take(lines.end()),
    rewrite({ raw, cells }, values): Raw {
      const edits = [...values].flatMap(([index, replaced]) =>
        textsIn(raw, memberOf(raw, cells[index]!.label)!).map(({ start, end, i }) => {
          const written = encoding.encode(JSON.stringify(replaced[i]!));
          return { start, end, written };
        }),
      );
      return applyEdits(raw, edits);
    },
  };
}
