interface Lane {
  taken: number;
  /** Who waits, first come first. */
  waiting: Set<() => void>;
}

/**
 * Keeps a number of fetches at once per host; the others wait their turn in the order they came.
 * @param width fetches at once of one host
 */
export function createHostSlots(width: number) {
  const lanes = new Map<string, Lane>();

  function laneOf(host: string): Lane {
    const lane = lanes.get(host) ?? { taken: 0, waiting: new Set() };
    lanes.set(host, lane);
    return lane;
  }

  function leave(host: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next) {
      lane.waiting.delete(next);
      next(); // the place passes on, so `taken` stays
      return;
    }
    lane.taken -= 1;
    if (lane.taken === 0) lanes.delete(host);
  }

  function turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const called = () => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = () => {
        lane.waiting.delete(called);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', aborted, { once: true });
      lane.waiting.add(called);
    });
  }

  return {
    /**
     * Waits for a place.
     * @returns what gives the place back; calling it again does nothing
     * @throws the signal's reason when it aborts before there is a place
     */
    async enter(host: string, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted();
      const lane = laneOf(host);
      if (lane.taken < width) lane.taken += 1;
      else await turn(lane, signal);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        leave(host, lane);
      };
    },
  };
}
