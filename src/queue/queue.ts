import { type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { PREFIX } from '../platform/redis.ts';
import { queueTelemetry } from '../platform/tracing.ts';
import { JOBS, type QueueName } from './catalog.ts';

/** Finished jobs stay so long for those that missed the event: seconds, and how many. */
const FINISHED = { age: 300, count: 1000 };

/** Opens a queue for adding, counting and removing jobs. */
export function openQueue(name: QueueName, connection: Redis, log: Logger): Queue {
  const telemetry = queueTelemetry();
  const queue = new Queue(name, {
    connection,
    prefix: PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { removeOnComplete: FINISHED, removeOnFail: FINISHED },
    ...(telemetry && { telemetry }),
  });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  return queue;
}

/**
 * Retries a job that failed in its queue while its end could not be recorded. The record is the
 * authority: a job that is pending there has not ended.
 */
export async function retryFailed(job: Job): Promise<void> {
  if (!(await job.isFailed())) return;
  await job.retry('failed').catch(async (error) => {
    if (await job.isFailed()) throw error; // else another process was faster
  });
}

/** Puts an accepted job in its queue; one that is queued already stays as it is. */
export async function enqueueJob(
  queue: Queue,
  { id, requestId }: { id: string; requestId: string },
): Promise<Job> {
  const { attempts, backoffMillis: delay } = JOBS['run-job'];
  const options = { jobId: id, attempts, backoff: { type: 'exponential', delay } };
  return queue.add('run-job', { id, requestId }, options);
}
