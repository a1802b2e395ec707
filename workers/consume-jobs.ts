import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Clock, hostClock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/log.ts';
import type { JobObservation, WorkerMetrics } from '../src/platform/metrics/worker.ts';
import { Problem, serializeProblem } from '../src/platform/problem.ts';
import { isRedisError, PREFIX } from '../src/platform/redis.ts';
import { tracing } from '../src/platform/tracing.ts';
import { checkLoop, lendSlot } from '../src/queue/bullmq-internals.ts';
import {
  type JobData,
  type JobName,
  type JobResult,
  type JobsOf,
  QUEUES,
  type QueueName,
  readData,
} from '../src/queue/catalog.ts';
import { CANCELED, Turns } from '../src/queue/queue.ts';
import { StorageError } from '../src/storage/blobs.ts';
import { PoolBusy } from './fetch/fetch-pool.ts';
import { EngineCrash } from './inference/inference-process.ts';

/**
 * Whether Redis, storage or memory was unavailable. A job in the background waits until it is there again, at no
 * attempt.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageError ||
  isRedisError(error) ||
  (error instanceof EngineCrash && error.mayLackMemory);

/** Runs the rest of a job outside its consumer's slots, so that the consumer takes another job meanwhile. */
type WithoutSlot = <T>(work: () => Promise<T>) => Promise<T>;

/** One attempt at a job, as its processor sees it. */
export interface AttemptContext {
  jobId: string;
  /** From 1. Postponed and interrupted attempts do not count. */
  number: number;
  /** Whether there is no further attempt if this one fails. */
  isLast: boolean;
  withoutSlot: WithoutSlot;
}

export type Processor<N extends JobName> = (
  data: JobData<N>,
  signal: AbortSignal,
  attempt: AttemptContext,
) => Promise<JobResult<N>>;

export type Processors<Q extends QueueName> = { [N in JobsOf<Q>]: Processor<N> };

export interface JobReport extends JobObservation {
  jobId: string;
  name: JobName;
  requestId: string;
  outcome: 'succeeded' | 'refused' | 'failed' | 'canceled' | 'postponed';
}

/** Of the outcomes of jobs; `info` for all others. Postponed jobs come back, maybe often. */
const LOG_LEVELS: Partial<Record<JobReport['outcome'], 'error' | 'debug'>> = {
  failed: 'error',
  postponed: 'debug',
};

/** Returns what adds reports to metrics and log. */
export const reportTo =
  (metrics: Pick<WorkerMetrics, 'job'>, log: Logger) =>
  (job: JobReport): void => {
    metrics.job(job);
    log[LOG_LEVELS[job.outcome] ?? 'info'](job, 'job');
  };

/** Thrown by a job that sets the delay of its next attempt itself. */
export class RetryLater extends Error {
  readonly delayMillis: number;

  constructor(reason: string, delayMillis: number) {
    super(reason);
    this.name = 'RetryLater';
    this.delayMillis = delayMillis;
  }
}

interface AttemptDeps extends Pick<ConsumerDeps, 'report' | 'now'> {
  withoutSlot: WithoutSlot;
  turns: Pick<Turns, 'nextForRetry'>;
  traces: ReturnType<typeof tracing>;
}

/** Delays of a job while Redis, storage or memory is unavailable; doubled each time. */
const OUTAGE_DELAY = { firstMillis: 500, maxMillis: 10_000 } as const;
/** An hour at the longest delay. From then on the error is not transient and counts like any other. */
const MAX_OUTAGE_STARTS = 360;

/** How often a job was postponed because its client had its share of fetches in use. */
const busyStarts = ({ data }: Job): number => data.busyStarts ?? 0;

/** How often a job has started for other reasons. */
const otherStarts = (job: Job): number => job.attemptsStarted - busyStarts(job);

/** Whether a job can wait for Redis, storage or memory; not if a client waits for it. */
const canPostpone = (job: Job): boolean =>
  !('deadlineAtMillis' in job.data) && otherStarts(job) < MAX_OUTAGE_STARTS;

/** Delays of a job whose client has its share of fetches in use; doubled each time. */
const BUSY_DELAY = { firstMillis: 500, maxMillis: 60_000 } as const;
/** A client waits for the job. */
const BUSY_SYNC_DELAY = { firstMillis: 250, maxMillis: 1000 } as const;

/** @param starts from 1 */
const delayMillis = (delay: { firstMillis: number; maxMillis: number }, starts: number): number =>
  Math.min(delay.maxMillis, delay.firstMillis * 2 ** (starts - 1));

/** With jitter: jobs postponed together come back one by one. */
const busyDelayMillis = (job: Job): number =>
  delayMillis('deadlineAtMillis' in job.data ? BUSY_SYNC_DELAY : BUSY_DELAY, busyStarts(job)) *
  (0.5 + Math.random() / 2);

