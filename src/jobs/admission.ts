import type { Logger } from '../log.ts';
import { unavailable } from '../problem.ts';
import type { JobRunner } from './results.ts';
import type { WorkerFacts, WorkerRegister } from './workers.ts';

const SAMPLE_MILLIS = 250;
const STALE_MILLIS = 3000;
/** Assumed of a worker that has not finished an image yet. */
const FIRST_SERVICE_MILLIS = 500;
/** Of the deadline: a request that would probably wait longer is refused at once. */
const WAIT_SHARE = 0.8;

/** How busy the workers are, as last sampled. */
export interface Load {
  workers: readonly WorkerFacts[];
  /** Jobs waiting or active. */
  depth: number;
  sampledAtMillis: number;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/**
 * How long a request that comes now would take to be answered, ms: all work before it and its own,
 * shared among all slots. Infinity where no worker lives.
 * @param depth jobs waiting or active
 */
export function predictedWaitMillis(workers: readonly WorkerFacts[], depth: number): number {
  const slots = sum(workers.map((worker) => worker.slots));
  if (slots === 0) return Number.POSITIVE_INFINITY;
  const serviceMillis =
    sum(workers.map(({ slots, serviceMillis = FIRST_SERVICE_MILLIS }) => slots * serviceMillis)) /
    slots;
  return (Math.max(0, depth + 1 - slots) / slots + 1) * serviceMillis;
}

/** Refuses work that would not be done in time, instead of letting it wait and fail. */
export function createAdmission(
  runner: JobRunner,
  register: WorkerRegister,
  deadlineMillis: number,
  log: Logger,
) {
  let load: Load = { workers: [], depth: 0, sampledAtMillis: 0 };

  async function sample(): Promise<void> {
    const [workers, depth] = await Promise.all([register.live(), runner.depth()]);
    load = { workers, depth, sampledAtMillis: Date.now() };
  }
  const timer = setInterval(() => {
    sample().catch((error) => log.warn({ reason: error.message }, 'load not sampled'));
  }, SAMPLE_MILLIS);
  timer.unref();

  // Jobs of this gateway added since the sample are seen in its own count.
  const waitMillis = () =>
    predictedWaitMillis(load.workers, Math.max(load.depth, runner.waiting()));

  return {
    sample,
    /** The latest sample. */
    load: (): Load => load,
    waitMillis,
    /** @throws Problem upstream-unavailable, with the seconds after which it should fit */
    check(): void {
      if (Date.now() - load.sampledAtMillis > STALE_MILLIS) {
        throw unavailable('The queue does not answer; try again', 2);
      }
      const wait = waitMillis();
      if (wait === Number.POSITIVE_INFINITY) {
        throw unavailable('No worker is ready; try again', 3);
      }
      const excess = wait - WAIT_SHARE * deadlineMillis;
      if (excess > 0) {
        throw unavailable('All workers are busy for longer than a request waits', excess / 1000);
      }
    },
    close: () => clearInterval(timer),
  };
}

export type Admission = ReturnType<typeof createAdmission>;
