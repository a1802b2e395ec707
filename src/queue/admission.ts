import type { Logger } from '../platform/log.ts';
import { unavailable } from '../platform/problem.ts';
import { createClientLoad, type ForeignLoad } from './client-load.ts';
import type { JobWaiter } from './job-waiter.ts';
import { createLoadShedding, type LoadEstimate } from './load-shedding.ts';
import type { TurnOwner } from './turns.ts';
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

/** Why a request is rejected at once. */
export type ShedReason = 'busy' | 'own-share' | 'no-worker' | 'no-queue';

interface AdmissionDeps {
  jobs: Pick<JobWaiter, 'depth' | 'delayed' | 'waitingClients'>;
  registry: Pick<WorkerRegistry, 'live'>;
  /** The deadline of a synchronous request. */
  deadlineMillis: number;
  log: Logger;
  /** Called for each rejected request. */
  onShed(reason: ShedReason): void;
}

const SHED_DETAILS = {
  busy: 'All workers are busy; retry after the time in Retry-After',
  'own-share':
    'Your requests in progress have your share of the workers; retry after the time in Retry-After',
} as const;

/** Rejects work that would miss its deadline, instead of letting it wait and fail. */
export function createAdmission(deps: AdmissionDeps) {
  const { jobs, registry, deadlineMillis, log, onShed } = deps;
  const maxWaitMillis = MAX_WAIT_SHARE * deadlineMillis;
  const shedding = createLoadShedding(maxWaitMillis);
  let load: Load = { workers: [], depth: 0, sampledAtMillis: Number.NEGATIVE_INFINITY };
  /** Requests that this gateway has admitted and not answered yet. */
  const clients = createClientLoad();
  /** Jobs of other gateways when the load was sampled. */
  let foreign: ForeignLoad = { jobs: 0, clients: 0 };

  // Requests admitted since the sample are in this gateway's own count.
  const depthNow = () =>
    foreign.jobs + clients.working(sum(load.workers.map(({ slots }) => slots)));
  const estimate = () => estimateLoad(load.workers, depthNow());

  async function sample(): Promise<void> {
    const [workers, depth, delayed, waitingClients] = await Promise.all([
      registry.live(),
      jobs.depth(),
      jobs.delayed(),
      jobs.waitingClients(),
    ]);
    load = { workers, depth, sampledAtMillis: performance.now() };
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

  /** Returns the time until a client's request would be answered, as clients take turns, ms. */
  function turnMillis(current: LoadEstimate, ahead: number): number {
    const running = Math.min(depthNow(), current.slots);
    const depth = Math.min(depthNow(), running + ahead);
    return estimateLoad(load.workers, depth)?.waitMillis ?? Number.POSITIVE_INFINITY;
  }

  function shed(reason: ShedReason, detail: string, retrySeconds: number): never {
    onShed(reason);
    throw unavailable(detail, retrySeconds);
  }

  /** @throws Problem upstream-unavailable while load is shed, with the seconds after which to retry */
  function checkLoad(current: LoadEstimate, owner: TurnOwner): void {
    const now = performance.now();
    const { ahead, ...claim } = clients.claimOf(owner, foreign, now);
    const ownTurnMillis = turnMillis(current, ahead);
    const rejection = shedding.admit(current, { ...claim, turnMillis: ownTurnMillis }, now);
    if (!rejection) return;
    const { reason, retryMillis } = rejection;
    clients.expectReturn(owner, now + retryMillis);
    shed(reason, SHED_DETAILS[reason], retryMillis / 1000);
  }

  /** One client's fetches do not count as load of all, so they are limited by what the client can get done. */
  function checkOwnLoad({ client }: TurnOwner): void {
    const own = estimateLoad(load.workers, clients.inFlight(client));
    const excessMillis = (own?.waitMillis ?? 0) - maxWaitMillis;
    if (excessMillis > 0) shed('own-share', SHED_DETAILS['own-share'], excessMillis / 1000);
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
    shedIfBusy(owner: TurnOwner): void {
      const current = isStale() ? undefined : estimate();
      if (current) checkLoad(current, owner);
    },
    /**
     * Admits one request.
     * @param request.hasLink whether its image is fetched, outside of the workers' slots
     * @returns a function to call once, when the request is answered
     * @throws Problem upstream-unavailable, with the seconds after which to retry
     */
    admit(owner: TurnOwner, request: { hasLink?: boolean } = {}): () => void {
      if (isStale()) return shed('no-queue', 'The queue does not respond; try again', 2);
      const current = estimate();
      if (!current) return shed('no-worker', 'No worker is ready; try again', 3);
      checkLoad(current, owner);
      checkOwnLoad(owner);
      return clients.enter(owner, request);
    },
    close: () => clearInterval(timer),
  };
}

export type Admission = ReturnType<typeof createAdmission>;
