/** How busy the workers are, as whoever comes now finds them. */
export interface Pressure {
  /** Until a request that comes now would be answered. */
  waitMillis: number;
  /** Of one image in a slot. */
  serviceMillis: number;
  /** Images worked on at once; at least 1. */
  slots: number;
}

/** For so long without a free slot it is a burst, which is let wait; from then on it is overload. */
const PATIENCE_MILLIS = 5000;
/** Images a slot has before it when the door opens again: enough that none is idle until somebody comes. */
const LOW_IMAGES = 3;
/**
 * How far the wait may rise from there: Retry-After counts whole seconds, so a door that opens stays open for one,
 * and for some images of each slot where work is slow.
 */
const SWING_MILLIS = 1000;
const SWING_IMAGES = 6;
/**
 * A door that has opened shuts again within this only where the wait has risen by two swings: chance alone does not shut
 * it before those are back who were told a whole second.
 */
const STEADY_MILLIS = 1500;
/** No return is put off for longer because of others who were told to return. */
const MOST_PROMISED_MILLIS = 30_000;

/** Under lasting pressure: the wait at which the door opens, and the one above which it shuts, ms. */
export function pressedWaits(
  { serviceMillis, slots }: Pick<Pressure, 'serviceMillis' | 'slots'>,
  mostMillis: number,
) {
  const low = Math.min(LOW_IMAGES * serviceMillis, mostMillis);
  const swing = Math.max(SWING_MILLIS, (SWING_IMAGES * serviceMillis) / slots);
  return { low, high: Math.min(low + swing, mostMillis) };
}

/**
 * Decides who comes in. Under overload it shuts when the wait is long and opens when it is short: while it is shut
 * nothing is added, so the time until it opens is known, and who is told to come back then finds it open.
 * Instants are milliseconds of any one clock.
 * @param mostMillis what a request may wait in a burst
 */
export function createLoadShedding(mostMillis: number) {
  let isOpen = true;
  let patienceMillis = PATIENCE_MILLIS;
  let seenAt = Number.NEGATIVE_INFINITY;
  let openedAt = Number.NEGATIVE_INFINITY;
  let promisedAt = Number.NEGATIVE_INFINITY;

  /** The wait above which an open door shuts. */
  function closesAbove(pressure: Pressure, now: number): number {
    if (patienceMillis > 0) return mostMillis;
    const { low, high } = pressedWaits(pressure, mostMillis);
    return now - openedAt < STEADY_MILLIS ? Math.min(2 * high - low, mostMillis) : high;
  }

  /** Notes how busy the workers are; often enough, or a pause between two bursts is not seen. */
  function see(pressure: Pressure, now: number): void {
    const { waitMillis, serviceMillis } = pressure;
    const hasFreeSlot = waitMillis <= serviceMillis;
    const spared = patienceMillis + (hasFreeSlot ? now - seenAt : seenAt - now);
    patienceMillis = Math.min(PATIENCE_MILLIS, Math.max(0, spared));
    seenAt = now;
    const opensBelow = pressedWaits(pressure, mostMillis).low;
    const wasOpen = isOpen;
    // How long an image takes is known by those that were let in: with a free slot there must always be a next one.
    isOpen = hasFreeSlot || waitMillis <= (wasOpen ? closesAbove(pressure, now) : opensBelow);
    if (isOpen && !wasOpen) openedAt = now;
  }

  return {
    see,
    /**
     * Asks to come in.
     * @returns nothing where the door is open, else after how long to come back, ms. Those sent away are told to
     *   return one after the other, as fast as work is done, but for as many as may come when the door opens.
     */
    knock(pressure: Pressure, now: number): number | undefined {
      see(pressure, now);
      if (isOpen) return undefined;
      const { low, high } = pressedWaits(pressure, mostMillis);
      const opensAt = now + pressure.waitMillis - low;
      const next = promisedAt + pressure.serviceMillis / pressure.slots;
      promisedAt = Math.min(Math.max(next, opensAt), now + MOST_PROMISED_MILLIS);
      return Math.max(opensAt, promisedAt - (high - low)) - now;
    },
    /** How long whoever was sent away last was put off, ms; 0 while the door is open. */
    shutMillis: (now: number): number => (isOpen ? 0 : Math.max(0, promisedAt - now)),
  };
}