/** Clocks that differ by less count as equal. */
const CLOCK_TOLERANCE_MILLIS = 1000;

/** The abort reason of a synchronous job after its deadline. */
const DEADLINE_PASSED = 'the deadline passed';

interface Attempt {
  job: Job;
  token: string | undefined;
  signal: AbortSignal;
  /** Puts the next attempt behind the other jobs of its client. */
  takeNewTurn(): Promise<void>;
  /** Redis's time. */
  nowMillis: number;
}

/** How a failed attempt is reported and what the queue does next. */
interface Failure {
  outcome: JobReport['outcome'];
  reason: string;
  /** Tells BullMQ by the error it throws. */
  settle(): Promise<never>;
}

const failForGood = (message: string) => () => Promise.reject(new UnrecoverableError(message));

function classifyError(error: unknown, attempt: Attempt): Failure {
  const { job, token, signal, nowMillis, takeNewTurn } = attempt;
  // BullMQ uses this host's clock for delays.
  const isClockSkewed = Math.abs(hostClock() - nowMillis) > CLOCK_TOLERANCE_MILLIS;
  const reason = error instanceof Error ? error.message : String(error);
  async function postpone(untilMillis: number): Promise<never> {
    await takeNewTurn();
    // Where that is rejected too, the job's lock expires, and a worker takes it over.
    await job.moveToDelayed(Math.round(untilMillis), token).catch(() => {});
    throw new DelayedError(); // does not count as an attempt
  }
  async function postponeBusy(): Promise<never> {
    await job.updateData({ ...job.data, busyStarts: busyStarts(job) + 1 });
    // By the later clock: this worker, or the next, may take the job late, but never at once again.
    return postpone(Math.max(hostClock(), nowMillis) + busyDelayMillis(job));
  }
  // By this host's clock, as BullMQ does: another host may take it too soon, and then waits by its own.
  const postponeOutage = () => postpone(hostClock() + delayMillis(OUTAGE_DELAY, otherStarts(job)));
  async function retry(): Promise<never> {
    // The delay would be wrong by the difference between this clock and that of the next worker.
    if (isClockSkewed) delete job.opts.backoff;
    await takeNewTurn();
    throw error;
  }
  if (error instanceof PoolBusy) return { outcome: 'postponed', reason, settle: postponeBusy };
  if (isUnavailable(error) && canPostpone(job))
    return { outcome: 'postponed', reason, settle: postponeOutage };
  if (error instanceof Problem && !isUnavailable(error))
    return { outcome: 'refused', reason: error.type, settle: failForGood(serializeProblem(error)) };
  if (signal.aborted)
    return { outcome: 'canceled', reason: String(signal.reason), settle: failForGood(CANCELED) };
  return { outcome: error instanceof RetryLater ? 'postponed' : 'failed', reason, settle: retry };
}

/** Creates a BullMQ processor that runs one attempt at a job and reports it. */
const attempt =
  <Q extends QueueName>(
    processors: Processors<Q>,
    { report, withoutSlot, now, turns, traces }: AttemptDeps,
  ) =>
  async (job: Job, token?: string, canceled?: AbortSignal): Promise<unknown> => {
    const name = job.name as JobsOf<Q>;
    const data = readData(name, job.data);
    const started = { atMillis: hostClock(), at: performance.now() };
    traces?.requestId(data.requestId);
    const finish = (outcome: JobReport['outcome'], details: Partial<JobReport>) =>
      report({
        jobId: job.id ?? '',
        name,
        requestId: data.requestId,
        outcome,
        millis: Math.round(performance.now() - started.at),
        waitMillis: job.attemptsStarted > 1 ? undefined : waitMillis(job, started.atMillis),
        isTakenOver: job.stalledCounter > 0,
        steps: {},
        ...details,
      });
    const leftMillis = 'deadlineAtMillis' in data ? data.deadlineAtMillis - now() : undefined;
    const signal = jobSignal(leftMillis, canceled);
    try {
      signal.throwIfAborted();
      const number = job.attemptsMade + 1;
      const isLast = number >= (job.opts.attempts ?? 1);
      const processor = processorOf<JobsOf<Q>>(processors, name);
      const context = { jobId: job.id ?? '', number, isLast, withoutSlot };
      const result = await processor(data, signal, context);
      finish('succeeded', { steps: result.millis });
      traces?.steps(result.millis, started.atMillis);
      return result;
    } catch (error) {
      const takeNewTurn = () => renewTurn(job, data, turns);
      const details = { job, token, signal, takeNewTurn, nowMillis: now() };
      const failure = classifyError(error, details);
      finish(failure.outcome, { reason: failure.reason });
      return failure.settle();
    }
  };

