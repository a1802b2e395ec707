import { type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { PREFIX } from '../platform/redis.ts';
import { queueTelemetry } from '../platform/tracing.ts';
import { JOBS, type QueueName } from './catalog.ts';

/** Finished jobs are kept so long: whoever missed their end reads it there. */
const KEEP = { age: 300, count: 1000 };

/** Opens a queue for adding, counting and taking back. */
export function openQueue(name: QueueName, connection: Redis, log: Logger): Queue {
  const telemetry = queueTelemetry();
  const queue = new Queue(name, {
    connection,
    prefix: PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { removeOnComplete: KEEP, removeOnFail: KEEP },
    ...(telemetry && { telemetry }),
  });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  return queue;
}

/**
 * Has a job tried once more that failed in its queue while its end could not be written. Its record is
 * what counts: where that says that it is under way, it is.
 */
export async function retryFailed(job: Job): Promise<void> {
  if (!(await job.isFailed())) return;
  await job.retry('failed').catch(async (error) => {
    if (await job.isFailed()) throw error; // else somebody else was quicker
  });
}

/** Puts an accepted job in its queue; one that is there already stays as it is. */
export async function enqueueJob(
  queue: Queue,
  { id, requestId }: { id: string; requestId: string },
): Promise<Job> {
  const { attempts, backoffMillis: delay } = JOBS['run-job'];
  const options = { jobId: id, attempts, backoff: { type: 'exponential', delay } };
  return queue.add('run-job', { id, requestId }, options);
}
