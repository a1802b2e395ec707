import { expect, test } from 'vitest';
import { componentsOf, NO_LABEL } from '../../../../workers/inference/garments/subject.ts';

const componentsIn = (rows: readonly string[]) => {
  const labels = Uint8Array.from(rows.join(''), (letter) =>
    letter === '.' ? NO_LABEL : Number(letter),
  );
  const size = { width: rows[0]!.length, height: rows.length };
  return componentsOf(labels, size).map(({ label, cells }) => ({ label, cells: cells.length }));
};

test('cells of one label that touch, even at a corner, are one component', () => {
  const expected = [
    { label: 1, cells: 4 },
    { label: 2, cells: 2 },
    { label: 2, cells: 1 },
  ];
  expect(componentsIn(['11..2', '..1.2', '...1.', '2....'])).toEqual(expected);
});

test('the ends of one row do not touch the ends of the next', () => {
  expect(componentsIn(['..1', '...', '1..'])).toHaveLength(2);
  expect(componentsIn(['..1', '1..'])).toHaveLength(2);
});

test('a large grid of one label takes no deep call stack', () => {
  const rows = Array.from({ length: 300 }, () => '1'.repeat(300));
  expect(componentsIn(rows)).toEqual([{ label: 1, cells: 90_000 }]);
});
