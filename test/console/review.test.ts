import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REVIEW, readReview } from '../../src/console/browser/review.js';
import { REVIEW_RULES } from '../../src/output/review.ts';

const CODES = Object.keys(REVIEW_RULES);

test('the console has words for every reason, and says what to do', () => {
  expect(Object.keys(REVIEW)).toEqual(CODES);
  for (const text of Object.values(REVIEW)) expect(text).toMatch(/^[A-Z][^.:]+: [^.:]+\.$/);
});

test('the console reads the review of a response', () => {
  const headers = { 'x-cutout-review-needed': 'true', 'x-cutout-review': 'blurred, cut-by-frame' };
  expect(readReview(new Headers(headers))).toEqual({
    needed: true,
    reasons: ['blurred', 'cut-by-frame'],
  });
  expect(readReview(new Headers())).toEqual({ needed: false, reasons: [] });
});

test('the documentation has every reason', () => {
  const text = readFileSync('docs/output.md', 'utf8');
  const documented = [...text.matchAll(/^\| `([a-z-]+)` \| (?:yes|no) \|/gm)].map(
    ([, code]) => code,
  );
  expect(documented).toEqual(CODES);
});
