import type { Logger } from '../platform/log.ts';
import { unavailable } from '../platform/problem.ts';
import type { JobWaiter } from './job-waiter.ts';
import { createLoadShedding, type LoadEstimate } from './load-shedding.ts';
import type { WorkerInfo, WorkerRegistry } from './worker-registry.ts';

const SAMPLE_MILLIS = 250;
const STALE_MILLIS = 3000;
/** Assumed of a worker that has not finished an image yet. */
const DEFAULT_SERVICE_MILLIS = 500;
/** Share of the deadline: a request that would probably wait longer is rejected at once. */
const MAX_WAIT_SHARE = 0.8;

/** The load of the workers, as last sampled. */
interface Load {
  workers: readonly WorkerInfo[];
  /** Jobs waiting or active. */
  depth: number;
  /** By a monotonic clock. */
  sampledAtMillis: number;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/**
 * Estimates the load for a request that arrives now: it is answered when all work before it and its own is done, shared
 * among all slots. Returns nothing if no worker is live.
 * @param depth jobs waiting or active
 */
export function estimateLoad(
  workers: readonly WorkerInfo[],
  depth: number,
): LoadEstimate | undefined {
  const slots = sum(workers.map((worker) => worker.slots));
  if (slots === 0) return undefined;
  const serviceMillis =
    sum(workers.map(({ slots, serviceMillis = DEFAULT_SERVICE_MILLIS }) => slots * serviceMillis)) /
    slots;
  const waitMillis = (Math.max(0, depth + 1 - slots) / slots + 1) * serviceMillis;
  return { waitMillis, serviceMillis, slots };
}

/** Rejects work that would miss its deadline, instead of letting it wait and fail. */
export function createAdmission(
  jobs: Pick<JobWaiter, 'depth'>,
  registry: Pick<WorkerRegistry, 'live'>,
  deadlineMillis: number,
  log: Logger,
) {
  const shedding = createLoadShedding(MAX_WAIT_SHARE * deadlineMillis);
  let load: Load = { workers: [], depth: 0, sampledAtMillis: Number.NEGATIVE_INFINITY };
  /** Requests that this gateway has admitted and not answered yet. */
  let inFlight = 0;
  /** Jobs of other gateways when the load was sampled. */
  let foreignDepth = 0;

  // Requests admitted since the sample are in this gateway's own count.
  const estimate = () => estimateLoad(load.workers, foreignDepth + inFlight);

  async function sample(): Promise<void> {
    const [workers, depth] = await Promise.all([registry.live(), jobs.depth()]);
    load = { workers, depth, sampledAtMillis: performance.now() };
    foreignDepth = Math.max(0, depth - inFlight);
    const current = estimate();
    if (current) shedding.observe(current, performance.now());
  }
  const timer = setInterval(() => {
    sample().catch((error) => log.warn({ reason: error.message }, 'load not sampled'));
  }, SAMPLE_MILLIS);
  timer.unref();

  const isStale = () => performance.now() - load.sampledAtMillis > STALE_MILLIS;

  /** @throws Problem upstream-unavailable while load is shed, with the seconds after which to retry */
  function checkLoad(current: LoadEstimate): void {
    const retryMillis = shedding.admit(current, performance.now());
    if (retryMillis === undefined) return;
    throw unavailable(
      'All workers are busy; retry after the time in Retry-After',
      retryMillis / 1000,
    );
  }

  return {
    sample,
    /** Returns the latest sample. */
    load: (): Load => load,
    /** Returns the time until a request that arrives now would be answered, including its retry if it is rejected. */
    waitMillis(): number {
      const wait = estimate()?.waitMillis ?? Number.POSITIVE_INFINITY;
      return Math.max(wait, shedding.retryMillis(performance.now()));
    },
    /**
     * Rejects a request before its body is read, if the workers are busy. `admit` checks everything else.
     * @throws Problem upstream-unavailable
     */
    shedIfBusy(): void {
      const current = isStale() ? undefined : estimate();
      if (current) checkLoad(current);
    },
    /**
     * Admits one request.
     * @returns a function to call once, when the request is answered
     * @throws Problem upstream-unavailable, with the seconds after which to retry
     */
    admit(): () => void {
      if (isStale()) throw unavailable('The queue does not respond; try again', 2);
      const current = estimate();
      if (!current) throw unavailable('No worker is ready; try again', 3);
      checkLoad(current);
      inFlight++;
      return () => void inFlight--;
    },
    close: () => clearInterval(timer),
  };
}

export type Admission = ReturnType<typeof createAdmission>;
