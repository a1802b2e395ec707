import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../src/platform/log.ts';
import { PREFIX } from '../src/platform/redis.ts';
import { queueTelemetry } from '../src/platform/tracing.ts';
import { checkLoop, lendSlot } from '../src/queue/bullmq-internals.ts';
import { QUEUES, type QueueName } from '../src/queue/catalog.ts';
import { Turns } from '../src/queue/queue.ts';
import {
  type AttemptDeps,
  attempt,
  type Processors,
  RetryLater,
  type WithoutSlot,
} from './attempt.ts';

export interface ConsumerOptions {
  /** Jobs in progress at once, besides those that run `withoutSlot`. */
  concurrency: number;
  /** Called for each job that failed for good. */
  onFailed?(jobId: string): Promise<void> | void;
}

export interface ConsumerDeps extends ConsumerOptions, Omit<AttemptDeps, 'withoutSlot' | 'turns'> {
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
  const telemetry = queueTelemetry();
  const turns = new Turns(connection, queueName);
  const withoutSlot: WithoutSlot = async (work) => {
    const takeBack = lendSlot(worker);
    return work().finally(takeBack);
  };
  const run = attempt<Q>(processors, { report, withoutSlot, now, turns });
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
    ...(telemetry && { telemetry }),
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
