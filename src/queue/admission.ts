import type { Logger } from '../platform/log.ts';
import type { SyncLoad } from '../platform/metrics/gateway.ts';
import { unavailable } from '../platform/problem.ts';
import { ClientLoad, type ForeignLoad, type LoadEstimate, LoadShedding } from './load-shedding.ts';
import type { JobWaiter } from './queue.ts';
import { type ServiceTime, serviceMillis, type TurnOwner } from './turns.ts';
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
export class Admission {
  readonly #jobs;
  readonly #registry;
  readonly #options;
  readonly #maxWaitMillis;
  readonly #shedding;
  #load: Load = { workers: [], depth: 0, sampledAtMillis: Number.NEGATIVE_INFINITY };
  #capacity: Capacity | undefined;
  /** Requests that this gateway has admitted and not answered yet. */
  readonly #clients = new ClientLoad();
  /** Jobs of other gateways when the load was sampled. */
  #foreign: ForeignLoad = { jobs: 0, clients: 0 };
  readonly #timer;

  constructor(
    jobs: Pick<JobWaiter, 'depth' | 'delayed' | 'waitingClients'>,
    registry: Pick<WorkerRegistry, 'live'>,
    options: AdmissionOptions,
  ) {
    this.#jobs = jobs;
    this.#registry = registry;
    this.#options = options;
    this.#maxWaitMillis = MAX_WAIT_SHARE * options.deadlineMillis;
    this.#shedding = new LoadShedding(this.#maxWaitMillis);
    this.#timer = setInterval(() => {
      this.sample().catch((error) =>
        options.log.warn({ reason: error.message }, 'load not sampled'),
      );
    }, SAMPLE_MILLIS);
    this.#timer.unref();
  }

  // Requests admitted since the sample are in this gateway's own count.
  #depthNow() {
    return this.#foreign.jobs + this.#clients.working(this.#capacity?.slots ?? 0);
  }

  /** Of the images in progress by their mean size; those that are fetched, or of other gateways, are typical. */
  #estimate(): (LoadEstimate & Capacity) | undefined {
    if (!this.#capacity) return undefined;
    const depth = this.#depthNow();
    if (depth === 0) return estimateLoad(this.#capacity, depth);
    const { uploads, megapixels } = this.#clients.counts;
    const others = (depth - uploads) * this.#capacity.serviceTime.megapixels;
    return estimateLoad(this.#capacity, depth, (megapixels + others) / depth);
  }

  async sample(): Promise<void> {
    const [workers, depth, delayed, waitingClients] = await Promise.all([
      this.#registry.live(),
      this.#jobs.depth(),
      this.#jobs.delayed(),
      this.#jobs.waitingClients(),
    ]);
    this.#load = { workers, depth, sampledAtMillis: performance.now() };
    this.#capacity = capacityOf(workers);
    const others = Math.max(0, depth + delayed - this.#clients.counts.total);
    this.#foreign = { jobs: Math.min(others, depth), clients: waitingClients };
    const current = this.#estimate();
    if (current) this.#shedding.observe(current, performance.now());
  }

  #isStale() {
    return performance.now() - this.#load.sampledAtMillis > STALE_MILLIS;
  }

  #shed(reason: ShedReason, detail: string, retrySeconds: number): never {
    this.#options.onShed(reason);
    throw unavailable(detail, retrySeconds);
  }

  /** Rejects a request that has to wait and would miss its deadline; one that finds a free slot may be wrongly predicted. */
  #checkDeadline(reason: keyof typeof SHED_DETAILS, queued: number, ownMillis: number) {
    const excessMillis = Math.min(queued, queued + ownMillis - this.#maxWaitMillis);
    if (excessMillis > 0) this.#shed(reason, SHED_DETAILS[reason], excessMillis / 1000);
  }

  /**
   * @param megapixels of the request's image, if they are known
   * @throws Problem upstream-unavailable while load is shed, with the seconds after which to retry
   */
  #checkLoad(current: LoadEstimate & Capacity, owner: TurnOwner, megapixels?: number): void {
    const now = performance.now();
    const { serviceTime, slots } = current;
    const ownMillis = serviceMillis(serviceTime, megapixels);
    // What a large image takes itself is no queue: under overload it would never be admitted.
    const turn = Math.min(ownMillis, current.serviceMillis);
    const { aheadMillis, ...claim } = this.#clients.claimOf(
      owner,
      turn,
      this.#foreign,
      serviceTime,
      now,
    );
    // What runs in the slots comes first, whoever's it is.
    const untilTurn = (aheadMillis + current.serviceMillis) / slots;
    const queued = Math.min(queueMillis(current, this.#depthNow()), untilTurn);
    const turnMillis = queued + turn;
    const rejection = this.#shedding.admit(current, { ...claim, turnMillis }, now);
    if (rejection) {
      const { reason, retryMillis } = rejection;
      this.#clients.expectReturn(owner, now + retryMillis);
      this.#shed(reason, SHED_DETAILS[reason], retryMillis / 1000);
    }
    this.#checkDeadline('busy', queued, ownMillis);
    // One client's fetches do not count as load of all, so they are limited by what the client can get done.
    const ownJobs = claim.inFlightMillis / current.serviceMillis;
    this.#checkDeadline('own-share', queueMillis(current, ownJobs), ownMillis);
  }

  /**
   * Returns what a typical image that arrives now has to expect: its time in a slot, and until a worker begins with it,
   * or until it may return if it is rejected. Nothing if no worker is live.
   */
  prediction() {
    const current = this.#estimate();
    if (!current) return undefined;
    const retryMillis = this.#shedding.retryMillis(performance.now());
    const queued = Math.max(queueMillis(current, this.#depthNow()), retryMillis);
    return { queueMillis: queued, serviceTime: current.serviceTime };
  }

  /** Rejects if there is no live worker. Samples anew, so that a gateway reported ready also admits. */
  readonly checkWorkers = async (): Promise<void> => {
    await this.sample();
    if (this.#load.workers.length === 0) throw new Error('no live worker');
  };

  readonly load = (): SyncLoad => {
    const { queueMillis = Number.POSITIVE_INFINITY, serviceTime } = this.prediction() ?? {};
    const { depth, workers } = this.#load;
    return {
      queueMillis,
      waitMillis: queueMillis + (serviceTime ? serviceMillis(serviceTime) : 0),
      imageMillis: serviceTime
        ? SHOWN_MEGAPIXELS.map((size) => [size, serviceMillis(serviceTime, size)] as const)
        : [],
      depth,
      workMillis: this.#capacity ? this.#clients.workMillis(this.#capacity.serviceTime) : 0,
      slots: sum(workers.map(({ slots }) => slots)),
      workers: workers.length,
    };
  };

  /**
   * Rejects a request before its body is read, if the workers are busy. `admit` checks everything else.
   * @throws Problem upstream-unavailable
   */
  shedIfBusy(owner: TurnOwner): void {
    const current = this.#isStale() ? undefined : this.#estimate();
    if (current) this.#checkLoad(current, owner);
  }

  /**
   * Admits one request.
   * @param megapixels of its image; undefined if that is fetched, outside of the workers' slots
   * @returns a function to call once, when the request is answered
   * @throws Problem upstream-unavailable, with the seconds after which to retry
   */
  admit(owner: TurnOwner, megapixels: number | undefined): () => void {
    if (this.#isStale()) return this.#shed('no-queue', 'The queue does not respond; try again', 2);
    const current = this.#estimate();
    if (!current) return this.#shed('no-worker', 'No worker is ready; try again', 3);
    this.#checkLoad(current, owner, megapixels);
    return this.#clients.enter(owner, megapixels);
  }

  close() {
    return clearInterval(this.#timer);
  }
}
