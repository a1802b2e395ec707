import { expect, test } from 'vitest';
import { median, pairedLines } from '../../bench/paired-lines.ts';

const output = (decode: number, png: number) =>
  ['', '800 px: 12.5 ms', `  decode   ${decode}`, '12 megapixels', `  decode   ${png}`].join('\n');

test('lines of the same words are set side by side, block by block, with medians and ratios', () => {
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

test('a line that is new stands as it is', () => {
  expect(pairedLines(['a 1'], ['a 1\nb 2'], median)).toEqual(['a 1', 'b 2']);
});
