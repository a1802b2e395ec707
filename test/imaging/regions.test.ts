import { expect, test } from 'vitest';
import type { ProbabilityMap } from '../../src/imaging/matte.ts';
import { dropSpecks, regionsOf } from '../../src/imaging/regions.ts';
import { createRandom } from '../faults/random.ts';

/** Returns marks of a picture in which `#` is marked, and its width. */
function read(...rows: string[]): [Uint8Array, number] {
  return [Uint8Array.from(rows.join(''), (mark) => Number(mark === '#')), rows[0]!.length];
}

const cellsOf = (regions: readonly Int32Array[]) => regions.map((cells) => [...cells]);

test('regions come in the order of their first cells, which are not joined across corners or rows', () => {
  const [marks, width] = read('#..#', '.#.#', '##..', '...#');
  expect(cellsOf(regionsOf(marks, width))).toEqual([[0], [3, 7], [5, 8, 9], [15]]);
  expect(cellsOf(regionsOf(marks, width, 2))).toEqual([
    [3, 7],
    [5, 8, 9],
  ]);
});

test('arms that meet further down are one region', () => {
  const [marks, width] = read('#.#.#', '#.#.#', '###.#', '..###');
  expect(cellsOf(regionsOf(marks, width))).toEqual([
    [0, 2, 4, 5, 7, 9, 10, 11, 12, 14, 17, 18, 19],
  ]);
});

test('the regions of noise are those that a search from cell to cell finds', () => {
  const random = createRandom(3);
  const width = 217;
  const marks = new Uint8Array(150 * width).map(() => Number(random.next() < 0.6));
  const left = marks.slice();
  const found: number[][] = [];
  for (let first = left.indexOf(1); first >= 0; first = left.indexOf(1)) {
    const region = [first];
    left[first] = 0;
    for (const cell of region)
      for (const next of [cell - width, cell - 1, cell + 1, cell + width]) {
        const isBeside = Math.abs((cell % width) - (next % width)) < 2;
        if (!isBeside || left[next] !== 1) continue;
        left[next] = 0;
        region.push(next);
      }
    found.push(region.sort((a, b) => a - b));
  }
  expect(cellsOf(regionsOf(marks, width))).toEqual(found);
});

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
