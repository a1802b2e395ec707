import { expect, test } from 'vitest';
import { ADVICE } from '../../src/console/browser/advice.js';
import { PROBLEMS } from '../../src/platform/problem.ts';

test('the console has a plain sentence for every problem, and for no answer at all', () => {
  expect(Object.keys(ADVICE).sort()).toEqual([...Object.keys(PROBLEMS), 'unreachable'].sort());
});

test.each(Object.entries(ADVICE))(
  '%s is explained in one sentence that says what to do',
  (_, advice) => {
    expect(advice).toMatch(/^[A-Z][^.]+: [^.]+\.$|^[A-Z][^.:]+\.$/);
    expect(advice).not.toMatch(/HTTP|header|status|\d{3}/i);
  },
);
