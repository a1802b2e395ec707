import { describe, expect, test } from 'vitest';
import type { KeyRecord } from '../../../src/auth/key-record.ts';
import type { FeedRecord } from '../../../src/intake/feeds/feeds.ts';
import { withLiveMeter } from '../../../src/intake/feeds/schedules.ts';
import { startFeedRun } from '../../../workers/feeds/run-stages.ts';
import { attemptOf } from '../../support/attempts.ts';
import { useFeedBench } from '../../support/feed-runs.ts';

const bench = await useFeedBench();

const NEVER = new AbortController().signal;
const MINUTE = 60_000;

/** Creates a key of a client that has no other. */
let clients = 0;
const newKey = async (feedIntervalSeconds = 900): Promise<KeyRecord> =>
  (
    await bench.keys.create({
      client: `shop-${++clients}`,
      scopes: ['background-removal:process'],
      allowBase64: false,
      rate: { count: 60, periodSeconds: 60 },
      quotaPerDay: 1000,
      feedIntervalSeconds,
    })
  ).record;

const feedOf = ({ meter, quotaPerDay }: KeyRecord): Promise<FeedRecord> =>
  bench.feed({ schedule: '* * * * *', meter: { meter, quotaPerDay } });

/** Does the job that the schedule adds at this time, and ends the run it may start. */
async function fire({ id }: FeedRecord, dueAtMillis: number): Promise<void> {
  const data = { feedId: id, requestId: 'r' };
  await startFeedRun(bench)(data, NEVER, attemptOf({ jobId: `repeat:${id}:${dueAtMillis}` }));
  const { lastRunId = '' } = await bench.known(id);
  const end = { from: ['open'], to: 'completed', fields: {}, dueAtMillis: 1e15 } as const;
  await bench.batches.move(lastRunId, end);
}

const runsOf = async ({ id }: FeedRecord): Promise<number> => (await bench.known(id)).runs.length;
const pausedAt = async ({ id }: FeedRecord) => (await bench.known(id)).schedulePausedAt;

describe('the schedule of a feed', () => {
  test('is paused when its key is revoked, and no run starts', async () => {
    const key = await newKey(0);
    const feed = await feedOf(key);
    await fire(feed, 0);
    await bench.keys.revoke(key.id);
    for (let minute = 1; minute <= 5; minute++) await fire(feed, minute * MINUTE);
    expect(await runsOf(feed)).toBe(1);
    expect(await pausedAt(feed)).toEqual(expect.any(String));
  });

  test('goes on when its key is rotated and the old one revoked', async () => {
    const key = await newKey(0);
    const feed = await feedOf(key);
    await bench.keys.rotate(key.id, 3600);
    await bench.keys.revoke(key.id);
    await fire(feed, MINUTE);
    expect(await runsOf(feed)).toBe(1);
    expect(await pausedAt(feed)).toBeFalsy();
  });

  test('resumes when another key of the client starts a run: that key pays from then on', async () => {
    const [key, other] = [await newKey(0), await newKey(0)];
    const feed = await feedOf(key);
    expect(await withLiveMeter(bench, feed, other)).toEqual(feed);
    await bench.keys.revoke(key.id);
    await fire(feed, 0);
    expect(await pausedAt(feed)).toBeTruthy();

    const taken = await withLiveMeter(bench, await bench.known(feed.id), other);
    const { meter, quotaPerDay } = other;
    expect(taken).toMatchObject({ meter: { meter, quotaPerDay } });
    expect(await bench.known(feed.id)).toEqual(taken);
    expect(await pausedAt(feed)).toBeFalsy();
    await fire(feed, MINUTE);
    expect(await runsOf(feed)).toBe(1);
  });

  test('skips runs that come earlier than its key allows', async () => {
    const feed = await feedOf(await newKey(900));
    for (let minute = 0; minute < 60; minute++) await fire(feed, minute * MINUTE);
    expect(await runsOf(feed)).toBe(4);
  });

  test('goes on after the clock of the hosts was set back', async () => {
    const feed = await feedOf(await newKey(900));
    await fire(feed, 600 * MINUTE);
    await fire(feed, 0);
    expect(await runsOf(feed)).toBe(2);
  });

  test('rests while the bytes that its key stores a day are used up', async () => {
    const key = await newKey(0);
    const feed = await feedOf(key);
    await fire(feed, 0);
    await bench.storedBytes.add(key, key.bytesPerDay);
    for (let minute = 1; minute <= 5; minute++) await fire(feed, minute * MINUTE);
    expect(await runsOf(feed)).toBe(1);
  });

  test('waits for a run under way, and then for no further interval', async () => {
    const feed = await feedOf(await newKey(900));
    await bench.start(feed.id);
    await fire(feed, 0); // ends the run under way
    await fire(feed, MINUTE);
    expect(await runsOf(feed)).toBe(2);
  });
});
