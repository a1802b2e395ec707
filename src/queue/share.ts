import type { TurnOwner } from './queue.ts';

/*
 * Whose turn it is for what one process has to share: slots of the engine, fetches, threads. For the jobs of all
 * processes, which wait in Redis, queue.ts decides by the same rule.
 */

/**
 * A queue in memory whose clients take turns by virtual time, which runs at the speed of the work done for each of
 * them, by weight.
 */
export class TurnQueue<T> {
  readonly #tags = new Map<T, { start: number; end: number }>();
  /** By client: the end of its last turn. */
  readonly #ends = new Map<string, number>();

  add({ client, weight, work = 1 }: TurnOwner, item: T): void {
    if (this.#tags.size === 0) this.#ends.clear();
    const next = this.first();
    const current = next === undefined ? 0 : (this.#tags.get(next)?.start ?? 0);
    const start = Math.max(current, this.#ends.get(client) ?? 0);
    const end = start + work / weight;
    this.#tags.set(item, { start, end });
    this.#ends.set(client, end);
  }

  delete(item: T): void {
    this.#tags.delete(item);
  }

  /** Returns the item whose turn it is, of those that may start now; it stays in the queue. */
  first(mayStart: (item: T) => boolean = () => true): T | undefined {
    let found: T | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [item, { end }] of this.#tags) {
      if (end >= lowest || !mayStart(item)) continue;
      found = item;
      lowest = end;
    }
    return found;
  }

  items(): T[] {
    return [...this.#tags.keys()];
  }
}

/** A request that waits for its turn. It leaves the queue when it is granted or rejected. */
export interface Waiter<P, R> {
  readonly request: R;
  grant(permit: P): void;
  reject(reason: unknown): void;
}

/**
 * Waits in a queue until somebody grants the request.
 * @param patience after which the waiting ends with an error
 * @throws the signal's reason
 */
export function waitForTurn<P, R>(
  queue: TurnQueue<Waiter<P, R>>,
  owner: TurnOwner,
  request: R,
  signal: AbortSignal | undefined,
  patience?: { millis: number; error: Error },
): Promise<P> {
  return new Promise((resolve, reject) => {
    const leaveTo =
      <T>(settle: (outcome: T) => void) =>
      (outcome: T): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        queue.delete(waiter);
        settle(outcome);
      };
    const waiter = { request, grant: leaveTo(resolve), reject: leaveTo(reject) };
    const onAbort = () => waiter.reject(signal?.reason);
    const timer =
      patience && Number.isFinite(patience.millis)
        ? setTimeout(() => waiter.reject(patience.error), patience.millis)
        : undefined;
    signal?.addEventListener('abort', onAbort, { once: true });
    queue.add(owner, waiter);
  });
}
