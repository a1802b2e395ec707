import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  expandRejected,
  isRejected,
  mergeRejected,
  type RejectedRow,
  RowLine,
  rowCount,
} from '../../../src/intake/batches/batch-files.ts';

const rejected = fc.record({
  step: fc.constantFrom(1, 1, 1, 2),
  customId: fc.constantFrom(undefined, undefined, undefined, 'a'),
  detail: fc.constantFrom('no id', 'no id', 'no image'),
});

/** Rows of one upload, in order. */
const uploads = fc.array(rejected, { maxLength: 60 }).map((parts) => {
  let line = 1;
  return parts.map(({ step, customId, detail }, row): RejectedRow => {
    line += step;
    const problem = { type: 'invalid-request', detail };
    return { row, line, ...(customId && { customId }), problem };
  });
});

function merge(rows: readonly RowLine[]): RowLine[] {
  const lines: RowLine[] = [];
  for (const row of rows) {
    const last = lines.pop();
    const merged = last && mergeRejected(last, row);
    if (merged) lines.push(merged);
    else lines.push(...(last ? [last] : []), row);
  }
  return lines;
}

test('merged rows are the same rows after they were stored and expanded', () => {
  fc.assert(
    fc.property(uploads, (rows) => {
      const stored = merge(rows).map((line) => RowLine.parse(JSON.parse(JSON.stringify(line))));
      expect(stored.filter(isRejected).flatMap((line) => [...expandRejected(line)])).toEqual(rows);
      expect(stored.reduce((sum, line) => sum + rowCount(line), 0)).toBe(rows.length);
    }),
  );
});

test('a thousand equal rows become one line; an accepted row or an id ends it', () => {
  const problem = { type: 'invalid-request', detail: 'no id' };
  const row = (at: number) => ({ row: at, line: 1 + 3 * at, problem });
  const many = Array.from({ length: 1000 }, (_, at) => row(at));
  expect(merge(many)).toEqual([{ row: 0, line: 1, problem, more: { rows: 999, lineStep: 3 } }]);
  const accepted = { row: 2, line: 7, customId: 'a', source: { url: 'https://x.example/' } };
  const named = { ...row(5), customId: 'b' };
  expect(merge([row(0), row(1), accepted, row(3), row(4), named, row(6)])).toHaveLength(5);
});
