import type { Cell, Chunk, Raw, Splitter } from './chunk.ts';
import type { Column } from './columns.ts';
import { detectDelimiter, quoteLike, scanPlain, scanRow, unquote } from './csv-cells.ts';
import { applyEdits } from './edits.ts';
import type { Encoding } from './encoding.ts';
import { FeedError } from './feed-error.ts';
import { type Line, lineSplitter, withoutBreak } from './lines.ts';

export interface CsvOptions {
  encoding: Encoding;
  /** Found in the header line where it is not given. */
  delimiter?: string | undefined;
  maxRowBytes: number;
  /** What a header name means; undefined for a column that is only carried along. */
  columnOf(label: string): Column | undefined;
  /** The header row, of a feed whose first rows were read before; else it is the first that is not blank. */
  headerRow?: Raw | undefined;
  /** Columns without which no row could be used, and what to call them to the one who left them out. */
  required: Readonly<Partial<Record<Column, string>>>;
}

type Heading = Pick<Cell, 'label' | 'name'>;

/** A quoted cell with more line breaks than this is a quote that was never closed. */
const MAX_LINES_IN_ROW = 1_000;

/**
 * Rows of comma, semicolon, tab or pipe separated text under one header row. A quote that is never
 * closed costs its own line only: the lines it swallowed are read again.
 */
export function csvSplitter(options: CsvOptions): Splitter {
  const { encoding, maxRowBytes } = options;
  const lines = lineSplitter(maxRowBytes);
  let delimiter = options.delimiter;
  let header: readonly Heading[] | undefined;
  /** Lines of a row whose quotes are still open. */
  let open: { line: number; raw: Raw }[] = [];
  let openBytes = 0;

  /** Where the cells lie. Tabs need no quotes, so among them a quote out of place is a mere letter. */
  function cellsOf(body: Raw): { spans: readonly number[]; quotes: boolean } | undefined {
    const scan = scanRow(body, delimiter!);
    if (typeof scan !== 'string') return { spans: scan, quotes: true };
    return delimiter === '\t' ? { spans: scanPlain(body, delimiter), quotes: false } : undefined;
  }

  function valuesOf(body: Raw): readonly string[] | undefined {
    const cells = cellsOf(body);
    if (!cells) return undefined;
    const values: string[] = [];
    for (let i = 0; i < cells.spans.length; i += 2) {
      const cell = body.slice(cells.spans[i], cells.spans[i + 1]);
      values.push(encoding.decode(cells.quotes ? unquote(cell) : cell));
    }
    return values;
  }

  const delimiterOf = (raw: Raw): string =>
    detectDelimiter(encoding.decode(raw), (label) => options.columnOf(label) !== undefined)
      .delimiter;

  function readHeader(labels: readonly string[]): void {
    header = labels.map((text) => ({ label: text.trim(), name: options.columnOf(text) }));
    const names = new Set<string | undefined>(header.map(({ name }) => name));
    const missing = Object.entries(options.required).find(([name]) => !names.has(name))?.[1];
    if (missing === undefined) return;
    throw new FeedError('no-header', `The header row names no column ${missing}`);
  }

  /** The delimiter is told by its first line, as where the row is met for the first time. */
  function readHeaderRow(raw: Raw): void {
    delimiter ??= delimiterOf(raw.split('\n', 1)[0]!);
    readHeader(valuesOf(withoutBreak(raw)) ?? []);
  }

  function toPiece(line: number, raw: Raw): Chunk {
    const values = valuesOf(withoutBreak(raw));
    if (!values) return misquoted(line, raw);
    if (values.every((value) => value.trim() === '')) return { kind: 'between', raw };
    if (!header) {
      readHeader(values);
      return { kind: 'between', raw, header: true };
    }
    if (values.length !== header.length) {
      const detail = `The row has ${values.length} values for ${header.length} columns`;
      return { kind: 'unreadable', line, raw, code: 'ragged', detail };
    }
    const cells = header.map(({ label, name }, i) => ({ label, name, values: [values[i]!] }));
    return { kind: 'record', line, raw, broken: encoding.isBroken(raw), cells };
  }

  function misquoted(line: number, raw: Raw): Chunk {
    if (!header) throw new FeedError('no-header', 'The quotes of the header row do not pair');
    const detail = 'A quote is not closed, or text follows the quote that closes a value';
    return { kind: 'unreadable', line, raw, code: 'malformed', detail };
  }

  /** Gives the first of the open lines up; the rest start afresh. */
  function* giveUp(): Iterable<Chunk> {
    const [first, ...rest] = open;
    open = [];
    openBytes = 0;
    if (!first) return;
    yield toPiece(first.line, first.raw);
    for (const { line, raw } of rest) yield* takeLine(line, raw);
  }

  function* takeLine(line: number, raw: Raw): Iterable<Chunk> {
    if (open.length === 0 && raw.trim() === '') {
      yield { kind: 'between', raw };
      return;
    }
    delimiter ??= delimiterOf(raw);
    if (open.length === 0 && !raw.includes('"')) {
      yield toPiece(line, raw);
      return;
    }
    open.push({ line, raw });
    openBytes += raw.length;
    const scan = scanRow(withoutBreak(raw), delimiter, open.length > 1);
    const tooMuch = openBytes > maxRowBytes || open.length > MAX_LINES_IN_ROW;
    if (scan === 'bad' || (scan === 'open' && tooMuch)) yield* giveUp();
    else if (scan !== 'open') yield closeRow();
  }

  function closeRow(): Chunk {
    const row = { line: open[0]!.line, raw: open.map(({ raw }) => raw).join('') };
    open = [];
    openBytes = 0;
    return toPiece(row.line, row.raw);
  }

  function* takePart(part: Extract<Line, { kind: 'part' }>): Iterable<Chunk> {
    while (open.length > 0) yield* giveUp();
    if (!header) throw new FeedError('no-header', 'The first line is too long for a header row');
    if (!part.last) {
      yield { kind: 'between', raw: part.raw };
      return;
    }
    const detail = `The row is longer than ${maxRowBytes} bytes`;
    yield { kind: 'unreadable', line: part.line, raw: part.raw, code: 'too-large', detail };
  }

  function* take(pieces: Iterable<Line>): Iterable<Chunk> {
    for (const piece of pieces) {
      yield* piece.kind === 'line' ? takeLine(piece.line, piece.raw) : takePart(piece);
    }
  }

  if (options.headerRow !== undefined) readHeaderRow(options.headerRow);
  return {
    push: (raw) => take(lines.push(raw)),
    *end() {
      yield* take(lines.end());
      while (open.length > 0) yield* giveUp();
      if (!header) throw new FeedError('no-header', 'There is no header row');
    },
    rewrite({ raw }, values): Raw {
      const { spans, quotes } = cellsOf(withoutBreak(raw))!;
      const edits = [...values].map(([cell, [value]]) => {
        const [start, end] = [spans[2 * cell]!, spans[2 * cell + 1]!];
        const plain = encoding.encode(value!);
        const written = quotes ? quoteLike(raw.slice(start, end), plain, delimiter!) : plain;
        return { start, end, written };
      });
      return applyEdits(raw, edits);
    },
  };
}
