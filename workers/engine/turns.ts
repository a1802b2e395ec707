/** Lets at most `slots` holders in at once, in the order they came; the rest wait and may give up. */
export function createTurns(slots: number) {
  let free = slots;
  const line: (() => void)[] = [];

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        line.splice(line.indexOf(enter), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      line.push(enter);
    });
  }

  return {
    /** Resolves when it is this holder's turn. Rejects with the signal's reason, and takes no turn. */
    async take(signal?: AbortSignal): Promise<void> {
      signal?.throwIfAborted();
      if (free > 0) free--;
      else await wait(signal);
    },
    /** Ends a turn. */
    give(): void {
      const next = line.shift();
      if (next) next();
      else free++;
    },
  };
}
