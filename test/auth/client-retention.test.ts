import { describe, expect, test } from 'vitest';
import { parseRetention } from '../../src/auth/client-retention.ts';

describe('a retention policy', () => {
  test.each([
    ['output=1h', { outputSeconds: 3600 }],
    [
      'input=10min, output=1h,record=1d',
      { inputSeconds: 600, outputSeconds: 3600, recordSeconds: 86_400 },
    ],
    ['none', { store: 'none' }],
  ])('%s is parsed', (text, policy) => {
    expect(parseRetention(text)).toEqual(policy);
  });

  test.each([
    ['', /is not part of a retention policy/],
    ['pixels=1h', /"pixels=1h" is not part of a retention policy/],
    ['output=1 hour', /duration/],
    ['output', /duration/],
    ['output=0s', /1s to 400d/],
    ['record=401d', /1s to 400d/],
    ['constructor=1h', /is not part of a retention policy/],
  ])('%j is rejected with an explanation', (text, words) => {
    expect(() => parseRetention(text)).toThrow(words);
  });
});
