import { expect, test } from 'vitest';
import type { Evidence } from '../../src/imaging/evidence.ts';
import { REVIEW_RULES, reviewOf, reviewTexts } from '../../src/output/review.ts';

const NOTHING: Evidence = {
  confidence: 0.98,
  unsureGapShare: 0,
  holeShare: 0,
  groundShare: 0,
  otherShare: 0,
  subjectShare: 0.4,
  sharpness: 0.4,
  blendedShare: 0.02,
  cutShare: 0,
};

test('a cut-out with nothing against it needs no review', () => {
  expect(reviewOf(NOTHING)).toEqual({ needed: false, reasons: [] });
});

type Rule = [name: string, of: keyof Evidence, found: number, just: number, asks: boolean];

test.each<Rule>([
  ['low-confidence', 'confidence', 0.95, 0.955, true],
  ['gap-unsure', 'unsureGapShare', 0.015, 0.014, true],
  ['hole-in-subject', 'holeShare', 0.0002, 0.00019, true],
  ['ground-in-gap', 'groundShare', 0.0002, 0.00019, true],
  ['several-subjects', 'otherShare', 0.1, 0.09, true],
  ['subject-too-small', 'subjectShare', 0.019, 0.02, true],
  ['blurred', 'sharpness', 0.285, 0.29, true],
  ['same-colour-as-background', 'blendedShare', 0.25, 0.24, false],
  ['cut-by-frame', 'cutShare', 0.02, 0.01, false],
])('%s is found at its threshold', (reason, of, found, just, asks) => {
  expect(reviewOf({ ...NOTHING, [of]: found })).toEqual({ needed: asks, reasons: [reason] });
  expect(reviewOf({ ...NOTHING, [of]: just }).reasons).toEqual([]);
});

test('one reason that asks for a person is enough', () => {
  const review = reviewOf({ ...NOTHING, cutShare: 1, confidence: 0.5 });
  expect(review).toEqual({ needed: true, reasons: ['low-confidence', 'cut-by-frame'] });
});

test('each reason is a sentence without its full stop', () => {
  const texts = reviewTexts({ reasons: Object.keys(REVIEW_RULES) });
  expect(texts).toHaveLength(9);
  for (const text of texts) expect(text).toMatch(/^[A-Z][^.]+[^.]$/);
});

test('a reason that a newer worker gives stands for itself', () => {
  expect(reviewTexts({ reasons: ['rule:white-ground'] })).toEqual(['rule:white-ground']);
});
