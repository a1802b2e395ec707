import { expect, test } from 'vitest';
import { preferenceApplied } from '../../../src/api/intake/prefer-job.ts';
import { readPrefer } from '../../../src/http/request-head.ts';

test.each([
  ['respond-async', true, undefined],
  ['Respond-Async, wait=10', true, 10], // RFC 7240, section 4.3
  ['wait="5"; foo=bar', false, 5],
  [['respond-async', 'wait=7'], true, 7],
  ['wait=10, wait=20', false, 10], // RFC 7240, section 2: the first counts
])(
  '%j prefers an asynchronous response: %s, and waits for: %s s',
  (header, respondAsync, waitSeconds) => {
    expect(readPrefer(header)).toEqual({ respondAsync, waitSeconds });
  },
);

test.each([undefined, 'return=minimal, wait=soon, wait=-1'])('%j prefers no job', (header) => {
  expect(readPrefer(header)).toBeUndefined();
});

test('applied preferences are reported as they were requested', () => {
  expect(preferenceApplied({ respondAsync: true, waitSeconds: 3 })).toBe('respond-async, wait=3');
  expect(preferenceApplied({ respondAsync: false, waitSeconds: 0 })).toBe('wait=0');
  expect(preferenceApplied({ respondAsync: true, waitSeconds: undefined })).toBe('respond-async');
});
