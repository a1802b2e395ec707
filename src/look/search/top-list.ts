/** The best `size` items by score, at most one for each key. */
export interface TopList<T> {
  /** Score of the last place, which a new item must beat; -Infinity while there is room. */
  threshold(): number;
  /** Score that an item with this key must beat: its own entry's, else that of the last place. */
  thresholdFor(key: string): number;
  /** Adds `create()` if its score, or its `tieBreaker`, beats the threshold and the entry of its key. */
  add(key: string, score: number, tieBreaker: () => string, create: () => T): void;
  /** Best first; equal scores in order of `tieBreaker`. */
  list(): T[];
}

interface Entry<T> {
  key: string;
  score: number;
  tieBreaker: () => string;
  item: T;
}

const precedes = (score: number, tieBreaker: () => string, other: Entry<unknown>): boolean =>
  score > other.score || (score === other.score && tieBreaker() < other.tieBreaker());

export function createTopList<T>(size: number): TopList<T> {
  const entries: Entry<T>[] = [];
  const byKey = new Map<string, Entry<T>>();
  const threshold = () => entries[size - 1]?.score ?? Number.NEGATIVE_INFINITY;
  return {
    threshold,
    thresholdFor: (key) => byKey.get(key)?.score ?? threshold(),
    add(key, score, tieBreaker, create) {
      const last = entries[size - 1];
      if (last && !precedes(score, tieBreaker, last)) return;
      const previous = byKey.get(key);
      if (previous) {
        if (!precedes(score, tieBreaker, previous)) return;
        entries.splice(entries.indexOf(previous), 1);
      }
      let at = entries.length;
      while (at > 0 && precedes(score, tieBreaker, entries[at - 1]!)) at -= 1;
      const entry = { key, score, tieBreaker, item: create() };
      entries.splice(at, 0, entry);
      byKey.set(key, entry);
      const evicted = entries.length > size ? entries.pop() : undefined;
      if (evicted) byKey.delete(evicted.key);
    },
    list: () => entries.map(({ item }) => item),
  };
}
