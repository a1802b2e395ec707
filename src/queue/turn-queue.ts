import type { TurnOwner } from './turns.ts';

/** A queue in the memory of one process, whose clients take turns. */
export interface TurnQueue<T> {
  add(owner: TurnOwner, item: T): void;
  delete(item: T): void;
  /** Returns the item whose turn it is; it stays in the queue. */
  first(): T | undefined;
  items(): T[];
}

/** The smallest step between two turns, of a client with weight 16. */
const MIN_STEP = 1 / 16;

/** Creates a queue with turns like those that `createTurns` gives the jobs in Redis. */
export function createTurnQueue<T>(): TurnQueue<T> {
  const tags = new Map<T, number>();
  const lastTags = new Map<string, number>();

  function first(): T | undefined {
    let found: T | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [item, tag] of tags) {
      if (tag >= lowest) continue;
      found = item;
      lowest = tag;
    }
    return found;
  }

  return {
    first,
    add({ client, weight }, item) {
      if (tags.size === 0) lastTags.clear();
      const next = first();
      const current = next === undefined ? 0 : (tags.get(next) ?? 0) - MIN_STEP;
      const tag = Math.max(current, lastTags.get(client) ?? 0) + 1 / weight;
      tags.set(item, tag);
      lastTags.set(client, tag);
    },
    delete: (item) => void tags.delete(item),
    items: () => [...tags.keys()],
  };
}
