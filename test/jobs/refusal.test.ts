import { expect, test } from 'vitest';
import { readRefusal, writeRefusal } from '../../src/jobs/refusal.ts';
import { Problem } from '../../src/problem.ts';

test('a problem crosses the queue as it was', () => {
  const problem = new Problem('invalid-request', 'Twice "so"', {
    errors: [{ pointer: '/roi', detail: 'lies outside' }],
  });
  expect(readRefusal(writeRefusal(problem))).toEqual(problem);
});

test.each([
  'job stalled more than allowable limit',
  '{not json',
  '{"type":"no-such-type","detail":"x"}',
  '',
])('another failure, %j, is no refusal', (message) => expect(readRefusal(message)).toBeUndefined());
