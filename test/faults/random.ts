/** A seeded pseudorandom number generator (mulberry32). */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns an integer from 0 to below `count`. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
  /** Returns the list in random order. */
  shuffled<T>(list: readonly T[]): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    pick<T>(list: readonly T[]): T {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
    shuffled: (list) =>
      list
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}
