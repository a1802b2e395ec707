interface Entry<T> {
  readonly key: string;
  readonly score: number;
  readonly tieBreaker: () => string;
  readonly item: T;
}

const precedes = (score: number, tieBreaker: () => string, other: Entry<unknown>): boolean =>
  score > other.score || (score === other.score && tieBreaker() < other.tieBreaker());

/** The best `size` items by score, at most one for each key. */
export class TopList<T> {
  readonly #size: number;
  readonly #entries: Entry<T>[] = [];
  readonly #byKey = new Map<string, Entry<T>>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Score that an item must beat: that of its key's entry, else of the last place; -Infinity if there is room. */
  threshold(key?: string): number {
    const entry = (key !== undefined && this.#byKey.get(key)) || this.#entries[this.#size - 1];
    return entry ? entry.score : Number.NEGATIVE_INFINITY;
  }

  /** Adds `create()` if its score, or its `tieBreaker`, beats the last place and the entry of its key. */
  add(key: string, score: number, tieBreaker: () => string, create: () => T): void {
    const entries = this.#entries;
    const last = entries[this.#size - 1];
    if (last && !precedes(score, tieBreaker, last)) return;
    const previous = this.#byKey.get(key);
    if (previous) {
      if (!precedes(score, tieBreaker, previous)) return;
      entries.splice(entries.indexOf(previous), 1);
    }
    const at = entries.findIndex((other) => precedes(score, tieBreaker, other));
    const entry = { key, score, tieBreaker, item: create() };
    entries.splice(at < 0 ? entries.length : at, 0, entry);
    this.#byKey.set(key, entry);
    const evicted = entries.length > this.#size ? entries.pop() : undefined;
    if (evicted) this.#byKey.delete(evicted.key);
  }

  /** Best first; equal scores in order of `tieBreaker`. */
  list(): T[] {
    return this.#entries.map(({ item }) => item);
  }
}
