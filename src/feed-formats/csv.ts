import type { Cell, Chunk, Edit, Line, Raw, Splitter } from './chunk.ts';
import { applyEdits, lineSplitter, withoutBreak } from './chunk.ts';
import { type Column, cellOf } from './columns.ts';
import {
  detectDelimiter,
  isPadded,
  namedDelimiter,
  quoteLike,
  scanRow,
  scanUnquoted,
  unquote,
} from './csv-cells.ts';
import type { Encoding } from './encoding.ts';
import { excerpt, FeedError, type TakeNote } from './feed-error.ts';
import { isAddress } from './links.ts';

/** Cells of a row, and those too many, that are looked at: a row with more stays as it is. */
const MAX_CELLS = 200;
const MAX_EXTRA = 6;

/**
 * Joins cells of a row that has too many: links with the delimiter in them and no quotes around them.
 * @param spans of its cells, start, end, start, end …
 * @param names the columns of its header
 * @returns the spans of as many cells as columns; undefined unless there is one way only in which each column of
 *   links has an address, or nothing
 */
function rejoinLinks(
  row: Raw,
  spans: readonly number[],
  names: readonly (Column | undefined)[],
): readonly number[] | undefined {
  const extra = spans.length / 2 - names.length;
  if (spans.length > 2 * MAX_CELLS || extra > MAX_EXTRA || row.includes('\n')) return undefined;
  const cells = Array.from({ length: spans.length / 2 }, (_, i) =>
    row.slice(spans[2 * i], spans[2 * i + 1]),
  );
  const isLink = names.map((name) => name === 'imageLink' || name === 'additionalImageLink');
  const fits = (column: number, from: number, to: number): boolean => {
    if (to - from > 1 && cells.slice(from, to).some((cell) => cell.includes('"'))) return false;
    const first = cells[from]!;
    const isBare = to - from === 1 && first.trim() === '';
    return !isLink[column] || isBare || isAddress(first.replace(/^\s*"/, ''));
  };
  /** Ways in which the columns before can have the cells before, two at most, and where the last one begins. */
  let ways = new Map([[0, { count: 1, starts: [] as number[] }]]);
  for (const column of names.keys()) {
    const next: typeof ways = new Map();
    for (const [from, { count, starts }] of ways) {
      for (let to = from + 1; to <= column + 1 + extra; to++) {
        if (!fits(column, from, to)) continue;
        const known = next.get(to)?.count ?? 0;
        next.set(to, { count: Math.min(2, known + count), starts: [...starts, from] });
      }
    }
    ways = next;
  }
  const whole = ways.get(cells.length);
  if (whole?.count !== 1) return undefined;
  return whole.starts.flatMap((from, column) => {
    const to = whole.starts[column + 1] ?? cells.length;
    return [spans[2 * from]!, spans[2 * to - 1]!];
  });
}

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
  /** The line of the header, from 1: those before it are no rows. */
  headerLine?: number | undefined;
  /** CR if the text has no LF. */
  lineEnd?: '\n' | '\r';
  takeNote?: TakeNote | undefined;
}

/** The spans of a row's cells, and whether quotes have a meaning in it. */
interface Cells {
  spans: readonly number[];
  quotes: boolean;
}

type HeaderCell = Pick<Cell, 'label' | 'name'>;

/** A quoted cell with more line breaks than this counts as an unclosed quote. */
const MAX_LINES_IN_ROW = 1_000;

/** Whether cells are empty. */
const isBlank = (cells: Raw, delimiter: string): boolean =>
  cells.replaceAll(delimiter, '').trim() === '';

/** A line without text: DOS ends files with Ctrl-Z, some devices fill them up with zeros. */
const NOTHING = /^[\s\p{Cc}]*$/u;

/** A text that Excel must not take for a number: `="007"`. */
const FORMULA = /^="([^"]*)"$/;

/** Columns that an error lists. */
const MAX_LISTED = 20;

/**
 * Splits comma, semicolon, tab or pipe separated text under one header row. An unclosed quote invalidates its own
 * line only: the lines after it are read again.
 */
