import { randomUUID } from 'node:crypto';
import { Job, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { type Problem, unavailable } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';
import { cancelJob } from './cancel.ts';
import {
  JOBS,
  type JobData,
  type JobName,
  type JobResult,
  type QueueName,
  readResult,
} from './catalog.ts';
import { openQueue } from './queue.ts';
import { deserializeProblem } from './serialized-problem.ts';

const POLL_MILLIS = 1000;

interface Waiter {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  since: number;
}

export interface JobWaiter {
  /**
   * Adds a job and waits for its end.
   * @param signal ends the waiting with the signal's reason, and cancels the job
   * @throws Problem as the worker refused it; upstream-unavailable where the queue does not answer
   */
  run<N extends JobName>(name: N, data: JobData<N>, signal: AbortSignal): Promise<JobResult<N>>;
  /** Jobs this process waits for. */
  waiting(): number;
  /** Jobs in the queue, waiting and active, over all gateways. */
  depth(): Promise<number>;
  close(): Promise<void>;
}

const failure = (message: string): Problem =>
  deserializeProblem(message) ??
  unavailable('The work was interrupted; try again', 1, new Error(message));

/**
 * Runs jobs of one queue and wakes whoever waits for them.
 * @param commands for adding; fails at once while Redis is away
 * @param blocking for the stream of events; closed with the runner
 */
export async function createJobWaiter(
  queueName: QueueName,
  commands: Redis,
  blocking: Redis,
  log: Logger,
): Promise<JobWaiter> {
  const queue = openQueue(queueName, commands, log);
  const events = new QueueEvents(queueName, { connection: blocking, prefix: PREFIX });
  events.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  const waiting = new Map<string, Waiter>();
  events.on('completed', ({ jobId, returnvalue }) => waiting.get(jobId)?.resolve(returnvalue));
  events.on('failed', ({ jobId, failedReason }) =>
    waiting.get(jobId)?.reject(failure(failedReason)),
  );

  /** Events can be missed (a trimmed stream, a lost connection); a job's state cannot. */
  async function pollOld(): Promise<void> {
    const old = [...waiting].filter(([, { since }]) => performance.now() - since > POLL_MILLIS);
    for (const [jobId, waiter] of old) {
      const job = await Job.fromId(queue, jobId);
      if (job?.finishedOn === undefined) continue; // not added yet, or under way
      if (job.failedReason) waiter.reject(failure(job.failedReason));
      else waiter.resolve(job.returnvalue);
    }
  }
  const poll = setInterval(() => {
    pollOld().catch((error) => log.warn({ reason: error.message }, 'job states not read'));
  }, POLL_MILLIS);
  poll.unref();

  await events.waitUntilReady();
  return {
    async run(name, data, signal) {
      signal.throwIfAborted();
      const jobId = randomUUID();
      const { promise, resolve, reject } = deferred<unknown>();
      waiting.set(jobId, { resolve, reject, since: performance.now() });
      const giveUp = () => {
        reject(signal.reason);
        cancelJob(queue, commands, jobId).catch((error) =>
          log.warn({ jobId, reason: error.message }, 'job not canceled'),
        );
      };
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        const { attempts } = JOBS[name];
        const added = queue.add(name, data, { jobId, attempts }).catch((cause) => {
          throw unavailable('The queue does not answer; try again', 1, cause);
        });
        const [result] = await Promise.all([promise, added]);
        return readResult(name, result);
      } finally {
        signal.removeEventListener('abort', giveUp);
        waiting.delete(jobId);
      }
    },
    waiting: () => waiting.size,
    async depth() {
      const {
        waiting = 0,
        active = 0,
        prioritized = 0,
      } = await queue.getJobCounts('waiting', 'active', 'prioritized');
      return waiting + active + prioritized;
    },
    async close() {
      clearInterval(poll);
      await events.close();
      await queue.close();
      blocking.disconnect();
    },
  };
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
