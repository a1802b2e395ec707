import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteSchedule, putSchedule, scheduleError } from '../../../src/intake/feeds/schedules.ts';
import { type FeedBench, startFeedBench } from '../../support/feed-runs.ts';

describe('a valid schedule', () => {
  let bench: FeedBench;
  beforeAll(async () => {
    bench = await startFeedBench();
  });
  afterAll(() => bench.stop());

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
