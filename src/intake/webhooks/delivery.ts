import { JOBS } from '../../queue/catalog.ts';
import { addJob, type JobQueue } from '../../queue/queue.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays between attempts, ms: twelve attempts in 22 hours. */
// biome-ignore format: a table reads best aligned
export const SCHEDULE_MILLIS: readonly number[] = [
  5 * SECOND, 30 * SECOND,
  2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE,
  1 * HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 8 * HOUR,
];
/** Share of a delay, either way, so that events that failed together are not retried together. */
const JITTER = 0.2;

/**
 * Returns the delay after a failed attempt, ms, or nothing after the last one. A receiver's Retry-After may
 * lengthen it, up to the longest delay of the schedule.
 * @param tries attempts made, this one included
 */
export function delayAfter(
  tries: number,
  retryAfterMillis = 0,
  schedule = SCHEDULE_MILLIS,
): number | undefined {
  const step = schedule[tries - 1];
  if (step === undefined) return undefined;
  const delay = step * (1 - JITTER + 2 * JITTER * Math.random());
  return Math.round(Math.max(delay, Math.min(retryAfterMillis, Math.max(...schedule))));
}

/** The job id of one round of an event: letters, digits, `_`, then the round. */
const deliveryId = (eventId: string, round: number): string =>
  round === 1 ? eventId : `${eventId}-${round}`;

/** Returns the event and the round that a job delivers. */
export function parseDeliveryId(jobId: string): { eventId: string; round: number } {
  const [eventId = '', round = '1'] = jobId.split('-');
  return { eventId, round: Number(round) };
}

/** Puts an event in the queue `webhook`; one that is queued already stays as it is. */
export async function enqueueDelivery(
  queue: JobQueue,
  { id: eventId, client }: { id: string; client: string },
  round: number,
): Promise<void> {
  await addJob(queue, {
    name: 'deliver-webhook',
    // Deliveries of all clients weigh the same: they take no work that a weight could buy more of.
    data: { eventId, round, requestId: eventId, client, weight: 1 },
    opts: {
      jobId: deliveryId(eventId, round),
      attempts: JOBS['deliver-webhook'].attempts,
      backoff: { type: 'as-told' },
      stackTraceLimit: 1,
    },
  });
}
