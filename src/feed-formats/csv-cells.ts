import type { Raw } from './chunk.ts';

/** The spans of a row's cells (start, end, start, end …), or how its quotes are unbalanced. */
type Scan = readonly number[] | 'open' | 'bad';

/** Cells and doubled quotes of a row: one that has more takes too long to read. */
const MAX_CELLS = 10_000;
const MAX_DOUBLED_QUOTES = 100_000;

const afterSpaces = (row: Raw, from: number): number => {
  let at = from;
  while (row[at] === ' ') at += 1;
  return at;
};

/**
 * Finds the cells of a row according to RFC 4180: a cell that starts with a quote ends with one, and a doubled
 * quote in it stands for one. Spaces around a quoted cell belong to it.
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
    let end = -1;
    const first = !inside && row[start] === ' ' ? afterSpaces(row, start) : start;
    if (inside || row[first] === '"') {
      let close = row.indexOf('"', inside ? first : first + 1);
      while (close >= 0 && row[close + 1] === '"') {
        if (++doubled > MAX_DOUBLED_QUOTES) return 'bad';
        close = row.indexOf('"', close + 2);
      }
      const isPadded = first > start;
      if (close < 0 && !isPadded) return 'open';
      end = close < 0 ? -1 : afterSpaces(row, close + 1);
      if (end < row.length && row[end] !== delimiter) {
        if (!isPadded) return 'bad';
        end = -1; // a quote after spaces that does not enclose the cell is an ordinary character
      }
      inside = false;
    }
    if (end < 0) {
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

const isQuoted = (text: Raw): boolean =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"');

/** Whether there are spaces around the quotes of a cell. */
export const isPadded = (cell: Raw): boolean =>
  (cell[0] === ' ' || cell.at(-1) === ' ') && isQuoted(cell.trim());

/** Returns a cell's value without its quotes, and without spaces around them. */
export function unquote(cell: Raw): Raw {
  const quoted = isPadded(cell) ? cell.trim() : cell;
  return isQuoted(quoted) ? quoted.slice(1, -1).replaceAll('""', '"') : cell;
}

/** Writes a value as a cell, quoted if the old cell was or the value requires it. */
export function quoteLike(old: Raw, value: string, delimiter: string): Raw {
  const wasQuoted = isQuoted(old) || isPadded(old);
  if (!wasQuoted && !value.includes(delimiter) && !/["\r\n]/.test(value)) return value;
  const quoted = `"${value.replaceAll('"', '""')}"`;
  return isPadded(old) ? old.replace(old.trim(), () => quoted) : quoted;
}

const DELIMITERS = ['\t', ',', ';', '|', '^', '~', '\x01'] as const;

/** Counts the known names of a header split at a delimiter. */
const countKnown = (header: string, delimiter: string, isKnown: (label: string) => boolean) =>
  header.split(delimiter).filter((cell) => isKnown(unquote(cell.trim()))).length;

/** The first line that Excel reads the delimiter from: `sep=;`. */
const SEPARATOR_LINE = /^"?sep=(.)"?\s*$/i;

/** Returns the delimiter that a line names for Excel. */
export const namedDelimiter = (line: Raw): string | undefined => SEPARATOR_LINE.exec(line)?.[1];

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