export function csvSplitter(options: CsvOptions): Splitter {
  const { encoding, maxRowBytes, lineEnd, takeNote = () => {} } = options;
  const lines = lineSplitter(maxRowBytes, lineEnd);
  let delimiter = options.delimiter;
  let header: readonly HeaderCell[] | undefined;
  /** Lines of a row whose quoted cell is still open. */
  let openLines: Line[] = [];
  let openBytes = 0;

  /** Joins the cells of a row that has too many, if they can only be those of one link. */
  function rejoined(body: Raw, spans: readonly number[]): readonly number[] | undefined {
    const extra = header && spans[2 * header.length];
    if (!header || extra === undefined || isBlank(body.slice(extra), delimiter!)) return undefined;
    const columns = header.map(({ name }) => name);
    return rejoinLinks(body, spans, columns);
  }

  /** Finds the cells. TSV needs no quotes: a misplaced one there is an ordinary character. */
  function cellsOf(body: Raw, line = 0): Cells | undefined {
    const quoted = scanRow(body, delimiter!);
    if (typeof quoted !== 'string') {
      const spans = rejoined(body, quoted);
      if (spans && line > 0) takeNote('unquoted-links', line);
      return { spans: spans ?? quoted, quotes: true };
    }
    const unquoted = delimiter === '\t' ? scanUnquoted(body, delimiter) : 'bad';
    return typeof unquoted === 'string' ? undefined : { spans: unquoted, quotes: false };
  }

  function valuesOf(body: Raw, line: number): readonly string[] | undefined {
    const cells = cellsOf(body, line);
    if (!cells) return undefined;
    const values: string[] = [];
    const quotes = cells.quotes && body.includes('"');
    const isAscii = encoding.decode(body) === body; // as most rows: their cells need no decoding
    for (let i = 0; i < cells.spans.length; i += 2) {
      const cell = body.slice(cells.spans[i], cells.spans[i + 1]);
      if (quotes && isPadded(cell)) takeNote('spaces-around-quotes', line);
      const bare = quotes ? unquote(cell) : cell;
      const value = quotes && bare[0] === '=' ? bare.replace(FORMULA, '$1') : bare;
      values.push(isAscii ? value : encoding.decode(value));
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
    const has = header.slice(0, MAX_LISTED).map(({ label }) => excerpt(label));
    const detail = `The header row has no column ${missing}; it has ${has.join(', ')}: name it in the mapping`;
    throw new FeedError('no-header', detail);
  }

  /** The delimiter is detected from the first line only, as in the first reading. */
  function readHeaderRow(raw: Raw): void {
    delimiter ??= delimiterOf(raw.split('\n', 1)[0]!);
    readHeader(valuesOf(withoutBreak(raw), 1) ?? []);
  }

  function toChunk(line: number, raw: Raw): Chunk {
    const values = valuesOf(withoutBreak(raw), line);
    if (!values) return misquoted(line, raw);
    if (values.every((value) => value.trim() === '')) return { kind: 'between', raw };
    if (!header) {
      readHeader(values);
      return { kind: 'between', raw, header: values };
    }
    if (
      values.length === header.length &&
      values.every((each, i) => each.trim() === header![i]!.label)
    ) {
      takeNote('repeated-headers', line);
      return { kind: 'between', raw };
    }
    if (values.length < header.length) takeNote('short-rows', line);
    const extra = values.slice(header.length);
    if (extra.length > 0 && extra.every((value) => value.trim() === '')) {
      takeNote('extra-delimiters', line);
    } else if (extra.length > 0) {
      const detail = `The row has ${values.length} values for ${header.length} columns; a value with the delimiter in it must be in quotes`;
      return { kind: 'unreadable', line, raw, code: 'ragged', detail };
    }
    const cells = header.map(({ label, name }, i) => ({ label, name, values: [values[i] ?? ''] }));
    return { kind: 'record', line, raw, broken: encoding.isBroken(raw), cells };
  }

  function misquoted(line: number, raw: Raw): Chunk {
    if (!header) throw new FeedError('no-header', 'The header row has unbalanced quotes');
    const detail =
      'A quote is not closed, text follows a closing quote, or there are too many cells or quotes';
    return { kind: 'unreadable', line, raw, code: 'malformed', detail };
  }

  /** Reads the first line of a row. Returns undefined if it ends within a quoted cell. */
  function takeFirstLine({ line, raw }: Line): Chunk | undefined {
    const isBefore = header === undefined && line < (options.headerLine ?? 1);
    if (isBefore || NOTHING.test(raw)) return { kind: 'between', raw };
    const named = header ? undefined : namedDelimiter(raw);
    if (named !== undefined) {
      takeNote('separator-line', line);
      delimiter = named;
      return { kind: 'between', raw };
    }
    delimiter ??= delimiterOf(raw);
    const isOpen = raw.includes('"') && scanRow(withoutBreak(raw), delimiter) === 'open';
    return isOpen ? undefined : toChunk(line, raw);
  }

  function pushOpenLine(openLine: Line): void {
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

  function* takeLine(openLine: Line): Iterable<Chunk> {
    if (openLines.length === 0) {
      const chunk = takeFirstLine(openLine);
      if (chunk) yield chunk;
      else pushOpenLine(openLine);
      return;
    }
    pushOpenLine(openLine);
    const cells = scanRow(withoutBreak(openLine.raw), delimiter!, true);
    if (cells === 'open') {
      while (openBytes > maxRowBytes || openLines.length > MAX_LINES_IN_ROW)
        yield* abandonOpenLine();
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

  function* take(input: Iterable<Line | Chunk>): Iterable<Chunk> {
    for (const line of input) {
      if (line.kind === 'line') yield* takeLine(line);
      else {
        while (openLines.length > 0) yield* abandonOpenLine();
        if (!header)
          throw new FeedError('no-header', 'The first line is too long for a header row');
        yield line;
      }
    }
  }

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
      const written = new Map([...values].map(([cell, [value]]) => [cell, value!]));
      let width = cells.length;
      for (const [column, value] of filled) {
        const cell = cellOf(cells, column);
        if (cell < 0 || value) written.set(cell < 0 ? width : cell, value);
        if (cell < 0) width += 1;
      }
      const edits: Edit[] = [];
      let added = '';
      const end = Math.max(-1, ...written.keys()) + 1;
      for (let cell = 0; cell < end; cell++) {
        const value = written.get(cell);
        const [start, stop] = [spans[2 * cell], spans[2 * cell + 1]];
        if (start === undefined) added += delimiter! + (value ? write('', value) : '');
        else if (value !== undefined) {
          edits.push({ start, end: stop!, written: write(raw.slice(start, stop), value) });
        }
      }
      edits.push({ start: body.length, end: body.length, written: added });
      return applyEdits(raw, edits); // in this order: the last cell may be empty
    },
    rewriteHeader(raw, columns): Raw {
      const missing = columns.filter((column) => cellOf(header ?? [], column) < 0);
      const written = missing.map((column) => delimiter! + encoding.encode(column)).join('');
      const { length } = withoutBreak(raw);
      return applyEdits(raw, [{ start: length, end: length, written }]);
    },
  };
}
