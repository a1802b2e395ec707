import { expect, test } from 'vitest';
import { RENAMED_TEXTS, withJsonKeys } from '../../bench/labels.ts';
import { pairedLines } from '../../bench/paired-lines.ts';
import { median } from '../../bench/statistics.ts';

const output = (decode: number, png: number) =>
  ['', '800 px: 12.5 ms', `  decode   ${decode}`, '12 megapixels', `  decode   ${png}`].join('\n');

test('lines with the same text are paired, block by block, with medians and ratios', () => {
  const before = [output(10, 100), output(20, 100), output(30, 100)];
  const after = [output(10, 50), output(9, 50), output(11, 80)];
  expect(pairedLines(before, after, median)).toEqual([
    '',
    '800 px: 12.5 ms',
    '  decode   20 → 10 (0.50 ×)',
    '12 megapixels',
    '  decode   100 → 50 (0.50 ×)',
  ]);
});

test('a new line is printed as it is', () => {
  expect(pairedLines(['a 1'], ['a 1\nb 2'], median)).toEqual(['a 1', 'b 2']);
});

test('lines are paired whatever the width of their numbers and of tables', () => {
  const before = ['  PNG   9.5\n| --- | --- |\n| a   | 10 |'];
  const after = ['  PNG  19.0\n| ----- | --- |\n| a     | 5  |'];
  const expected = ['  PNG  9.5 → 19 (2.00 ×)', '| ----- | --- |', '| a     | 10 → 5 (0.50 ×)  |'];
  expect(pairedLines(before, after, median)).toEqual(expected);
});

test.each([
  ['pictures a second                  20', 'images per second                  25', '20 → 25'],
  ['added to the engine p50 ms         8', 'overhead over the engine p50 ms 4', '8 → 4'],
  ['  square and tensor          6.0', '  resize and tensor          12.0', '6 → 12'],
  ['peak resident 400 MiB', 'peak memory 200 MiB', '400 → 200'],
  [
    'Of 4 failures of 40 pictures 2 are among the least confident 15 %.',
    '2 failures in 40 images; 1 of them are among the least confident 15 %.',
    '4 → 2',
  ],
  [
    '| admitted requests at 120.0 %: p99 | ≤ 1.5 × 1000 ms, what the door lets wait | 900 ms, 2.00 × that at 80.0 % | yes |',
    '| admitted requests at 120.0 %: p99 | ≤ 1.5 × 1000 ms, the wait allowed | 450 ms, 2.00 × that at 80.0 % | yes  |',
    '900 → 450',
  ],
  [
    '| memory of the gateway, last fifth to second | ≤ + 2 % | 80.0 → 81.0 MiB (1.0 %) | yes |',
    '| memory growth, last fifth to second: gateway | ≤ + 2 % | 40.0 → 41.0 MiB (1.0 %) | yes |',
    '80 → 40',
  ],
  ['| JPEG | 1 of 8: place, refused |', '| JPEG | 2 of 8: position, rejected |', '1 → 2'],
])('%s is paired with its new text', (before, after, expected) => {
  const [line] = pairedLines([before], [after], median);
  expect(line).toContain(expected);
});

test('JSON output has the keys it always had, one for each label', () => {
  const expected = { 'pictures a second': 20, slots: 2 };
  expect(withJsonKeys({ 'images per second': 20, slots: 2 })).toEqual(expected);
  const labels = RENAMED_TEXTS.map(([, is]) => is);
  expect(new Set(labels).size).toBe(labels.length);
});
