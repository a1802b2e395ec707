import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../src/jobs/catalog.ts';
import { PREFIX } from '../src/jobs/redis.ts';
import type { Logger } from '../src/log.ts';
import { queueTelemetry } from '../src/tracing.ts';
import { type AttemptParts, attempt, type Processors, TryLater } from './attempt.ts';

export interface TakerParts extends Omit<AttemptParts, 'now'> {
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
  ({ log, givenUp }: TakerParts) =>
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
  parts: TakerParts,
): JobTaker {
  const { connection, concurrency, log, done, now = Date.now } = parts;
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
  worker.on('failed', onFailed(parts));
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job taken over from a lost worker'));
  return {
    cancel: (jobId) => void worker.cancelJob(jobId),
    close: () => worker.close(),
  };
}
