import { getNextMillis } from 'bullmq';
import { describe, expect, test } from 'vitest';
import {
  deleteSchedule,
  minIntervalSeconds,
  putSchedule,
  scheduleError,
} from '../../../src/intake/feeds/schedules.ts';
import { useFeedBench } from '../../support/feed-runs.ts';

const bench = await useFeedBench();

describe('a valid schedule', () => {
  test.each([
    '* * * * *',
    '30 4 * * *',
    '*/15 8-18/2 1,15 1-6 1-5',
    '0 0 29 2 *',
    '5 4 31 1,2 *',
    '0 12 31 4 1',
    '0 0 * * 7',
    ' 0  3 * * 0 ',
  ])('is accepted by the queue too: %s', async (schedule) => {
    expect(scheduleError(schedule)).toBeUndefined();
    const feed = { id: 'feed_1', requestId: 'r', schedule };
    await putSchedule(bench.queue, feed);
    const next = (await bench.queue.getJobScheduler('feed_1'))?.next ?? 0;
    expect(next).toBeGreaterThan(Date.now());
    await deleteSchedule(bench.queue, 'feed_1');
    expect(await bench.queue.getJobSchedulersCount()).toBe(0);
  });
});

describe('the shortest time between two runs', () => {
  const DAY = 86_400;

  /** Returns the shortest time between so many runs of a schedule, as the queue computes them. */
  function observed(pattern: string, runs: number): number {
    let last = Date.UTC(2027, 0, 1) - 1;
    let shortest = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs; run++) {
      const next = getNextMillis(last, { pattern, tz: 'UTC' }) ?? 0;
      if (run > 0) shortest = Math.min(shortest, (next - last) / 1000);
      last = next;
    }
    return shortest;
  }

  test.each([
    ['* * * * *', 60],
    ['*/15 * * * *', 900],
    ['0,10,50 * * * *', 600],
    ['0 */7 * * *', 3 * 3600], // from 21:00 to midnight
    ['0,59 3,4 * * *', 60],
    ['30 4 * * *', DAY],
    ['0 0,23 1 * *', 23 * 3600],
    ['0 0,23 1,2 * *', 3600],
    ['0 0 * * 1,3', 2 * DAY],
    ['0 0 15 * 1', DAY], // on the 15th and on Mondays
    ['0 0 29 2 3', DAY], // once in 28 years, from Wednesday to the leap day
    ['0 0 1 * *', 28 * DAY],
    ['0 0 1 1,7 *', 181 * DAY],
  ])('%s: %i s', (pattern, seconds) => {
    expect(minIntervalSeconds(pattern)).toBe(seconds);
    expect(observed(pattern, 200)).toBe(seconds);
  });
});

describe('an invalid schedule', () => {
  test.each([
    ['', 'five fields'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['60 * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day of the month'],
    ['* * * 13 *', 'month'],
    ['* * * * 8', 'day of the week'],
    ['5-1 * * * *', 'minute'],
    ['*/0 * * * *', 'minute'],
    ['1,,2 * * * *', 'minute'],
    ['a * * * *', 'minute'],
    ['0 0 30 2 *', 'No month has such a day'],
    ['0 0 31 4,6 *', 'No month has such a day'],
  ])('has an error message: %j', (pattern, message) => {
    expect(scheduleError(pattern)).toContain(message);
  });
});
