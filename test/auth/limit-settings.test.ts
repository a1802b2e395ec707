import { expect, test } from 'vitest';
import { parseQuota, parseRate } from '../../src/auth/limit-settings.ts';

test.each([
  ['5/s', { count: 5, periodSeconds: 1 }],
  ['60/min', { count: 60, periodSeconds: 60 }],
  ['1000/h', { count: 1000, periodSeconds: 3600 }],
])('the rate %s is parsed', (text, rate) => expect(parseRate(text)).toEqual(rate));

test.each(['', '60', '0/min', '-1/s', '1.5/s', '60/week', '60 / min'])(
  'the rate %j is rejected with the expected format',
  (text) => expect(() => parseRate(text)).toThrow(/60\/min/),
);

test('a quota is per day, and nothing else', () => {
  expect(parseQuota('1000/day')).toBe(1000);
  for (const bad of ['1000', '0/day', '10/week'])
    expect(() => parseQuota(bad)).toThrow(/1000\/day/);
});
