import { expect, test } from 'vitest';
import type { ProbabilityMap } from '../../src/imaging/probability-map.ts';
import { dropSpecks } from '../../src/imaging/specks.ts';

/** A probability map from rows of digits, tenths each; `#` is 1. */
const drawMap = (...rows: string[]): ProbabilityMap => ({
  data: Float32Array.from([...rows.join('')], (digit) => (digit === '#' ? 1 : Number(digit) / 10)),
  width: rows[0]?.length ?? 0,
  height: rows.length,
});

function remaining(...rows: string[]): string[] {
  const seen = drawMap(...rows);
  const before = seen.data.slice();
  dropSpecks(seen);
  expect(seen.data.every((value, i) => value === 0 || value === before[i])).toBe(true);
  return rows.map((row, y) =>
    [...row].map((digit, x) => (seen.data[y * row.length + x] === 0 ? '0' : digit)).join(''),
  );
}

test.each([
  {
    what: 'a speck is cleared',
    seen: ['#####0', '#####0', '#####0', '#####0', '#####0', '000004'],
    left: ['#####0', '#####0', '#####0', '#####0', '#####0', '000000'],
  },
  {
    what: 'the other shoe stays',
    seen: ['##000#', '##000#', '##0000', '##0000', '##0000', '##0000'],
    left: ['##000#', '##000#', '##0000', '##0000', '##0000', '##0000'],
  },
  {
    what: 'a faint speck is cleared where a certain one of the same size would stay',
    seen: ['####03', '####00', '####00', '####00', '000000', '#00000'],
    left: ['####00', '####00', '####00', '####00', '000000', '#00000'],
  },
  {
    what: 'a part connected to the rest by a faint thread stays',
    seen: ['#####0', '#####0', '#####0', '#####0', '#####2', '000009'],
    left: ['#####0', '#####0', '#####0', '#####0', '#####2', '000009'],
  },
  {
    what: 'the end of a row does not touch the next row',
    seen: ['000003', '####00', '####00', '####00', '####00', '####00'],
    left: ['000000', '####00', '####00', '####00', '####00', '####00'],
  },
  { what: 'nothing stays nothing', seen: ['00', '00'], left: ['00', '00'] },
])('$what', ({ seen, left }) => {
  expect(remaining(...seen)).toEqual(left);
});

test('components that are all small are not specks', () => {
  const data = new Float32Array(100 * 80);
  for (let i = 0; i < data.length; i += 2) if (Math.floor(i / 100) % 2 === 0) data[i] = 0.9;
  const before = data.slice();
  dropSpecks({ data, width: 100, height: 80 });
  expect(data).toEqual(before);
});
