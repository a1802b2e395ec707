import { expect, test } from 'vitest';
import { estimateConfidence } from '../../src/imaging/evidence.ts';
import type { ProbabilityMap } from '../../src/imaging/matte.ts';

const SIDE = 12;

/** A map whose cells within the border, rows from the top, repeat some values. */
const mapOf = (values: readonly number[], border = 0): ProbabilityMap => ({
  data: new Float32Array(SIDE * SIDE).map((_, i) => {
    const [x, y] = [i % SIDE, Math.floor(i / SIDE)];
    const isBorder = x === 0 || y === 0 || x === SIDE - 1 || y === SIDE - 1;
    return isBorder ? border : values[((y - 1) * (SIDE - 2) + x - 1) % values.length]!;
  }),
  width: SIDE,
  height: SIDE,
});

test.each([
  { what: 'all certain', values: [0, 0, 1, 1], confidence: 0.99 },
  { what: 'undecided', values: [0.5, 0.5, 0.5, 0.5], confidence: 0 },
  { what: 'certain in nine cells of ten', values: [...Array(9).fill(1), 0.5], confidence: 0.86 },
  { what: 'as likely right as wrong', values: [0, 0.9215, 0.9215, 0.9215], confidence: 0.5 },
  { what: 'nothing found', values: [0, 0, 0, 0.01], confidence: 0 },
])('confidence: $what', ({ values, confidence }) => {
  expect(estimateConfidence(mapOf(values))).toBeCloseTo(confidence, 2);
});

test('the amount of background makes no difference', () => {
  const matte = [0.2, 0.8, 0.9, 1];
  expect(estimateConfidence(mapOf([...matte, 0, 0, 0, 0, 0, 0]))).toBeCloseTo(
    estimateConfidence(mapOf([...matte, 0])),
    10,
  );
});

test('is at most one half if no background shows', () => {
  expect(estimateConfidence(mapOf([1], 1))).toBe(0.5);
  expect(estimateConfidence(mapOf([0.6], 1))).toBeLessThan(0.01);
});