/**
 * Gives a job that is to be retried a new turn: with its first one, which has passed, the retries of a client would
 * come before the jobs of all others. A job that a client waits for keeps its turn.
 */
async function renewTurn(
  job: Job,
  data: JobData<JobName>,
  turns: AttemptDeps['turns'],
): Promise<void> {
  if (!('client' in data) || 'deadlineAtMillis' in data) return;
  // Without Redis it keeps the turn: what follows is the error that counts.
  const priority = await turns.nextForRetry(data).catch(() => undefined);
  if (priority !== undefined) await job.changePriority({ priority }).catch(() => {});
}

/** Time in the queue by BullMQ's timestamps, which are the host's; an intended delay does not count. */
const waitMillis = ({ processedOn, timestamp, opts }: Job, startedAtMillis: number): number =>
  Math.max(0, (processedOn ?? startedAtMillis) - timestamp - (opts.delay ?? 0));

/** The data, the processor and the result of one name belong together; the compiler sees that only by name. */
const processorOf = <N extends JobName>(
  processors: { [M in N]: Processor<M> },
  name: N,
): Processor<N> => processors[name];

/** Aborts when the job is canceled, or at its deadline. */
function jobSignal(
  leftMillis: number | undefined,
  canceled: AbortSignal = new AbortController().signal,
): AbortSignal {
  if (leftMillis === undefined) return canceled;
  const deadline =
    leftMillis > 0
      ? AbortSignal.timeout(leftMillis)
      : AbortSignal.abort(new Error(DEADLINE_PASSED));
  return AbortSignal.any([canceled, deadline]);
}

export interface ConsumerDeps {
  /** Jobs in progress at once, besides those that run `withoutSlot`. */
  concurrency: number;
  /** Called for each job that failed for good. */
  onFailed?(jobId: string): Promise<void> | void;
  report(report: JobReport): void;
  /** Redis's time. */
  now: Clock;
  /** For commands and scripts of this queue. BullMQ duplicates it for blocking commands. */
  connection: Redis;
  log: Logger;
}

export interface JobConsumer {
  /** Cancels a job if this worker has it. */
  cancel(jobId: string): void;
  /** Takes no more jobs and waits for those in progress. */
  close(): Promise<void>;
}

/** The delay after an unexpected error, for jobs that set their delays themselves. */
const ERROR_DELAY_MILLIS = 5000;

/** How soon a worker retries after an error of Redis. BullMQ's default is 15 s, during which it takes no job. */
const RECONNECT_MILLIS = 200;

/** Asks the queue whether a job failed: the worker may only have lost it to another. */
const handleFailed =
  ({ log, onFailed }: ConsumerDeps, queue: QueueName) =>
  async (job: Job | undefined): Promise<void> => {
    const jobId = job?.id;
    if (!job || !jobId) return;
    const isFailed = await job.isFailed().catch((error) => {
      log.warn({ jobId, reason: error.message }, 'job state not read');
    });
    if (!isFailed) return;
    const recorded = Promise.resolve(onFailed?.(jobId));
    await recorded.catch((error) =>
      log.error({ jobId, queue, reason: error.message }, 'failure of a job not recorded'),
    );
  };

export function consumeJobs<Q extends QueueName>(
  queueName: Q,
  processors: Processors<Q>,
  deps: ConsumerDeps,
): JobConsumer {
  const { connection, concurrency, log, report, now } = deps;
  const { lockMillis, renewMillis, stalledCheckMillis, maxStalledCount } = QUEUES[queueName];
  const traces = tracing();
  const turns = new Turns(connection, queueName);
  const withoutSlot: WithoutSlot = async (work) => {
    const takeBack = lendSlot(worker);
    return work().finally(takeBack);
  };
  const run = attempt<Q>(processors, { report, withoutSlot, now, turns, traces });
  const worker: Worker = new Worker(queueName, run, {
    connection,
    prefix: PREFIX,
    concurrency,
    lockDuration: lockMillis,
    lockRenewTime: renewMillis,
    stalledInterval: stalledCheckMillis,
    maxStalledCount,
    runRetryDelay: RECONNECT_MILLIS,
    skipVersionCheck: true,
    settings: {
      backoffStrategy: (_attemptsMade, _type, error) =>
        error instanceof RetryLater ? error.delayMillis : ERROR_DELAY_MILLIS,
    },
    ...(traces && { telemetry: traces.queue }),
  });
  checkLoop(worker);
  worker.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  worker.on('failed', (job) => void handleFailed(deps, queueName)(job));
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job taken over from a lost worker'));
  return {
    cancel: (jobId) => void worker.cancelJob(jobId),
    close: () => worker.close(),
  };
}
