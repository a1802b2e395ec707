import type { TurnOwner } from './turns.ts';

/**
 * A queue in the memory of one process whose clients take turns like those of `createTurns`: by virtual time, which
 * runs at the speed of the work done for each of them.
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
