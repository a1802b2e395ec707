import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { Problem } from '../src/platform/problem.ts';
import { traceRequestId, traceSteps } from '../src/platform/tracing.ts';
import {
  type JobData,
  type JobName,
  type JobResult,
  type JobsOf,
  type QueueName,
  readData,
} from '../src/queue/catalog.ts';
import { serializeProblem } from '../src/queue/serialized-problem.ts';
import { isUnavailable } from './unavailable.ts';

/** Does one kind of job. `isLastTry`: nobody tries again where it throws. */
export type Processor<N extends JobName> = (
  data: JobData<N>,
  signal: AbortSignal,
  isLastTry: boolean,
  jobId: string,
) => Promise<JobResult<N>>;

export type Processors<Q extends QueueName> = { [N in JobsOf<Q>]: Processor<N> };

/** What came of one attempt, for logs and metrics. */
export interface JobFact {
  jobId: string;
  name: JobName;
  requestId: string;
  outcome: 'succeeded' | 'refused' | 'failed' | 'canceled' | 'postponed';
  millis: number;
  /** In the queue, of the first attempt; later ones wait on purpose too. */
  waitMillis: number | undefined;
  /** The worker that had it before was lost. */
  isTakenOver: boolean;
  /** Steps of a success. */
  steps: Readonly<Record<string, number>>;
  reason?: string;
}

/** No fault of ours: the job says itself when it is tried again. */
export class TryLater extends Error {
  readonly delayMillis: number;

  constructor(reason: string, delayMillis: number) {
    super(reason);
    this.name = 'TryLater';
    this.delayMillis = delayMillis;
  }
}

export interface AttemptDeps {
  done(fact: JobFact): void;
  /** Epoch milliseconds, as Redis has it. */
  now(): number;
}

/** What jobs stand on is away: how long one is put off at first and at most; doubled each time. */
const AWAY = { firstMillis: 500, mostMillis: 10_000 } as const;
/** An hour at the longest delay: then the fault is no passing one, and counts like any other. */
const AWAY_STARTS = 360;

/** Whether a job waits for the store or Redis; where somebody waits for its answer it does not. */
const canWait = ({ data, attemptsStarted }: Job): boolean =>
  !('deadlineAtMillis' in data) && attemptsStarted < AWAY_STARTS;

const awayMillis = ({ attemptsStarted }: Job): number =>
  Math.min(AWAY.mostMillis, AWAY.firstMillis * 2 ** (attemptsStarted - 1));

/** Clocks that differ by less are the same. */
const SAME_TIME_MILLIS = 1000;

/** The reason a job's signal aborts with when nobody waits for it any more. */
const OVERDUE = 'the deadline passed';

interface Attempt {
  job: Job;
  token: string | undefined;
  signal: AbortSignal;
  /** This host's clock, by which the queue reckons delays, is not Redis's. */
  isApart: boolean;
}

/** What is to become of a job whose attempt threw. */
interface Fate {
  outcome: JobFact['outcome'];
  reason: string;
  /** Tells the queue, by what it throws. */
  conclude(): Promise<never>;
}

const giveUp = (message: string) => () => Promise.reject(new UnrecoverableError(message));

function fateOf(error: unknown, { job, token, signal, isApart }: Attempt): Fate {
  const reason = error instanceof Error ? error.message : String(error);
  async function putOff(): Promise<never> {
    await job.moveToDelayed(Date.now() + awayMillis(job), token);
    throw new DelayedError(); // no try is lost by it
  }
  async function again(): Promise<never> {
    // An hour between the clocks of who delays and who takes would be one of delay.
    if (isApart) delete job.opts.backoff;
    throw error;
  }
  if (isUnavailable(error) && canWait(job) && !isApart)
    return { outcome: 'postponed', reason, conclude: putOff };
  if (error instanceof Problem && !isUnavailable(error))
    return { outcome: 'refused', reason: error.type, conclude: giveUp(serializeProblem(error)) };
  if (signal.aborted)
    return { outcome: 'canceled', reason: String(signal.reason), conclude: giveUp('canceled') };
  return { outcome: error instanceof TryLater ? 'postponed' : 'failed', reason, conclude: again };
}

/** Runs jobs, one attempt each, and tells what came of it. */
export const attempt =
  <Q extends QueueName>(processors: Processors<Q>, { done, now }: AttemptDeps) =>
  async (job: Job, token?: string, canceled?: AbortSignal): Promise<unknown> => {
    const name = job.name as JobsOf<Q>;
    const data = readData(name, job.data);
    const startedAt = Date.now();
    traceRequestId(data.requestId);
    const tell = (outcome: JobFact['outcome'], told: Partial<JobFact>) =>
      done({ ...factOf(job, name, startedAt), requestId: data.requestId, outcome, ...told });
    const leftMillis = 'deadlineAtMillis' in data ? data.deadlineAtMillis - now() : undefined;
    const signal = jobSignal(leftMillis, canceled);
    try {
      signal.throwIfAborted();
      const isLastTry = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      const result = await perform<JobsOf<Q>>(
        ...([processors, name, data, signal] as const),
        ...([isLastTry, job.id ?? ''] as const),
      );
      tell('succeeded', { steps: result.millis });
      traceSteps(result.millis, startedAt);
      return result;
    } catch (error) {
      const isApart = Math.abs(Date.now() - now()) > SAME_TIME_MILLIS;
      const { outcome, reason, conclude } = fateOf(error, { job, token, signal, isApart });
      tell(outcome, { reason });
      return conclude();
    }
  };

const factOf = (job: Job, name: JobName, startedAt: number) => ({
  ...{ jobId: job.id ?? '', name, steps: {} },
  millis: Date.now() - startedAt,
  waitMillis: job.attemptsStarted > 1 ? undefined : waitedMillis(job, startedAt),
  isTakenOver: job.stalledCounter > 0,
});

/** A job made for a later time has not waited until then. */
const waitedMillis = ({ processedOn, timestamp, opts }: Job, startedAt: number): number =>
  Math.max(0, (processedOn ?? startedAt) - timestamp - (opts.delay ?? 0));

/** Data, processor and result of one name belong together, which the compiler sees only by name. */
const perform = <N extends JobName>(
  processors: { [M in N]: Processor<M> },
  name: N,
  data: JobData<N>,
  signal: AbortSignal,
  isLastTry: boolean,
  jobId: string,
): Promise<JobResult<N>> => processors[name](data, signal, isLastTry, jobId);

/** Aborts when the job is called off, or when nobody waits for it any more. */
function jobSignal(
  leftMillis: number | undefined,
  canceled: AbortSignal = new AbortController().signal,
): AbortSignal {
  if (leftMillis === undefined) return canceled;
  const overdue =
    leftMillis > 0 ? AbortSignal.timeout(leftMillis) : AbortSignal.abort(new Error(OVERDUE));
  return AbortSignal.any([canceled, overdue]);
}
