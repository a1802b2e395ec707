import { expect, test } from 'vitest';
import { RowLimits, rowLimitBounds } from '../../../workers/batches/dispatcher.ts';

const SLOTS = 8;
const { min, max } = rowLimitBounds(SLOTS);

test('a limit begins at the least, doubles while it is used up, and never passes the most', () => {
  const limits = new RowLimits();
  const seen = Array.from({ length: 6 }, () => limits.next(new Map([['a', 0]]), SLOTS).get('a'));
  expect(seen.slice(0, 2)).toEqual([min, 2 * min]);
  expect(seen.at(-1)).toBe(max);
});

test.each([
  ['halves what was not used', 0.6, 0.5],
  ['keeps what was used by half', 0.4, 1],
])('it %s', (_, share, factor) => {
  const limits = new RowLimits();
  const next = (rows: number) => limits.next(new Map([['a', rows]]), SLOTS).get('a') ?? 0;
  for (let i = 0; i < 6; i++) next(0);
  expect(next(share * max)).toBe(factor * max);
});

test('a client whose rows are done starts anew, and another has its own limit', () => {
  const limits = new RowLimits();
  limits.next(new Map([['a', 0]]), SLOTS);
  const both = [
    ['a', 0],
    ['b', 0],
  ] as const;
  expect(limits.next(new Map(both), SLOTS)).toEqual(
    new Map([
      ['a', 2 * min],
      ['b', min],
    ]),
  );
  limits.next(new Map(), SLOTS);
  expect(limits.next(new Map([['a', 0]]), SLOTS).get('a')).toBe(min);
});
