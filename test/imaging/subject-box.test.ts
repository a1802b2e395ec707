import { expect, test } from 'vitest';
import { subjectBox } from '../../src/imaging/subject-box.ts';

const rows = (...lines: string[]) =>
  Uint8Array.from(lines.join(''), (mark) => ({ '#': 255, '+': 128, '-': 127 })[mark] ?? 0);

test.each([
  ['one pixel', rows('...', '.#.', '...'), { left: 1, top: 1, width: 1, height: 1 }],
  ['two far corners', rows('#..', '...', '..#'), { left: 0, top: 0, width: 3, height: 3 }],
  [
    'soft edges count from one half on',
    rows('-+-', '-#-'),
    { left: 1, top: 0, width: 1, height: 2 },
  ],
])('the box around %s', (_, alpha, box) => expect(subjectBox(alpha, 3)).toEqual(box));

test('there is no box without a subject', () => {
  expect(subjectBox(rows('...', '-.-'), 3)).toBeUndefined();
});
