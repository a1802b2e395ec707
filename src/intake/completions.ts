import type { Redis } from 'ioredis';
import { ENDED_CHANNEL } from './job-records.ts';

export interface Completions {
  /** Resolves when the job ends or the signal aborts; ask the record which. */
  next(id: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Wakes whoever waits for a job. `connection` is used for nothing else from now on. */
export async function createCompletions(connection: Redis): Promise<Completions> {
  const waiting = new Map<string, () => void>();
  connection.on('message', (_channel, id) => waiting.get(id)?.());
  await connection.subscribe(ENDED_CHANNEL);
  return {
    async next(id, signal) {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        waiting.set(id, resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      waiting.delete(id);
    },
    close: () => connection.disconnect(),
  };
}
