import type { Cell, Chunk, Raw, Splitter } from './chunk.ts';
import { type Column, cellOf } from './columns.ts';
import { detectDelimiter, quoteLike, scanRow, scanUnquoted, unquote } from './csv-cells.ts';
import { applyEdits, type Edit } from './edits.ts';
import type { Encoding } from './encoding.ts';
import { FeedError } from './feed-error.ts';
import { type Line, lineSplitter, withoutBreak } from './lines.ts';

interface CsvOptions {
  encoding: Encoding;
  /** Detected from the header line if absent. */
  delimiter?: string | undefined;
  maxRowBytes: number;
  /** Maps a header name to a column; undefined for one that is passed through unread. */
  columnOf(label: string): Column | undefined;
  /** The header row, when resuming; otherwise the first row that is not blank. */
  headerRow?: Raw | undefined;
  /** Required columns, and their names in error messages. */
  required: Readonly<Partial<Record<Column, string>>>;
}

interface OpenLine {
  line: number;
  raw: Raw;
}

type HeaderCell = Pick<Cell, 'label' | 'name'>;

/** A quoted cell with more line breaks than this counts as an unclosed quote. */
const MAX_LINES_IN_ROW = 1_000;

/**
 * Splits comma, semicolon, tab or pipe separated text under one header row. An unclosed quote invalidates its own
 * line only: the lines after it are read again.
 */
export function csvSplitter(options: CsvOptions): Splitter {
  const { encoding, maxRowBytes } = options;
  const lines = lineSplitter(maxRowBytes);
  let delimiter = options.delimiter;
  let header: readonly HeaderCell[] | undefined;
  /** Lines of a row whose quoted cell is still open. */
  let openLines: OpenLine[] = [];
  let openBytes = 0;

  /** Finds the cells. TSV needs no quotes: a misplaced one there is an ordinary character. */
  function cellsOf(body: Raw): { spans: readonly number[]; quotes: boolean } | undefined {
    const quoted = scanRow(body, delimiter!);
    if (typeof quoted !== 'string') return { spans: quoted, quotes: true };
    const unquoted = delimiter === '\t' ? scanUnquoted(body, delimiter) : 'bad';
    return typeof unquoted === 'string' ? undefined : { spans: unquoted, quotes: false };
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
    throw new FeedError('no-header', `The header row has no column ${missing}`);
  }

  /** The delimiter is detected from the first line only, as in the first reading. */
  function readHeaderRow(raw: Raw): void {
    delimiter ??= delimiterOf(raw.split('\n', 1)[0]!);
    readHeader(valuesOf(withoutBreak(raw)) ?? []);
  }

  function toChunk(line: number, raw: Raw): Chunk {
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
    if (!header) throw new FeedError('no-header', 'The header row has unbalanced quotes');
    const detail =
      'A quote is not closed, text follows a closing quote, or there are too many cells or quotes';
    return { kind: 'unreadable', line, raw, code: 'malformed', detail };
  }

  /** Reads the first line of a row. Returns undefined if it ends within a quoted cell. */
  function takeFirstLine({ line, raw }: OpenLine): Chunk | undefined {
    if (raw.trim() === '') return { kind: 'between', raw };
    delimiter ??= delimiterOf(raw);
    const isOpen = raw.includes('"') && scanRow(withoutBreak(raw), delimiter) === 'open';
    return isOpen ? undefined : toChunk(line, raw);
  }

  function pushOpenLine(openLine: OpenLine): void {
    openLines.push(openLine);
    openBytes += openLine.raw.length;
  }

  /**
   * Rejects the first open line, and reads the lines after it again, up to the next one that opens a quoted cell.
   * The lines after that one are within its cell as they were within the first one's: they are not read again.
   */
  function* abandonOpenLine(): Iterable<Chunk> {
    const first = openLines[0]!;
    let chunk: Chunk | undefined = toChunk(first.line, first.raw);
    while (chunk) {
      openBytes -= openLines.shift()!.raw.length;
      yield chunk;
      chunk = openLines[0] && takeFirstLine(openLines[0]);
    }
  }

  function* takeLine(openLine: OpenLine): Iterable<Chunk> {
    if (openLines.length === 0) {
      const chunk = takeFirstLine(openLine);
      if (chunk) yield chunk;
      else pushOpenLine(openLine);
      return;
    }
    pushOpenLine(openLine);
    const cells = scanRow(withoutBreak(openLine.raw), delimiter!, true);
    if (cells === 'open') {
      while (openBytes > maxRowBytes || openLines.length > MAX_LINES_IN_ROW) {
        yield* abandonOpenLine();
      }
    } else if (cells === 'bad') {
      while (openLines.length > 1) yield* abandonOpenLine();
    } else yield closeRow();
  }

  function closeRow(): Chunk {
    const row = { line: openLines[0]!.line, raw: openLines.map(({ raw }) => raw).join('') };
    openLines = [];
    openBytes = 0;
    return toChunk(row.line, row.raw);
  }

  function* takeLinePart(part: Extract<Line, { kind: 'part' }>): Iterable<Chunk> {
    while (openLines.length > 0) yield* abandonOpenLine();
    if (!header) throw new FeedError('no-header', 'The first line is too long for a header row');
    if (!part.last) {
      yield { kind: 'between', raw: part.raw };
      return;
    }
    const detail = `The row is longer than ${maxRowBytes} bytes`;
    yield { kind: 'unreadable', line: part.line, raw: part.raw, code: 'too-large', detail };
  }

  function* take(input: Iterable<Line>): Iterable<Chunk> {
    for (const line of input) {
      yield* line.kind === 'line' ? takeLine(line) : takeLinePart(line);
    }
  }

  /** Adds a cell at the end of a row. */
  const append = ({ length }: Raw, cell: Raw): Edit => ({
    start: length,
    end: length,
    written: delimiter! + cell,
  });

  if (options.headerRow !== undefined) readHeaderRow(options.headerRow);
  return {
    push: (raw) => take(lines.push(raw)),
    *end() {
      yield* take(lines.end());
      while (openLines.length > 0) yield* abandonOpenLine();
      if (!header) throw new FeedError('no-header', 'There is no header row');
    },
    rewrite({ raw, cells }, values, filled = new Map()): Raw {
      const body = withoutBreak(raw);
      const { spans, quotes } = cellsOf(body)!;
      const write = (old: Raw, value: string): Raw => {
        const plain = encoding.encode(value);
        return quotes ? quoteLike(old, plain, delimiter!) : plain;
      };
      const editCell = (cell: number, value: string): Edit => {
        const [start, end] = [spans[2 * cell]!, spans[2 * cell + 1]!];
        return { start, end, written: write(raw.slice(start, end), value) };
      };
      const edits = [...values].map(([cell, [value]]) => editCell(cell, value!));
      const added: Edit[] = [];
      for (const [column, value] of filled) {
        const cell = cellOf(cells, column);
        if (cell < 0) added.push(append(body, write('', value)));
        else if (value) edits.push(editCell(cell, value));
      }
      return applyEdits(raw, [...edits, ...added]); // in this order: the last cell may be empty
    },
    rewriteHeader(raw, columns): Raw {
      const body = withoutBreak(raw);
      const missing = columns.filter((column) => cellOf(header ?? [], column) < 0);
      return applyEdits(
        raw,
        missing.map((column) => append(body, encoding.encode(column))),
      );
    },
  };
}
