import { expect, test } from 'vitest';
import {
  parseBytesPerDay,
  parseQuota,
  parseRate,
  parseWhole,
} from '../../src/auth/limit-settings.ts';

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

test.each([
  ['500MB/day', 500_000_000],
  ['50GB/day', 50_000_000_000],
  ['1TB/day', 1_000_000_000_000],
])('the bytes per day %s are parsed', (text, bytes) => expect(parseBytesPerDay(text)).toBe(bytes));

test.each(['', '50', '50GB', '0MB/day', '1.5GB/day', '5KB/day', '50GB/h'])(
  'the bytes per day %j are rejected with the expected format',
  (text) => expect(() => parseBytesPerDay(text)).toThrow(/50GB\/day/),
);

test('a whole number is accepted within its range only', () => {
  expect([parseWhole(1, 16)('1'), parseWhole(1, 16)('16')]).toEqual([1, 16]);
  for (const bad of ['', '0', '17', '-1', '1.5', '1e1'])
    expect(() => parseWhole(1, 16)(bad)).toThrow('from 1 to 16');
});
