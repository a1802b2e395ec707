import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';

/** Where the ids of canceled jobs are published; every worker subscribes. */
const CHANNEL = `${PREFIX}:cancel`;

/** Why a job failed that was canceled, or whose client waits no longer. */
export const CANCELED = 'canceled';

/**
 * Cancels a job: removes it from the queue if it waits there, else notifies the worker that runs it.
 * @returns whether it had started
 */
export async function cancelJob(queue: Queue, redis: Redis, jobId: string): Promise<boolean> {
  // BullMQ removes finished jobs as well; one that is gone has ended.
  const job = await queue.getJob(jobId);
  if (!job || job.finishedOn !== undefined) return true;
  const removed = await queue.remove(jobId);
  if (!removed) await redis.publish(CHANNEL, jobId);
  return !removed || job.processedOn !== undefined;
}

/** Calls `onCancel` for every running job that is canceled. @param connection used for nothing else from now on */
export async function onCanceled(
  connection: Redis,
  onCancel: (jobId: string) => void,
): Promise<void> {
  connection.on('message', (_channel, jobId) => onCancel(jobId));
  await connection.subscribe(CHANNEL);
}
