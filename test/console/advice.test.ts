import { expect, test } from 'vitest';
import { ADVICE } from '../../src/console/browser/advice.js';
import { PROBLEMS } from '../../src/platform/problem.ts';

test('the console has advice for every problem type, and for its own errors', () => {
  expect(Object.keys(ADVICE).sort()).toEqual(
    [...Object.keys(PROBLEMS), 'cannot-mend', 'interrupted', 'unreachable'].sort(),
  );
});

test.each(Object.entries(ADVICE))(
  'the advice for %s is one sentence that says what to do',
  (_, advice) => {
    expect(advice).toMatch(/^[A-Z][^.]+: [^.]+\.$|^[A-Z][^.:]+\.$/);
    expect(advice).not.toMatch(/HTTP|header|status|\d{3}/i);
  },
);
