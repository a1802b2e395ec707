import { equal, ok } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { minIntervalSeconds, scheduleError } from '../../src/intake/feeds/schedules.ts';
import type { Input } from './target.ts';

export const dictionary = [
  '*',
  '*/',
  '0',
  '59',
  '23',
  '31',
  '12',
  '7',
  '-',
  ',',
  ' ',
  '30 2 *',
  '29 2 *',
];

export const seeds: readonly Input[] = [
  '30 4 * * *',
  '*/15 0-6,22 1 1,7 0-7/2',
  '0 0 29 2 *',
  '0 0 30 2 *',
  '0 0 31 4,6 1',
  ' 1\t2 3 4 5 ',
  '60 0 * * *',
  '@daily',
];

export const regressions: readonly Input[] = [
  // The queue rejected schedules that had been accepted.
  '7,7 * * * *',
  '1-3,2 * * * *',
  '*,5 * * * *',
  '0 0 * * 0,7',
  '0 0 30-31 2 *',
  '0 0 30/1 2 *',
];

// Under the fuzzer, Node does not find this package's named exports.
const { getNextMillis }: typeof import('bullmq') = createRequire(import.meta.url)('bullmq');

const NOW = Date.UTC(2026, 0, 1);
/** Maximum gap between two days of February 29, across a century. */
const MAX_GAP_MILLIS = 8 * 366 * 86_400_000;

/** Runs that are compared with the shortest time between two. */
const RUNS = 5;

/** The queue accepts every accepted schedule, and it has a next time, not sooner than computed. */
export function fuzz(input: Buffer): void {
  const pattern = input.toString();
  const error = scheduleError(pattern);
  if (error !== undefined) {
    ok(error.length > 0);
    return;
  }
  const next = getNextMillis(NOW, { pattern, tz: 'UTC' });
  equal(typeof next, 'number');
  ok(next !== undefined && next > NOW && next - NOW <= MAX_GAP_MILLIS, `${next}`);
  const intervalMillis = minIntervalSeconds(pattern) * 1000;
  for (let run = 0, last = next; run < RUNS; run++) {
    const following = getNextMillis(last, { pattern, tz: 'UTC' }) ?? 0;
    ok(following - last >= intervalMillis, `${following - last} ms after ${last}`);
    last = following;
  }
}
