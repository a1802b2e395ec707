import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../src/platform/log.ts';
import { PREFIX } from '../src/platform/redis.ts';
import { queueTelemetry } from '../src/platform/tracing.ts';
import { QUEUES, type QueueName } from '../src/queue/catalog.ts';
import { type AttemptDeps, attempt, type Processors, TryLater } from './attempt.ts';

export interface TakerDeps extends Omit<AttemptDeps, 'now'> {
  /** For taking jobs; used for nothing else from now on. */
  connection: Redis;
  /** Jobs held at once; one more than the engine's slots keeps the engine fed while bytes are fetched and stored. */
  concurrency: number;
  log: Logger;
  /** Hears of each job that failed and is not tried again. */
  givenUp?(jobId: string): void;
  /** Epoch milliseconds, as Redis has it; this host's where nothing is said. */
  now?(): number;
}

export interface JobTaker {
  /** Calls off a job this worker has; others are not its business. */
  cancel(jobId: string): void;
  /** Takes no more jobs and waits for those it has. */
  close(): Promise<void>;
}

/** For jobs that say so themselves: how long an accident delays them. */
const ACCIDENT_MILLIS = 5000;

/** How soon a worker asks Redis again that refused it; BullMQ's own is 15 s, in which it would take no job. */
const RECONNECT_MILLIS = 200;

/** Hears of failed jobs; asks the queue, since a worker may have lost the job to another and only think that it failed. */
const onFailed =
  ({ log, givenUp }: TakerDeps) =>
  (job: Job | undefined): void => {
    job?.isFailed().then(
      (isFailed) => isFailed && job.id && givenUp?.(job.id),
      (error) => log.warn({ jobId: job.id, reason: error.message }, 'end of a job not known'),
    );
  };

/** Takes jobs of one queue and runs their processors. */
export function takeJobs<Q extends QueueName>(
  queueName: Q,
  processors: Processors<Q>,
  deps: TakerDeps,
): JobTaker {
  const { connection, concurrency, log, done, now = Date.now } = deps;
  const { lockMillis, renewMillis, stalledCheckMillis, maxStalledCount } = QUEUES[queueName];
  const telemetry = queueTelemetry();
  const worker = new Worker(queueName, attempt<Q>(processors, { done, now }), {
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
        error instanceof TryLater ? error.delayMillis : ACCIDENT_MILLIS,
    },
    ...(telemetry && { telemetry }),
  });
  worker.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  worker.on('failed', onFailed(deps));
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job taken over from a lost worker'));
  return {
    cancel: (jobId) => void worker.cancelJob(jobId),
    close: () => worker.close(),
  };
}
