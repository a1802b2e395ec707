/** Why a client gets no more: nothing is left, or what is left is for others. */
export type ShareRejection = 'full' | 'share';

/**
 * Divides an amount among clients. A client may hold as much as it leaves free, so one alone gets half
 * of it, and each of n clients an n+1-th. A client that holds nothing gets whatever is free.
 */
export function createFairShare(max: number) {
  const held = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,

    heldBy: (client: string): number => held.get(client) ?? 0,

    /** Returns why a client cannot take this much more, undefined if it can. */
    check(client: string, amount: number): ShareRejection | undefined {
      const free = max - total;
      const own = held.get(client) ?? 0;
      if (amount > free) return 'full';
      return own > 0 && own + amount > free - amount ? 'share' : undefined;
    },

    /** Returns how much more a client can take and leave its share to others, at least 1. */
    left: (client: string): number =>
      Math.max(1, Math.floor((max - total - (held.get(client) ?? 0)) / 2)),

    /** Adds to what a client holds; a negative amount returns it. */
    add(client: string, amount: number): void {
      total += amount;
      const own = (held.get(client) ?? 0) + amount;
      if (own > 0) held.set(client, own);
      else held.delete(client);
    },
  };
}
