import type { Raw } from './chunk.ts';

/** Where a row's cells lie (start, end, start, end …), or how its quotes fail to pair. */
export type Scan = readonly number[] | 'open' | 'bad';

/**
 * Finds the cells of a row as RFC 4180 has it: a cell that starts with a quote ends with one, and two
 * quotes in it mean one.
 * @param row without its final line break
 * @param inside true when the row starts within a quoted cell; the spans then mean nothing
 * @returns `open` when the row ends within a quoted cell, `bad` when something follows a closing quote
 */
export function scanRow(row: Raw, delimiter: string, inside = false): Scan {
  const spans: number[] = [];
  let start = 0;
  for (;;) {
    let end: number;
    if (inside || row[start] === '"') {
      const close = closingQuote(row, inside ? start : start + 1);
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
    start = end + 1;
  }
}

function closingQuote(row: Raw, from: number): number {
  let at = row.indexOf('"', from);
  while (at >= 0 && row[at + 1] === '"') at = row.indexOf('"', at + 2);
  return at;
}

/** The cells of a row in which quotes mean nothing. */
export function scanPlain(row: Raw, delimiter: string): readonly number[] {
  const spans: number[] = [];
  let start = 0;
  for (;;) {
    const found = row.indexOf(delimiter, start);
    const end = found < 0 ? row.length : found;
    spans.push(start, end);
    if (found < 0) return spans;
    start = end + 1;
  }
}

/** A cell's value, its quotes taken off. */
export const unquote = (cell: Raw): Raw =>
  cell.length > 1 && cell.startsWith('"') && cell.endsWith('"')
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell;

/** A value written as a cell: in quotes where the old cell had them or the value needs them. */
export const quoteLike = (old: Raw, value: string, delimiter: string): Raw =>
  old.startsWith('"') || value.includes(delimiter) || /["\r\n]/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : value;

const DELIMITERS = ['\t', ',', ';', '|'] as const;

/** How many of a header's names are known, for each way to split it. */
const knownNames = (header: string, delimiter: string, isKnown: (label: string) => boolean) =>
  header.split(delimiter).filter((cell) => isKnown(unquote(cell.trim()))).length;

/**
 * The delimiter under which a header line names the most columns that are known; a comma where no
 * column is known.
 */
export function detectDelimiter(
  header: string,
  isKnown: (label: string) => boolean,
): { delimiter: string; known: number } {
  const ways = DELIMITERS.map((delimiter) => ({
    delimiter,
    known: knownNames(header, delimiter, isKnown),
  }));
  const best = ways.reduce((most, way) => (way.known > most.known ? way : most));
  return best.known > 0 ? best : { delimiter: ',', known: 0 };
}
