import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readReview, reasonText } from '../../src/console/browser/review.js';
import { REVIEW_RULES } from '../../src/output/review.ts';
import { RULE_IDS } from '../../src/output/rules/pack.ts';

const CODES = Object.keys(REVIEW_RULES);

test('the console has words for every reason, and says what to do', () => {
  const codes = [...CODES, 'several-people', 'damaged'];
  for (const code of codes) expect(reasonText(code)).toMatch(/^[A-Z][^.:]+: [^.:]+\.$/);
  const rules = RULE_IDS.map((id) => `rule:${id}`);
  for (const rule of rules) expect(reasonText(rule)).toMatch(/^[A-Z][^.]+\.$/);
  expect(new Set([...codes, ...rules].map(reasonText)).size).toBe(codes.length + rules.length);
  expect(reasonText('of-a-later-release')).toBe('of-a-later-release');
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
  expect(documented).toEqual([...CODES, 'damaged']);
});
