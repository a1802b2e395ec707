/** Why a client gets no more: nothing is left, or what is left is for others. */
export type ShareRejection = 'full' | 'share';

/**
 * Divides an amount among clients. A client may hold as much as it leaves free, so one alone gets half
 * of it, and each of n clients an n+1-th. A client that holds nothing gets whatever is free.
 */
export class FairShare {
  readonly #max;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  readonly total = () => this.#total;

  heldBy(client: string): number {
    return this.#held.get(client) ?? 0;
  }

  /** Returns why a client cannot take this much more, undefined if it can. */
  check(client: string, amount: number): ShareRejection | undefined {
    const free = this.#max - this.#total;
    const own = this.#held.get(client) ?? 0;
    if (amount > free) return 'full';
    return own > 0 && own + amount > free - amount ? 'share' : undefined;
  }

  /** Returns how much more a client can take and leave its share to others, at least 1. */
  left(client: string): number {
    return Math.max(1, Math.floor((this.#max - this.#total - (this.#held.get(client) ?? 0)) / 2));
  }

  /** Adds to what a client holds; a negative amount returns it. */
  add(client: string, amount: number): void {
    this.#total += amount;
    const own = (this.#held.get(client) ?? 0) + amount;
    if (own > 0) this.#held.set(client, own);
    else this.#held.delete(client);
  }
}
