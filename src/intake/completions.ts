import { EventEmitter, once } from 'node:events';
import type { Redis } from 'ioredis';
import { JOB_ENDED_CHANNEL } from './job-records.ts';

/** The ends of all jobs. Unlike a job waiter (src/queue), it neither adds jobs nor returns results. */
export class Completions {
  readonly #connection: Redis;
  readonly #ends = new EventEmitter().setMaxListeners(0);

  private constructor(connection: Redis) {
    this.#connection = connection;
    connection.on('message', (_channel, id) => this.#ends.emit(id));
  }

  /** Subscribes. @param connection used for nothing else from now on */
  static async subscribe(connection: Redis): Promise<Completions> {
    const completions = new Completions(connection);
    await connection.subscribe(JOB_ENDED_CHANNEL);
    return completions;
  }

  /** Resolves when the job ends or the signal aborts; read the record to find out which. */
  async next(id: string, signal: AbortSignal): Promise<void> {
    await once(this.#ends, id, { signal }).catch(() => {}); // aborted
  }

  close = (): void => this.#connection.disconnect();
}
