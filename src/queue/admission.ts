import type { Logger } from '../platform/log.ts';
import type { SyncLoad } from '../platform/metrics/gateway.ts';
import { unavailable } from '../platform/problem.ts';
import { createClientLoad, type ForeignLoad } from './client-load.ts';
import type { JobWaiter } from './job-waiter.ts';
import { createLoadShedding, type LoadEstimate } from './load-shedding.ts';
import { type ServiceTime, serviceMillis } from './service-time.ts';
import type { TurnOwner } from './turns.ts';
import type { WorkerInfo, WorkerRegistry } from './worker-registry.ts';

const SAMPLE_MILLIS = 250;
const STALE_MILLIS = 3000;
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

interface Prediction {
  /** Until a worker begins with it; if it is rejected, until it may return. */
  queueMillis: number;
  serviceTime: ServiceTime;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

interface Capacity {
  slots: number;
  serviceTime: ServiceTime;
}

/** Returns nothing if no worker is live. */
export function capacityOf(workers: readonly WorkerInfo[]): Capacity | undefined {
  const slots = sum(workers.map((worker) => worker.slots));
  if (slots === 0) return undefined;
  const mean = (part: keyof ServiceTime) =>
    sum(workers.map((worker) => worker.slots * worker.serviceTime[part])) / slots;
  const serviceTime = {
    fixedMillis: mean('fixedMillis'),
    megapixelMillis: mean('megapixelMillis'),
    megapixels: mean('megapixels'),
  };
  return { slots, serviceTime };
}

/** Returns how long a request waits for a slot that has so many jobs before it, waiting or active, ms. */
const queueMillis = (
  { slots, serviceMillis }: Pick<LoadEstimate, 'slots' | 'serviceMillis'>,
  jobs: number,
): number => (Math.max(0, jobs + 1 - slots) / slots) * serviceMillis;

/**
 * Estimates the load for a request that arrives now: it is answered when all work before it and its own is done, shared
 * among all slots.
 * @param depth jobs waiting or active
 * @param megapixels mean size of their images, and of its own; by default that of a typical one
 */
export function estimateLoad(
  capacity: Capacity,
  depth: number,
  megapixels?: number,
): LoadEstimate & Capacity {
  const mean = { ...capacity, serviceMillis: serviceMillis(capacity.serviceTime, megapixels) };
  return { ...mean, waitMillis: queueMillis(mean, depth) + mean.serviceMillis };
}

/** Why a request is rejected at once. */
type ShedReason = 'busy' | 'own-share' | 'no-worker' | 'no-queue';

interface AdmissionOptions {
  /** The deadline of a synchronous request. */
  deadlineMillis: number;
  log: Logger;
  /** Called for each rejected request. */
  onShed(reason: ShedReason): void;
}

/** Sizes of images whose times are in the metrics. */
const SHOWN_MEGAPIXELS = [1, 12, 50];

const SHED_DETAILS = {
  busy: 'All workers are busy; retry after the time in Retry-After',
  'own-share':
    'Your requests in progress have your share of the workers; retry after the time in Retry-After',
} as const;

/** Rejects work that would miss its deadline, instead of letting it wait and fail. */
export function createAdmission(
  jobs: Pick<JobWaiter, 'depth' | 'delayed' | 'waitingClients'>,
  registry: Pick<WorkerRegistry, 'live'>,
  { deadlineMillis, log, onShed }: AdmissionOptions,
) {
  const maxWaitMillis = MAX_WAIT_SHARE * deadlineMillis;
  const shedding = createLoadShedding(maxWaitMillis);
  let load: Load = { workers: [], depth: 0, sampledAtMillis: Number.NEGATIVE_INFINITY };
  let capacity: Capacity | undefined;
  /** Requests that this gateway has admitted and not answered yet. */
  const clients = createClientLoad();
  /** Jobs of other gateways when the load was sampled. */
  let foreign: ForeignLoad = { jobs: 0, clients: 0 };

  // Requests admitted since the sample are in this gateway's own count.
  const depthNow = () => foreign.jobs + clients.working(capacity?.slots ?? 0);

  /** Of the images in progress by their mean size; those that are fetched, or of other gateways, are typical. */
  function estimate(): (LoadEstimate & Capacity) | undefined {
    if (!capacity) return undefined;
    const depth = depthNow();
    if (depth === 0) return estimateLoad(capacity, depth);
    const { count, megapixels } = clients.uploads();
    const others = (depth - count) * capacity.serviceTime.megapixels;
    return estimateLoad(capacity, depth, (megapixels + others) / depth);
  }

  async function sample(): Promise<void> {
    const [workers, depth, delayed, waitingClients] = await Promise.all([
      registry.live(),
      jobs.depth(),
      jobs.delayed(),
      jobs.waitingClients(),
    ]);
    load = { workers, depth, sampledAtMillis: performance.now() };
    capacity = capacityOf(workers);
    const others = Math.max(0, depth + delayed - clients.total());
    foreign = { jobs: Math.min(others, depth), clients: waitingClients };
    const current = estimate();
    if (current) shedding.observe(current, performance.now());
  }
  const timer = setInterval(() => {
    sample().catch((error) => log.warn({ reason: error.message }, 'load not sampled'));
  }, SAMPLE_MILLIS);
  timer.unref();

  const isStale = () => performance.now() - load.sampledAtMillis > STALE_MILLIS;

  function shed(reason: ShedReason, detail: string, retrySeconds: number): never {
    onShed(reason);
    throw unavailable(detail, retrySeconds);
  }

  /** Rejects a request that has to wait and would miss its deadline; one that finds a free slot may be wrongly predicted. */
  function checkDeadline(reason: keyof typeof SHED_DETAILS, queued: number, ownMillis: number) {
    const excessMillis = Math.min(queued, queued + ownMillis - maxWaitMillis);
    if (excessMillis > 0) shed(reason, SHED_DETAILS[reason], excessMillis / 1000);
  }

  /**
   * @param megapixels of the request's image, if they are known
   * @throws Problem upstream-unavailable while load is shed, with the seconds after which to retry
   */
  function checkLoad(
    current: LoadEstimate & Capacity,
    owner: TurnOwner,
    megapixels?: number,
  ): void {
    const now = performance.now();
    const { serviceTime, slots } = current;
    const ownMillis = serviceMillis(serviceTime, megapixels);
    // What a large image takes itself is no queue: under overload it would never be admitted.
    const turn = Math.min(ownMillis, current.serviceMillis);
    const { aheadMillis, ...claim } = clients.claimOf(owner, turn, foreign, serviceTime, now);
    // What runs in the slots comes first, whoever's it is.
    const untilTurn = (aheadMillis + current.serviceMillis) / slots;
    const queued = Math.min(queueMillis(current, depthNow()), untilTurn);
    const turnMillis = queued + turn;
    const rejection = shedding.admit(current, { ...claim, turnMillis }, now);
    if (rejection) {
      const { reason, retryMillis } = rejection;
      clients.expectReturn(owner, now + retryMillis);
      shed(reason, SHED_DETAILS[reason], retryMillis / 1000);
    }
    checkDeadline('busy', queued, ownMillis);
    // One client's fetches do not count as load of all, so they are limited by what the client can get done.
    const ownJobs = claim.inFlightMillis / current.serviceMillis;
    checkDeadline('own-share', queueMillis(current, ownJobs), ownMillis);
  }

  /** Returns what a typical image that arrives now has to expect; nothing if no worker is live. */
  function prediction(): Prediction | undefined {
    const current = estimate();
    if (!current) return undefined;
    const retryMillis = shedding.retryMillis(performance.now());
    const queued = Math.max(queueMillis(current, depthNow()), retryMillis);
    return { queueMillis: queued, serviceTime: current.serviceTime };
  }

  return {
    sample,
    prediction,
    /** Rejects if there is no live worker. Samples anew, so that a gateway reported ready also admits. */
    async checkWorkers(): Promise<void> {
      await sample();
      if (load.workers.length === 0) throw new Error('no live worker');
    },
    load(): SyncLoad {
      const { queueMillis = Number.POSITIVE_INFINITY, serviceTime } = prediction() ?? {};
      const { depth, workers } = load;
      return {
        queueMillis,
        waitMillis: queueMillis + (serviceTime ? serviceMillis(serviceTime) : 0),
        imageMillis: serviceTime
          ? SHOWN_MEGAPIXELS.map((size) => [size, serviceMillis(serviceTime, size)] as const)
          : [],
        depth,
        workMillis: capacity ? clients.workMillis(capacity.serviceTime) : 0,
        slots: sum(workers.map(({ slots }) => slots)),
        workers: workers.length,
      };
    },
    /**
     * Rejects a request before its body is read, if the workers are busy. `admit` checks everything else.
     * @throws Problem upstream-unavailable
     */
    shedIfBusy(owner: TurnOwner): void {
      const current = isStale() ? undefined : estimate();
      if (current) checkLoad(current, owner);
    },
    /**
     * Admits one request.
     * @param megapixels of its image; undefined if that is fetched, outside of the workers' slots
     * @returns a function to call once, when the request is answered
     * @throws Problem upstream-unavailable, with the seconds after which to retry
     */
    admit(owner: TurnOwner, megapixels: number | undefined): () => void {
      if (isStale()) return shed('no-queue', 'The queue does not respond; try again', 2);
      const current = estimate();
      if (!current) return shed('no-worker', 'No worker is ready; try again', 3);
      checkLoad(current, owner, megapixels);
      return clients.enter(owner, megapixels);
    },
    close: () => clearInterval(timer),
  };
}

export type Admission = ReturnType<typeof createAdmission>;
