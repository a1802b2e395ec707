import { expect, test } from 'vitest';
import { JOBS } from '../../src/queue/catalog.ts';
import { FetchError } from '../../workers/fetch/safe-fetch.ts';
import { fetchMillis, finalProblem } from '../../workers/images/read-input.ts';

const NAMES = ['run-job', 'run-row'] as const;
test.each(NAMES)('all attempts of %s fetch for two minutes at most', (name) => {
  const attempts = Array.from({ length: JOBS[name].attempts }, (_, i) => ({ number: i + 1 }));
  const totalMillis = attempts.map(fetchMillis).reduce((a, b) => a + b, 0);
  expect(totalMillis).toBeLessThanOrEqual(120_000);
});

test.each([
  { reason: 'too-slow', number: 1, isFinal: false },
  { reason: 'too-slow', number: 2, isFinal: true },
  { reason: 'timeout', number: 2, isFinal: true },
  { reason: 'connect', number: 2, isFinal: false },
  { reason: 'expansion', number: 1, isFinal: true },
] as const)('$reason at attempt $number is final: $isFinal', ({ reason, number, isFinal }) => {
  const problem = finalProblem(new FetchError(reason), { number, isLast: false });
  expect(problem !== undefined).toBe(isFinal);
});
