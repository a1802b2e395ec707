/** How busy the workers are for a request that arrives now. */
export interface LoadEstimate {
  /** Until a request that arrives now would be answered. */
  waitMillis: number;
  /** Mean time of one image in a slot. */
  serviceMillis: number;
  /** Images processed at once; at least 1. */
  slots: number;
}

/** Up to so long without a free slot it is a burst, which may wait; from then on it is overload. */
const BURST_MILLIS = 5000;
/** Images waiting per slot when admission resumes: enough to keep every slot busy until requests come back. */
const LOW_IMAGES = 3;
/**
 * How far the wait may rise from there: Retry-After counts whole seconds, so admission that resumes lasts at least one,
 * and for some images of each slot if they are slow.
 */
const HYSTERESIS_MILLIS = 1000;
const HYSTERESIS_IMAGES = 6;
/**
 * So soon after it resumed, admission stops again only if the wait rises by twice the hysteresis: chance alone must not
 * stop it before the requests return whose Retry-After was one second.
 */
const STEADY_MILLIS = 1500;
/** Upper bound of Retry-After, however many requests have been rejected before. */
const MAX_RETRY_MILLIS = 30_000;

/** Returns the waits at which admission resumes (`low`) and above which it stops (`high`) under overload, ms. */
export function waitThresholds(
  { serviceMillis, slots }: Pick<LoadEstimate, 'serviceMillis' | 'slots'>,
  maxWaitMillis: number,
) {
  const low = Math.min(LOW_IMAGES * serviceMillis, maxWaitMillis);
  const hysteresis = Math.max(HYSTERESIS_MILLIS, (HYSTERESIS_IMAGES * serviceMillis) / slots);
  return { low, high: Math.min(low + hysteresis, maxWaitMillis) };
}

/**
 * Load shedding with hysteresis. Under overload, admission stops when the wait is long and resumes when it is short.
 * While it is stopped no work is added, so the time until it resumes is known, and a request that returns on time is
 * admitted. Instants are milliseconds of any one clock.
 * @param maxWaitMillis what a request may wait in a burst
 */
export function createLoadShedding(maxWaitMillis: number) {
  let isAdmitting = true;
  let burstMillisLeft = BURST_MILLIS;
  let observedAt = Number.NEGATIVE_INFINITY;
  let resumedAt = Number.NEGATIVE_INFINITY;
  let lastRetryAt = Number.NEGATIVE_INFINITY;

  /** The wait above which admission stops. */
  function shedThreshold(estimate: LoadEstimate, now: number): number {
    if (burstMillisLeft > 0) return maxWaitMillis;
    const { low, high } = waitThresholds(estimate, maxWaitMillis);
    return now - resumedAt < STEADY_MILLIS ? Math.min(2 * high - low, maxWaitMillis) : high;
  }

  /** Updates the state. Called often enough, or a pause between two bursts is missed. */
  function observe(estimate: LoadEstimate, now: number): void {
    const { waitMillis, serviceMillis } = estimate;
    const hasFreeSlot = waitMillis <= serviceMillis;
    const sinceLastMillis = now - observedAt;
    const left = burstMillisLeft + (hasFreeSlot ? sinceLastMillis : -sinceLastMillis);
    burstMillisLeft = Math.min(BURST_MILLIS, Math.max(0, left));
    observedAt = now;
    const resumeThreshold = waitThresholds(estimate, maxWaitMillis).low;
    const wasAdmitting = isAdmitting;
    const threshold = wasAdmitting ? shedThreshold(estimate, now) : resumeThreshold;
    // Service times are measured on admitted requests: while a slot is free, one must always be admitted.
    isAdmitting = hasFreeSlot || waitMillis <= threshold;
    if (isAdmitting && !wasAdmitting) resumedAt = now;
  }

  return {
    observe,
    /**
     * Decides about one request.
     * @returns nothing if it is admitted, else after how long to retry, ms. Retries of rejected requests are spread at
     *   the rate at which work is done; as many as fit at once may return when admission resumes.
     */
    admit(estimate: LoadEstimate, now: number): number | undefined {
      observe(estimate, now);
      if (isAdmitting) return undefined;
      const { low, high } = waitThresholds(estimate, maxWaitMillis);
      const resumesAt = now + estimate.waitMillis - low;
      const next = lastRetryAt + estimate.serviceMillis / estimate.slots;
      lastRetryAt = Math.min(Math.max(next, resumesAt), now + MAX_RETRY_MILLIS);
      return Math.max(resumesAt, lastRetryAt - (high - low)) - now;
    },
    /** Time until the last of the rejected requests may return, ms; 0 while requests are admitted. */
    retryMillis: (now: number): number => (isAdmitting ? 0 : Math.max(0, lastRetryAt - now)),
  };
}
