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

test.each<{ reason: string; evidence: Partial<Evidence>; just: Partial<Evidence>; asks: boolean }>([
  {
    reason: 'low-confidence',
    evidence: { confidence: 0.95 },
    just: { confidence: 0.955 },
    asks: true,
  },
  {
    reason: 'gap-unsure',
    evidence: { unsureGapShare: 0.015 },
    just: { unsureGapShare: 0.014 },
    asks: true,
  },
  {
    reason: 'hole-in-subject',
    evidence: { holeShare: 0.0002 },
    just: { holeShare: 0.00019 },
    asks: true,
  },
  {
    reason: 'ground-in-gap',
    evidence: { groundShare: 0.0002 },
    just: { groundShare: 0.00019 },
    asks: true,
  },
  {
    reason: 'several-subjects',
    evidence: { otherShare: 0.1 },
    just: { otherShare: 0.09 },
    asks: true,
  },
  {
    reason: 'subject-too-small',
    evidence: { subjectShare: 0.019 },
    just: { subjectShare: 0.02 },
    asks: true,
  },
  { reason: 'blurred', evidence: { sharpness: 0.285 }, just: { sharpness: 0.29 }, asks: true },
  {
    reason: 'same-colour-as-background',
    evidence: { blendedShare: 0.25 },
    just: { blendedShare: 0.24 },
    asks: false,
  },
  { reason: 'cut-by-frame', evidence: { cutShare: 0.02 }, just: { cutShare: 0.01 }, asks: false },
])('$reason is found at its threshold', ({ reason, evidence, just, asks }) => {
  expect(reviewOf({ ...NOTHING, ...evidence })).toEqual({ needed: asks, reasons: [reason] });
  expect(reviewOf({ ...NOTHING, ...just }).reasons).toEqual([]);
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
