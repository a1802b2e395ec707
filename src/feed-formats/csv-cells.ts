import type { Raw } from './chunk.ts';

/** The spans of a row's cells (start, end, start, end …), or how its quotes are unbalanced. */
type Scan = readonly number[] | 'open' | 'bad';

/** Cells and doubled quotes of a row: one that has more takes too long to read. */
const MAX_CELLS = 10_000;
const MAX_DOUBLED_QUOTES = 100_000;

/**
 * Finds the cells of a row according to RFC 4180: a cell that starts with a quote ends with one, and a doubled
 * quote in it stands for one.
 * @param row without its final line break
 * @param inside true if the row starts within a quoted cell; the spans are then meaningless
 * @returns `open` if the row ends within a quoted cell, `bad` if text follows a closing quote or there are too many
 *   cells or doubled quotes
 */
export function scanRow(row: Raw, delimiter: string, inside = false): Scan {
  const spans: number[] = [];
  let start = 0;
  let doubled = 0;
  for (;;) {
    let end: number;
    if (inside || row[start] === '"') {
      let close = row.indexOf('"', inside ? start : start + 1);
      while (close >= 0 && row[close + 1] === '"') {
        if (++doubled > MAX_DOUBLED_QUOTES) return 'bad';
        close = row.indexOf('"', close + 2);
      }
      if (close < 0) return 'open';
      end = close + 1;
      if (end < row.length && row[end] !== delimiter) return 'bad';
      inside = false;
    } else {
      end = row.indexOf(delimiter, start);
      if (end < 0) end = row.length;
    }
    spans.push(start, end);
    if (end === row.length) return spans;
    if (spans.length >= 2 * MAX_CELLS) return 'bad';
    start = end + 1;
  }
}

/** Finds the cells of a row in which quotes have no meaning; `bad` if there are too many. */
export function scanUnquoted(row: Raw, delimiter: string): Scan {
  const spans: number[] = [];
  let start = 0;
  for (;;) {
    const found = row.indexOf(delimiter, start);
    const end = found < 0 ? row.length : found;
    spans.push(start, end);
    if (found < 0) return spans;
    if (spans.length >= 2 * MAX_CELLS) return 'bad';
    start = end + 1;
  }
}

/** Returns a cell's value without its quotes. */
export const unquote = (cell: Raw): Raw =>
  cell.length > 1 && cell.startsWith('"') && cell.endsWith('"')
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell;

/** Writes a value as a cell, quoted if the old cell was or the value requires it. */
export const quoteLike = (old: Raw, value: string, delimiter: string): Raw =>
  old.startsWith('"') || value.includes(delimiter) || /["\r\n]/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : value;

const DELIMITERS = ['\t', ',', ';', '|'] as const;

/** Counts the known names of a header split at a delimiter. */
const countKnown = (header: string, delimiter: string, isKnown: (label: string) => boolean) =>
  header.split(delimiter).filter((cell) => isKnown(unquote(cell.trim()))).length;

/** Returns the delimiter that gives a header line the most known columns; a comma if there are none. */
export function detectDelimiter(
  header: string,
  isKnown: (label: string) => boolean,
): { delimiter: string; known: number } {
  const candidates = DELIMITERS.map((delimiter) => ({
    delimiter,
    known: countKnown(header, delimiter, isKnown),
  }));
  const best = candidates.reduce((a, b) => (b.known > a.known ? b : a));
  return best.known > 0 ? best : { delimiter: ',', known: 0 };
}
