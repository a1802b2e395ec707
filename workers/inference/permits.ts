import { totalmem } from 'node:os';
import type { Size } from '../../src/imaging/layout.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type TurnOwner, TurnQueue, type Waiter, waitForTurn } from '../../src/queue/turns.ts';
import type { TaskRequest } from './child-protocol.ts';

/** `now`: a client waits on an open connection. */
type Priority = 'now' | 'later';

export interface PermitRequest {
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
  /** `later` by default. */
  priority?: Priority | undefined;
  /** Whose turn the request takes. */
  owner?: TurnOwner | undefined;
}

/** While both wait, so many requests with `now` are served before one with `later`: a flood must not stop those. */
const NOW_PER_LATER = 7;

/** Shares its turns with all requests that name none. */
export const NOBODY: TurnOwner = { client: '', weight: 1 };

/**
 * A semaphore with priorities, whose permits are things to use. Of eight requests, seven with priority `now` are
 * served before one with `later`; within a priority clients take turns, and a client's own requests are served in order.
 */
export class Permits<P> {
  #free: P[] = [];
  #closed: Error | undefined;
  /** Requests with `now` served since the last one with `later`, while one waited. */
  #nowInARow = 0;
  readonly #queues: Readonly<Record<Priority, TurnQueue<Waiter<P, undefined>>>> = {
    now: new TurnQueue(),
    later: new TurnQueue(),
  };

  #next(): Waiter<P, undefined> | undefined {
    const now = this.#queues.now.first();
    const later = this.#queues.later.first();
    if (!now || !later) return now ?? later;
    this.#nowInARow = this.#nowInARow < NOW_PER_LATER ? this.#nowInARow + 1 : 0;
    return this.#nowInARow > 0 ? now : later;
  }

  /** Resolves with a permit. Rejects with the signal's reason and then takes none. */
  async acquire({ signal, priority = 'later', owner = NOBODY }: PermitRequest = {}): Promise<P> {
    signal?.throwIfAborted();
    if (this.#closed) throw this.#closed;
    // The permit released last: its process still has warm caches.
    return this.#free.pop() ?? waitForTurn(this.#queues[priority], owner, undefined, signal);
  }

  /** Adds a permit, or gives one back. */
  release(permit: P): void {
    const waiter = this.#next();
    if (waiter) waiter.grant(permit);
    else this.#free.push(permit);
  }

  /** Removes all equal permits that nobody holds. */
  readonly remove = (permit: P): void => {
    this.#free = this.#free.filter((other) => other !== permit);
  };

  /** Rejects all waiting and all future requests. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const queue of [this.#queues.now, this.#queues.later])
      for (const waiter of queue.items()) waiter.reject(reason);
  }
}

/** Peak memory of a task by its pixels, measured; docs/adr/0086-fairness-in-work.md. */
const BYTES_PER_PIXEL = { refinement: 12, others: 8 } as const;
/** Of the machine or the container: the rest is for other processes and the kernel. */
const SHARE = 0.9;
/** What a worker, and each child, holds without a task. */
const IDLE_BYTES = { worker: 300 * 2 ** 20, child: 200 * 2 ** 20 } as const;
const MIN_BYTES = 256 * 2 ** 20;

/** Returns the memory that the tasks of so many children may take together. */
export function memoryForTasks(children: number): number {
  // 0 or absurdly large without a limit
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const all = SHARE * Math.min(limit, totalmem());
  return Math.max(MIN_BYTES, all - IDLE_BYTES.worker - children * IDLE_BYTES.child);
}

/** Predicts the memory that a task takes, bytes. */
export const taskBytes = ({ task }: TaskRequest, { width, height }: Size): number =>
  width * height * BYTES_PER_PIXEL[task === 'refinement' ? task : 'others'];

const toMiB = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** The memory of all tasks of one worker. One for which there is no room waits, and the later ones behind it. */
export class TaskMemory {
  readonly #maxBytes: number;
  #free: number;
  readonly #waiting: { bytes: number; grant(): void }[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#free = maxBytes;
  }

  /** Takes memory as soon as there is enough; give it back once. @throws Problem payload-too-large if there never is */
  async take(bytes: number): Promise<void> {
    if (bytes > this.#maxBytes) {
      const detail = `This picture needs about ${toMiB(bytes)} MiB of memory, and this worker has ${toMiB(this.#maxBytes)}; send a smaller one`;
      throw new Problem('payload-too-large', detail);
    }
    if (this.#waiting.length > 0 || bytes > this.#free) {
      await new Promise<void>((grant) => this.#waiting.push({ bytes, grant }));
    } else this.#free -= bytes;
  }

  give(bytes: number): void {
    this.#free += bytes;
    for (let next = this.#waiting[0]; next && next.bytes <= this.#free; next = this.#waiting[0]) {
      this.#free -= next.bytes;
      this.#waiting.shift();
      next.grant();
    }
  }
}
