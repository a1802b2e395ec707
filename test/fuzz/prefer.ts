import { deepEqual, equal, ok } from 'node:assert/strict';
import { preferenceApplied } from '../../src/api/intake/prefer-job.ts';
import { readPrefer } from '../../src/http/request-head.ts';
import type { Input } from './target.ts';

export const dictionary = ['respond-async', 'wait=', 'wait = "', ', ', ';foo=bar', '999999'];

export const seeds: readonly Input[] = [
  'respond-async, wait=10',
  'wait="5";x=y,RESPOND-ASYNC',
  'wait = 9999999, wait=1, wait=2',
  'return=minimal\nrespond-async;q',
];

export const regressions: readonly Input[] = [];

/** Any header gives a preference within bounds or none, and the applied preference parses to the same. */
export function fuzz(input: Buffer): void {
  const header = input.toString('latin1');
  const preference = readPrefer(header);
  // Several headers are the same list.
  deepEqual(readPrefer(header.split(',')), preference);
  if (!preference) return;
  const { respondAsync, waitSeconds } = preference;
  equal(typeof respondAsync, 'boolean');
  if (waitSeconds !== undefined) ok(Number.isInteger(waitSeconds) && waitSeconds <= 999_999);
  deepEqual(readPrefer(preferenceApplied(preference)), preference);
}
