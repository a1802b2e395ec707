import type { Redis } from 'ioredis';
import { findLiveByMeter } from '../../auth/key-record.ts';
import type { Meter } from '../../auth/quota.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StoredBytes } from '../stored-bytes.ts';
import type { FeedRecord, Feeds } from './feeds.ts';
import { type FeedRuns, scheduledRunId } from './runs.ts';

/** Returns when a job of a schedule was due, epoch milliseconds: BullMQ's ids end with it. */
function dueAtOf(jobId: string): number {
  const dueAtMillis = Number(jobId.slice(jobId.lastIndexOf(':') + 1));
  if (Number.isNaN(dueAtMillis)) throw new Error(`${jobId} does not end with a time`);
  return dueAtMillis;
}

/** Whether a run would start sooner after the previous one than the key allows. Host clocks may jump back. */
const isEarly = (
  { lastDueAtMillis = Number.NEGATIVE_INFINITY }: FeedRecord,
  dueAtMillis: number,
  intervalSeconds: number,
): boolean =>
  dueAtMillis !== lastDueAtMillis &&
  Math.abs(dueAtMillis - lastDueAtMillis) < intervalSeconds * 1000;

interface FeedPayment {
  redis: Redis;
  feeds: Feeds;
  now: Clock;
}

/**
 * Starts the run that a job of the schedule is for, as far as the feed's key allows. Does nothing if another run is
 * under way, if the key's interval has not passed, or if its bytes of the day are used up. Pauses the schedule if no
 * live key has the feed's meter.
 */
export async function startScheduledRun(
  runs: Pick<FeedRuns, 'start'>,
  { redis, feeds, storedBytes, now }: FeedPayment & { storedBytes: Pick<StoredBytes, 'used'> },
  feed: FeedRecord,
  jobId: string,
  requestId: string,
): Promise<void> {
  const key = await findLiveByMeter(redis, feed.meter.meter, now());
  if (!key) {
    if (feed.schedulePausedAt) return;
    await feeds.update(feed.id, { schedulePausedAt: new Date(now()).toISOString() });
    return;
  }
  const lastDueAtMillis = dueAtOf(jobId);
  if (isEarly(feed, lastDueAtMillis, key.feedIntervalSeconds)) return;
  if ((await storedBytes.used(key)) >= key.bytesPerDay) return;
  if (!(await runs.start(feed, scheduledRunId(jobId), requestId))) return;
  await feeds.update(feed.id, { lastDueAtMillis, schedulePausedAt: null });
}

/**
 * Returns a feed whose meter a live key has: the feed itself, or if all keys of its meter are revoked
 * or expired, the feed taken over by the meter of the caller. That resumes its schedule.
 */
export async function withLiveMeter(
  { redis, feeds, now }: FeedPayment,
  feed: FeedRecord,
  { meter, quotaPerDay }: Meter,
): Promise<FeedRecord> {
  if (feed.meter.meter === meter) return feed;
  if (await findLiveByMeter(redis, feed.meter.meter, now())) return feed;
  const changes = { meter: { meter, quotaPerDay }, schedulePausedAt: null };
  await feeds.update(feed.id, changes);
  return { ...feed, ...changes };
}
