import { expect, test } from 'vitest';
import { regionsOf } from '../../src/imaging/regions.ts';
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
