import { expect, test } from 'vitest';
import { certaintyOf } from '../../src/imaging/confidence.ts';

test.each([
  { what: 'all sure', values: [0, 0, 1, 1], certainty: 1 },
  { what: 'undecided', values: [0.5, 0.5, 0.5, 0.5], certainty: 0 },
  { what: 'sure at nine places of ten', values: [...Array(9).fill(1), 0.5], certainty: 0.97 },
  { what: 'as likely right as wrong', values: [0, 0.908, 0.908, 0.908], certainty: 0.5 },
  { what: 'nothing found', values: [0, 0, 0, 0.01], certainty: 0 },
])('certainty: $what', ({ values, certainty }) => {
  expect(certaintyOf(Float32Array.from(values))).toBeCloseTo(certainty, 2);
});

test('how much backdrop there is makes no difference', () => {
  const matte = [0.2, 0.8, 0.9, 1];
  const alone = certaintyOf(Float32Array.from(matte));
  expect(certaintyOf(Float32Array.from([...matte, ...Array(96).fill(0)]))).toBe(alone);
});
