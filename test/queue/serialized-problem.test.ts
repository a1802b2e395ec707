import { expect, test } from 'vitest';
import { deserializeProblem, Problem, serializeProblem } from '../../src/platform/problem.ts';

test('a problem passes through the queue unchanged', () => {
  const problem = new Problem('invalid-request', 'Twice "so"', {
    errors: [{ pointer: '/roi', detail: 'lies outside' }],
  });
  expect(deserializeProblem(serializeProblem(problem))).toEqual(problem);
});

test.each([
  'job stalled more than allowable limit',
  '{not json',
  '{"type":"no-such-type","detail":"x"}',
  '',
])('another failure message, %j, is no problem', (message) =>
  expect(deserializeProblem(message)).toBeUndefined(),
);
