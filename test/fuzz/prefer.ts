import { deepEqual, equal, ok } from 'node:assert/strict';
import { preferenceApplied, readPrefer } from '../../src/http/prefer.ts';
import type { Input } from './target.ts';

export const words = ['respond-async', 'wait=', 'wait = "', ', ', ';foo=bar', '999999'];

export const seeds: readonly Input[] = [
  'respond-async, wait=10',
  'wait="5";x=y,RESPOND-ASYNC',
  'wait = 9999999, wait=1, wait=2',
  'return=minimal\nrespond-async;q',
];

export const found: readonly Input[] = [];

/** Any header gives an answer in its bounds, and what is said to be applied is read as the same. */
export function holds(input: Buffer): void {
  const header = input.toString('latin1');
  const preference = readPrefer(header);
  const { respondAsync, waitSeconds } = preference;
  equal(typeof respondAsync, 'boolean');
  if (waitSeconds !== undefined) ok(Number.isInteger(waitSeconds) && waitSeconds <= 999_999);
  deepEqual(readPrefer(preferenceApplied(preference)), preference);
  // Sent as several headers, it is the same list.
  deepEqual(readPrefer(header.split(',')), preference);
}
