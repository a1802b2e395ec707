import type { Queue } from 'bullmq';
import { JOBS } from '../catalog.ts';
import type { FeedRecord } from './feeds.ts';

/** What each of the five fields may say, and names for numbers. */
const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
] as const;

const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

function isPart(part: string, min: number, max: number): boolean {
  const match = PART.exec(part);
  if (!match) return false;
  const [from = min, to = from, step = 1] = match
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  return from >= min && to <= max && from <= to && step >= 1 && step <= max;
}

/** What is wrong with a schedule in cron's five fields, or nothing. */
export function scheduleFault(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return 'A schedule has five fields: minute, hour, day of the month, month, day of the week';
  }
  const wrong = FIELDS.find(
    ({ min, max }, at) => !fields[at]?.split(',').every((part) => isPart(part, min, max)),
  );
  if (wrong) return `The ${wrong.name} must be *, or numbers from ${wrong.min} to ${wrong.max}`;
  const [, , day, month, weekday] = fields;
  if (weekday === '*' && neverComes(day ?? '', month ?? '')) return 'No month has such a day';
  return undefined;
}

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether plain days lie past the end of all the plain months that are named. */
function neverComes(days: string, months: string): boolean {
  const plain = /^\d+(,\d+)*$/;
  if (!plain.test(days) || !plain.test(months)) return false;
  const longest = Math.max(...months.split(',').map((m) => LONGEST_MONTHS[Number(m) - 1] ?? 31));
  return days.split(',').every((day) => Number(day) > longest);
}

/** Has a feed's runs started at its times. */
export async function keepSchedule(
  queue: Queue,
  { id, requestId, schedule }: Pick<FeedRecord, 'id' | 'requestId' | 'schedule'>,
): Promise<void> {
  if (schedule === undefined) return;
  const { attempts, backoffMillis: delay } = JOBS['start-feed-run'];
  await queue.upsertJobScheduler(
    id,
    { pattern: schedule, tz: 'UTC' },
    {
      name: 'start-feed-run',
      data: { feedId: id, requestId },
      opts: { attempts, backoff: { type: 'exponential', delay } },
    },
  );
}

/** No more runs of a feed are started. */
export const dropSchedule = async (queue: Queue, feedId: string): Promise<void> => {
  await queue.removeJobScheduler(feedId);
};
