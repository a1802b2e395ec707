import type { Logger } from '../platform/log.ts';
import { unavailable } from '../platform/problem.ts';
import type { JobWaiter } from './job-waiter.ts';
import { createLoadShedding, type Pressure } from './load-shedding.ts';
import type { WorkerInfo, WorkerRegistry } from './worker-registry.ts';

const SAMPLE_MILLIS = 250;
const STALE_MILLIS = 3000;
/** Assumed of a worker that has not finished an image yet. */
const FIRST_SERVICE_MILLIS = 500;
/** Of the deadline: a request that would probably wait longer is refused at once. */
const WAIT_SHARE = 0.8;

/** How busy the workers are, as last sampled. */
export interface Load {
  workers: readonly WorkerInfo[];
  /** Jobs waiting or active. */
  depth: number;
  /** By a clock that does not jump. */
  sampledAtMillis: number;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/**
 * How busy the workers are for a request that comes now: it is answered when all work before it and its own is done,
 * shared among all slots. Nothing where no worker lives.
 * @param depth jobs waiting or active
 */
export function pressureOf(workers: readonly WorkerInfo[], depth: number): Pressure | undefined {
  const slots = sum(workers.map((worker) => worker.slots));
  if (slots === 0) return undefined;
  const serviceMillis =
    sum(workers.map(({ slots, serviceMillis = FIRST_SERVICE_MILLIS }) => slots * serviceMillis)) /
    slots;
  const waitMillis = (Math.max(0, depth + 1 - slots) / slots + 1) * serviceMillis;
  return { waitMillis, serviceMillis, slots };
}

/** Refuses work that would not be done in time, instead of letting it wait and fail. */
export function createAdmission(
  runner: Pick<JobWaiter, 'depth'>,
  register: Pick<WorkerRegistry, 'live'>,
  deadlineMillis: number,
  log: Logger,
) {
  const door = createLoadShedding(WAIT_SHARE * deadlineMillis);
  let load: Load = { workers: [], depth: 0, sampledAtMillis: Number.NEGATIVE_INFINITY };
  /** Requests this gateway let in that are not answered yet. */
  let underWay = 0;
  /** Jobs of other gateways when the load was sampled. */
  let ofOthers = 0;

  // What this gateway let in since the sample is seen in its own count.
  const pressure = () => pressureOf(load.workers, ofOthers + underWay);

  async function sample(): Promise<void> {
    const [workers, depth] = await Promise.all([register.live(), runner.depth()]);
    load = { workers, depth, sampledAtMillis: performance.now() };
    ofOthers = Math.max(0, depth - underWay);
    const current = pressure();
    if (current) door.see(current, performance.now());
  }
  const timer = setInterval(() => {
    sample().catch((error) => log.warn({ reason: error.message }, 'load not sampled'));
  }, SAMPLE_MILLIS);
  timer.unref();

  const isStale = () => performance.now() - load.sampledAtMillis > STALE_MILLIS;

  /** @throws Problem upstream-unavailable while the door is shut, with the seconds after which it will be open */
  function knock(current: Pressure): void {
    const backMillis = door.knock(current, performance.now());
    if (backMillis === undefined) return;
    throw unavailable('All workers are busy; come back when Retry-After says', backMillis / 1000);
  }

  return {
    sample,
    /** The latest sample. */
    load: (): Load => load,
    /** Until a request that comes now would be answered, were it to come back when it is told to. */
    waitMillis(): number {
      const wait = pressure()?.waitMillis ?? Number.POSITIVE_INFINITY;
      return Math.max(wait, door.shutMillis(performance.now()));
    },
    /**
     * Refuses while the workers are busy, before a body is read; what else may stand against a request, `enter` says.
     * @throws Problem upstream-unavailable
     */
    turnAway(): void {
      const current = isStale() ? undefined : pressure();
      if (current) knock(current);
    },
    /**
     * Lets one request in.
     * @returns to be called once, when it is answered
     * @throws Problem upstream-unavailable, with the seconds after which it should fit
     */
    enter(): () => void {
      if (isStale()) throw unavailable('The queue does not answer; try again', 2);
      const current = pressure();
      if (!current) throw unavailable('No worker is ready; try again', 3);
      knock(current);
      underWay++;
      return () => void underWay--;
    },
    close: () => clearInterval(timer),
  };
}

export type Admission = ReturnType<typeof createAdmission>;
