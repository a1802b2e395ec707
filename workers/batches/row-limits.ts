/**
 * Rows of one client in the queue or at workers: as many as one worker fetches and lets wait at once (`FetchPool`). It
 * would send back more, which costs Redis and both processes as much as the row itself.
 */
const MIN_ROWS = 12;
const MIN_PER_SLOT = 3;
/** If rows are done as soon as they are queued, because nothing has changed: enough until the next tick. */
const MAX_ROWS = 32;
const MAX_PER_SLOT = 8;

/** Returns the smallest and the largest limit. @param slots images that all live workers process at once */
export const rowLimitBounds = (slots: number): { min: number; max: number } => ({
  min: Math.max(MIN_ROWS, MIN_PER_SLOT * slots),
  max: Math.max(MAX_ROWS, MAX_PER_SLOT * slots),
});

/** Limits how many rows of each client are queued or at workers. */
export function createRowLimits() {
  let limits = new Map<string, number>();

  /** Doubles a limit that was used up since the last tick, and halves one that was not. */
  function adapt(client: string, inFlight: number): number {
    const limit = limits.get(client);
    if (limit === undefined) return 0;
    if (inFlight < limit / 4) return limit * 2;
    return inFlight > limit / 2 ? limit / 2 : limit;
  }

  return {
    /** Returns the limits of this tick. Clients without rows in progress are forgotten. */
    next(inFlight: ReadonlyMap<string, number>, slots: number): ReadonlyMap<string, number> {
      const { min, max } = rowLimitBounds(slots);
      limits = new Map(
        [...inFlight].map(([client, rows]) => [
          client,
          Math.min(max, Math.max(min, adapt(client, rows))),
        ]),
      );
      return limits;
    },
  };
}

export type RowLimits = ReturnType<typeof createRowLimits>;
