import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import {
  type JobData,
  type JobName,
  type JobResult,
  type JobsOf,
  QUEUES,
  type QueueName,
  readData,
} from '../src/jobs/catalog.ts';
import { PREFIX } from '../src/jobs/redis.ts';
import { writeRefusal } from '../src/jobs/refusal.ts';
import type { Logger } from '../src/log.ts';
import { Problem } from '../src/problem.ts';
import { StoreFault } from '../src/store/blobs.ts';
import { queueTelemetry, traceRequestId, traceSteps } from '../src/tracing.ts';

/** Does one kind of job. `isLastTry`: nobody tries again where it throws. */
export type Processor<N extends JobName> = (
  data: JobData<N>,
  signal: AbortSignal,
  isLastTry: boolean,
  jobId: string,
) => Promise<JobResult<N>>;

export type Processors<Q extends QueueName> = { [N in JobsOf<Q>]: Processor<N> };

/** One job's end, for logs and metrics. */
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

/** For jobs that say so themselves: how long an accident delays them. */
const ACCIDENT_MILLIS = 5000;

/** A store that is away: how long a job is put off at first and at most; doubled each time. */
const STORE_AWAY = { firstMillis: 500, mostMillis: 10_000 } as const;
/** An hour at the longest delay: then the fault is no passing one, and counts like any other. */
const STORE_AWAY_STARTS = 360;

/** Whether a job waits for the store; where somebody waits for its answer it does not. */
const canWait = ({ data, attemptsStarted }: Job): boolean =>
  !('deadlineAtMillis' in data) && attemptsStarted < STORE_AWAY_STARTS;

const awayMillis = ({ attemptsStarted }: Job): number =>
  Math.min(STORE_AWAY.mostMillis, STORE_AWAY.firstMillis * 2 ** (attemptsStarted - 1));

/** Clocks that differ by less are the same. */
const SAME_TIME_MILLIS = 1000;

/** The reason a job's signal aborts with when nobody waits for it any more. */
const OVERDUE = 'the deadline passed';

export interface JobTaker {
  /** Calls off a job this worker has; others are not its business. */
  cancel(jobId: string): void;
  /** Takes no more jobs and waits for those it has. */
  close(): Promise<void>;
}

/**
 * Takes jobs of one queue and runs their processors.
 * @param concurrency jobs held at once; one more than the engine's slots keeps the engine fed while
 *   bytes are fetched and stored
 * @param givenUp hears of each job that failed and is not tried again
 * @param now epoch milliseconds, as Redis has it; this host's where nothing is said
 */
export function takeJobs<Q extends QueueName>(
  queueName: Q,
  processors: Processors<Q>,
  connection: Redis,
  concurrency: number,
  log: Logger,
  done: (fact: JobFact) => void,
  givenUp: (jobId: string) => void = () => {},
  now: () => number = Date.now,
): JobTaker {
  const { lockMillis, renewMillis, stalledCheckMillis, maxStalledCount } = QUEUES[queueName];
  const process = async (job: Job, token?: string, canceled?: AbortSignal): Promise<unknown> => {
    const name = job.name as JobsOf<Q>;
    const data = readData(name, job.data);
    const { requestId } = data;
    const startedAt = Date.now();
    traceRequestId(requestId);
    const fact = (outcome: JobFact['outcome'], steps: JobFact['steps'] = {}, reason?: string) =>
      done({
        jobId: job.id ?? '',
        name,
        requestId,
        outcome,
        millis: Date.now() - startedAt,
        waitMillis: job.attemptsStarted > 1 ? undefined : waitedMillis(job, startedAt),
        isTakenOver: job.stalledCounter > 0,
        steps,
        ...(reason && { reason }),
      });
    const leftMillis = 'deadlineAtMillis' in data ? data.deadlineAtMillis - now() : undefined;
    const signal = jobSignal(leftMillis, canceled);
    try {
      signal.throwIfAborted();
      const isLastTry = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      const result = await perform<JobsOf<Q>>(
        ...([processors, name, data, signal] as const),
        ...([isLastTry, job.id ?? ''] as const),
      );
      fact('succeeded', result.millis);
      traceSteps(result.millis, startedAt);
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof StoreFault && canWait(job) && !isApart()) {
        fact('postponed', {}, reason);
        await job.moveToDelayed(Date.now() + awayMillis(job), token);
        throw new DelayedError(); // no try is lost by it
      }
      if (error instanceof Problem && !(error instanceof StoreFault)) {
        fact('refused', {}, error.type);
        throw new UnrecoverableError(writeRefusal(error));
      }
      if (signal.aborted) {
        fact('canceled', {}, String(signal.reason));
        throw new UnrecoverableError('canceled');
      }
      fact(error instanceof TryLater ? 'postponed' : 'failed', {}, reason);
      // Delays are reckoned by the clock of whoever delays and of whoever takes: an hour between them would be one of delay.
      if (isApart()) delete job.opts.backoff;
      throw error;
    }
  };
  const isApart = () => Math.abs(Date.now() - now()) > SAME_TIME_MILLIS;
  const telemetry = queueTelemetry();
  const worker = new Worker(queueName, process, {
    connection,
    prefix: PREFIX,
    concurrency,
    lockDuration: lockMillis,
    lockRenewTime: renewMillis,
    stalledInterval: stalledCheckMillis,
    maxStalledCount,
    skipVersionCheck: true,
    settings: {
      backoffStrategy: (_attemptsMade, _type, error) =>
        error instanceof TryLater ? error.delayMillis : ACCIDENT_MILLIS,
    },
    ...(telemetry && { telemetry }),
  });
  worker.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  worker.on('failed', (job) => {
    // Asked of the queue: this worker may have lost the job to another, and only think that it failed.
    job?.isFailed().then(
      (isFailed) => isFailed && job.id && givenUp(job.id),
      (error) => log.warn({ jobId: job.id, reason: error.message }, 'end of a job not known'),
    );
  });
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job taken over from a lost worker'));
  return {
    cancel: (jobId) => void worker.cancelJob(jobId),
    close: () => worker.close(),
  };
}

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
