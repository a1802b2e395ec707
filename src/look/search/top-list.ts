/** The best so many things by score, one for each key. */
export interface TopList<T> {
  /** What the next one must beat to get in; -Infinity while there is room. */
  threshold(): number;
  /** What a score under this key must reach to change the list. */
  needs(key: string): number;
  /** Takes `make()` in when its score beats the threshold, and its key's present one. */
  offer(key: string, score: number, tie: string, make: () => T): void;
  /** Best first; equal scores by `tie`. */
  list(): { key: string; score: number; item: T }[];
}

interface Entry<T> {
  key: string;
  score: number;
  tie: string;
  item: T;
}

const precedes = (aScore: number, aTie: string, b: { score: number; tie: string }): boolean =>
  aScore > b.score || (aScore === b.score && aTie < b.tie);

export function createTopList<T>(size: number): TopList<T> {
  const entries: Entry<T>[] = [];
  const byKey = new Map<string, Entry<T>>();
  return {
    needs: (key) => byKey.get(key)?.score ?? entries[size - 1]?.score ?? Number.NEGATIVE_INFINITY,
    threshold: () => entries[size - 1]?.score ?? Number.NEGATIVE_INFINITY,
    offer(key, score, tie, make) {
      const last = entries[size - 1];
      if (last && !precedes(score, tie, last)) return;
      const known = byKey.get(key);
      if (known) {
        if (!precedes(score, tie, known)) return;
        entries.splice(entries.indexOf(known), 1);
      }
      let at = entries.length;
      while (at > 0 && precedes(score, tie, entries[at - 1]!)) at -= 1;
      const entry = { key, score, tie, item: make() };
      entries.splice(at, 0, entry);
      byKey.set(key, entry);
      const out = entries.length > size ? entries.pop() : undefined;
      if (out) byKey.delete(out.key);
    },
    list: () => entries.map(({ key, score, item }) => ({ key, score, item })),
  };
}
