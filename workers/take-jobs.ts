import { type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import {
  type JobData,
  type JobName,
  type JobResult,
  QUEUES,
  type QueueName,
  readData,
} from '../src/jobs/catalog.ts';
import { PREFIX } from '../src/jobs/redis.ts';
import { writeRefusal } from '../src/jobs/refusal.ts';
import type { Logger } from '../src/log.ts';
import { Problem } from '../src/problem.ts';

/** Does one kind of job. */
export type Processor<N extends JobName> = (
  data: JobData<N>,
  signal: AbortSignal,
) => Promise<JobResult<N>>;

export type Processors = { [N in JobName]: Processor<N> };

/** One job's end, for logs and metrics. */
export interface JobFact {
  jobId: string;
  name: JobName;
  requestId: string;
  outcome: 'succeeded' | 'refused' | 'failed' | 'canceled';
  millis: number;
  waitMillis: number;
  /** Steps of a success. */
  steps: Readonly<Record<string, number>>;
  reason?: string;
}

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
 */
export function takeJobs(
  queueName: QueueName,
  processors: Processors,
  connection: Redis,
  concurrency: number,
  log: Logger,
  done: (fact: JobFact) => void,
): JobTaker {
  const { lockMillis, stalledCheckMillis, maxStalledCount } = QUEUES[queueName];
  const process = async (job: Job, _token?: string, canceled?: AbortSignal): Promise<unknown> => {
    const name = job.name as JobName;
    const { deadlineAtMillis, requestId } = readData(name, job.data);
    const startedAt = Date.now();
    const fact = (outcome: JobFact['outcome'], steps: JobFact['steps'] = {}, reason?: string) =>
      done({
        jobId: job.id ?? '',
        name,
        requestId,
        outcome,
        millis: Date.now() - startedAt,
        waitMillis: Math.max(0, (job.processedOn ?? startedAt) - job.timestamp),
        steps,
        ...(reason && { reason }),
      });
    const signal = jobSignal(deadlineAtMillis, canceled);
    try {
      signal.throwIfAborted();
      const result = await perform(processors, name, job.data, signal);
      fact('succeeded', result.millis);
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Problem) {
        fact('refused', {}, error.type);
        throw new UnrecoverableError(writeRefusal(error));
      }
      if (signal.aborted) {
        fact('canceled', {}, String(signal.reason));
        throw new UnrecoverableError('canceled');
      }
      fact('failed', {}, reason);
      throw error;
    }
  };
  const worker = new Worker(queueName, process, {
    connection,
    prefix: PREFIX,
    concurrency,
    lockDuration: lockMillis,
    stalledInterval: stalledCheckMillis,
    maxStalledCount,
    skipVersionCheck: true,
  });
  worker.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job taken over from a lost worker'));
  return {
    cancel: (jobId) => void worker.cancelJob(jobId),
    close: () => worker.close(),
  };
}

/** Data, processor and result of one name belong together, which the compiler sees only by name. */
const perform = <N extends JobName>(
  processors: Processors,
  name: N,
  data: unknown,
  signal: AbortSignal,
): Promise<JobResult<N>> => processors[name](readData(name, data), signal);

function jobSignal(deadlineAtMillis: number, canceled: AbortSignal | undefined): AbortSignal {
  const leftMillis = deadlineAtMillis - Date.now();
  const overdue =
    leftMillis > 0 ? AbortSignal.timeout(leftMillis) : AbortSignal.abort(new Error(OVERDUE));
  return canceled ? AbortSignal.any([canceled, overdue]) : overdue;
}
