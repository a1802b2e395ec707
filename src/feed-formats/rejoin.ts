import type { Raw } from './chunk.ts';
import type { Column } from './columns.ts';
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
export function rejoinLinks(
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
