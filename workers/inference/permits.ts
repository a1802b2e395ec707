/** `now`: someone waits at the other end of a connection. */
export type Priority = 'now' | 'later';

export interface Turn {
  signal?: AbortSignal | undefined;
  /** `later` unless said. */
  priority?: Priority | undefined;
}

interface Waiter<P> {
  enter(place: P): void;
  leave(reason: unknown): void;
}

/**
 * Gives places to those who ask. Who waits `now` is served before who waits for `later`, each kind in
 * the order they came, and may give up.
 */
export function createTurns<P>() {
  let free: P[] = [];
  let closed: Error | undefined;
  const lines: Readonly<Record<Priority, Set<Waiter<P>>>> = { now: new Set(), later: new Set() };

  function wait(line: Set<Waiter<P>>, signal: AbortSignal | undefined): Promise<P> {
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.leave(signal?.reason);
      const quit = () => {
        signal?.removeEventListener('abort', giveUp);
        line.delete(waiter);
      };
      const waiter: Waiter<P> = {
        enter(place) {
          quit();
          resolve(place);
        },
        leave(reason) {
          quit();
          reject(reason);
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      line.add(waiter);
    });
  }

  return {
    /** Resolves when it is this one's turn. Rejects with the signal's reason, and takes no place. */
    async take({ signal, priority = 'later' }: Turn = {}): Promise<P> {
      signal?.throwIfAborted();
      if (closed) throw closed;
      // The place given last: what it needs is still at hand.
      return free.pop() ?? wait(lines[priority], signal);
    },
    /** Adds a place, or gives one back. */
    give(place: P): void {
      const [next] = lines.now.size > 0 ? lines.now : lines.later;
      if (next) next.enter(place);
      else free.push(place);
    },
    /** Takes a place away that nobody holds. */
    withdraw(place: P): void {
      free = free.filter((other) => other !== place);
    },
    /** Turns away all who wait, and all who come. */
    close(reason: Error): void {
      closed = reason;
      for (const line of [lines.now, lines.later])
        for (const waiter of [...line]) waiter.leave(reason);
    },
  };
}
