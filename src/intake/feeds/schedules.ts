import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { findLiveByMeter, type Meter } from '../../auth/key-record.ts';
import type { Clock } from '../../platform/clock.ts';
import { retriesOf } from '../../queue/catalog.ts';
import type { StoredBytes } from '../stored-bytes.ts';
import type { FeedRecord, Feeds } from './feeds.ts';
import { type FeedRuns, scheduledRunId } from './runs.ts';

/** The five fields of a cron pattern and their ranges. */
const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
] as const;

const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** Sunday has two numbers. */
const SUNDAY = 7;

/** Returns the numbers that a part of a field stands for, or nothing if it is malformed. */
function parsePart(part: string, min: number, max: number): ReadonlySet<number> | undefined {
  const match = PART.exec(part);
  if (!match) return undefined;
  const [first, last, every] = match
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  const isSingle = first !== undefined && every === undefined;
  const [from, to, step] = [first ?? min, last ?? (isSingle ? first : max), every ?? 1];
  if (from < min || to > max || from > to || step < 1 || step > max) return undefined;
  const numbers = new Set<number>();
  for (let number = from; number <= to; number += step)
    numbers.add(max === SUNDAY ? number % SUNDAY : number);
  return numbers;
}

/** Returns all numbers of a field, or an error: the queue rejects fields that name a number twice. */
function parseField(field: string, { name, min, max }: (typeof FIELDS)[number]): number[] | string {
  const parts = field.split(',').map((part) => parsePart(part, min, max));
  if (!parts.every((part) => part !== undefined)) {
    return `The ${name} must be *, or numbers from ${min} to ${max}`;
  }
  const numbers = parts.flatMap((part) => [...part]);
  return new Set(numbers).size === numbers.length ? numbers : `The ${name} has a number twice`;
}

const fieldsOf = (pattern: string): string[] => pattern.trim().split(/\s+/);

/** Returns what is wrong with a schedule in cron's five fields, or nothing. */
export function scheduleError(pattern: string): string | undefined {
  const fields = fieldsOf(pattern);
  if (fields.length !== FIELDS.length)
    return 'A schedule has five fields: minute, hour, day of the month, month, day of the week';
  const parsed = FIELDS.map((field, at) => parseField(fields[at] ?? '', field));
  const error = parsed.find((field) => typeof field === 'string');
  if (typeof error === 'string') return error;
  const [, , days = [], months = []] = parsed.filter((field) => typeof field !== 'string');
  if (fields[4] === '*' && isNever(days, months)) return 'No month has such a day';
  return undefined;
}

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether no month has any of the days. */
function isNever(days: readonly number[], months: readonly number[]): boolean {
  const longest = Math.max(...months.map((month) => LONGEST_MONTHS[month - 1] ?? 0));
  return days.every((day) => day > longest);
}

const DAY_MINUTES = 1440;
const DAY_MILLIS = DAY_MINUTES * 60_000;
/** After 28 years dates fall on the same weekdays again. */
const SEARCHED_DAYS = 28 * 365 + 7;

/** Returns the smallest difference of sorted numbers, infinite if there is only one. */
const minGap = (sorted: readonly number[]): number =>
  Math.min(...sorted.slice(1).map((number, i) => number - sorted[i]!));

/** Returns the days on which a schedule has runs, counted from 1970. */
function runDays(
  pattern: string,
  days: readonly number[],
  months: readonly number[],
  weekdays: readonly number[],
): number[] {
  const [, , dayField, , weekdayField] = fieldsOf(pattern);
  const isRun = (date: Date): boolean => {
    const isDay = days.includes(date.getUTCDate());
    const isWeekday = weekdays.includes(date.getUTCDay());
    if (!months.includes(date.getUTCMonth() + 1)) return false;
    // As cron has it: if both are restricted, either is enough.
    return dayField === '*' || weekdayField === '*' ? isDay && isWeekday : isDay || isWeekday;
  };
  return Array.from({ length: SEARCHED_DAYS }, (_, day) => day).filter((day) =>
    isRun(new Date(day * DAY_MILLIS)),
  );
}

/** Returns the shortest time between two runs of a valid schedule, seconds. */
export function minIntervalSeconds(pattern: string): number {
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = fieldsOf(pattern).map(
    (field, at) => {
      const parsed = parseField(field, FIELDS[at]!);
      if (typeof parsed === 'string') throw new Error(parsed);
      return parsed;
    },
  );
  const times = hours
    .flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
    .sort((a, b) => a - b);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const betweenDays = minGap(runDays(pattern, days, months, weekdays)) * DAY_MINUTES;
  return 60 * Math.min(minGap(times), betweenDays - (last - first));
}

/** Schedules a feed's runs; replaces an earlier schedule. BullMQ adds a job at each time. */
export async function putSchedule(
  queue: Queue,
  { id, requestId, schedule }: Pick<FeedRecord, 'id' | 'requestId' | 'schedule'>,
): Promise<void> {
  if (schedule === undefined) return;
  await queue.upsertJobScheduler(
    id,
    { pattern: schedule, tz: 'UTC' },
    {
      name: 'start-feed-run',
      data: { feedId: id, requestId },
      opts: retriesOf('start-feed-run'),
    },
  );
}

/** Stops a feed's schedule. */
export const deleteSchedule = async (queue: Queue, feedId: string): Promise<void> => {
  await queue.removeJobScheduler(feedId);
};

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
