import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';

/** Where a job that a worker already took is called off; every worker listens. */
const CHANNEL = `${PREFIX}:cancel`;

/** Takes a job back: out of the queue when it waits there, else by word to the worker that has it. */
export async function cancelJob(queue: Queue, redis: Redis, jobId: string): Promise<void> {
  const removed = await queue.remove(jobId);
  if (!removed) await redis.publish(CHANNEL, jobId);
}

/** Hears of every job called off. `connection` is used for nothing else from now on. */
export async function onCanceled(connection: Redis, hear: (jobId: string) => void): Promise<void> {
  connection.on('message', (_channel, jobId) => hear(jobId));
  await connection.subscribe(CHANNEL);
}
