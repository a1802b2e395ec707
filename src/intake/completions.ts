import { EventEmitter, once } from 'node:events';
import type { Redis } from 'ioredis';
import { JOB_ENDED_CHANNEL } from './job-records.ts';

/**
 * Subscribes to the ends of all jobs and resolves those that a request waits for. Unlike a job waiter
 * (src/queue), it neither adds jobs nor returns results.
 * @param connection used for nothing else from now on
 */
export async function createCompletions(connection: Redis) {
  const ends = new EventEmitter().setMaxListeners(0);
  connection.on('message', (_channel, id) => ends.emit(id));
  await connection.subscribe(JOB_ENDED_CHANNEL);
  return {
    /** Resolves when the job ends or the signal aborts; read the record to find out which. */
    async next(id: string, signal: AbortSignal): Promise<void> {
      await once(ends, id, { signal }).catch(() => {}); // aborted
    },
    close: () => connection.disconnect(),
  };
}

export type Completions = Awaited<ReturnType<typeof createCompletions>>;
