import { expect, test } from 'vitest';
import { estimateConfidence } from '../../src/imaging/confidence.ts';

test.each([
  { what: 'all certain', values: [0, 0, 1, 1], confidence: 1 },
  { what: 'undecided', values: [0.5, 0.5, 0.5, 0.5], confidence: 0 },
  { what: 'certain in nine cells of ten', values: [...Array(9).fill(1), 0.5], confidence: 0.97 },
  { what: 'as likely right as wrong', values: [0, 0.908, 0.908, 0.908], confidence: 0.5 },
  { what: 'nothing found', values: [0, 0, 0, 0.01], confidence: 0 },
])('confidence: $what', ({ values, confidence }) => {
  expect(estimateConfidence(Float32Array.from(values))).toBeCloseTo(confidence, 2);
});

test('the amount of background makes no difference', () => {
  const matte = [0.2, 0.8, 0.9, 1];
  const alone = estimateConfidence(Float32Array.from(matte));
  expect(estimateConfidence(Float32Array.from([...matte, ...Array(96).fill(0)]))).toBe(alone);
});
