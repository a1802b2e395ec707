import { TurnQueue, type Waiter, waitForTurn } from '../../src/queue/share.ts';
import type { TurnOwner } from '../../src/queue/turns.ts';

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
