import { randomUUID } from 'node:crypto';
import { Job, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { Problem, unavailable } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';
import { JOBS, type JobData, type JobResult, type JobsOf, readResult } from './catalog.ts';
import { addJob, CANCELED, cancelJob, type JobQueue } from './queue.ts';
import { deserializeProblem } from './serialized-problem.ts';

const POLL_MILLIS = 1000;

/** A job whose end a request waits for. */
interface PendingJob {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  /** By a monotonic clock, ms. */
  addedAt: number;
  /** Adds it again; absent until it was added. */
  addAgain?: () => Promise<unknown>;
}

/** How a request waits for its job. */
interface JobWait {
  /** Resolves when everything that the job needs is stored; it is added then. */
  ready: Promise<unknown>;
  /** Ends the waiting, and cancels the job. */
  signal: AbortSignal;
  /** Called as soon as the signal aborts, with whether a worker had started the job. */
  onCancel(hadStarted: Promise<boolean>): void;
}

/** The problem of a failed job; an unknown failure may be retried. */
const toProblem = (message: string): Problem =>
  deserializeProblem(message) ??
  unavailable('Processing was interrupted; try again', 1, new Error(message));

/**
 * Rejects with why a job failed. A worker may notice the deadline first; the wait ends by its own signal then, and what
 * is charged depends on that.
 */
function fail({ reject }: PendingJob, failedReason: string): void {
  if (failedReason !== CANCELED) reject(toProblem(failedReason));
}

/**
 * Adds jobs to one queue and waits for their results, which arrive as BullMQ events.
 * @param commands for cancelling; fails at once while Redis is unavailable
 * @param blocking for the stream of events; closed with the waiter
 */
export async function createJobWaiter(
  queue: JobQueue,
  commands: Redis,
  blocking: Redis,
  log: Logger,
) {
  const events = new QueueEvents(queue.name, { connection: blocking, prefix: PREFIX });
  events.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  const pending = new Map<string, PendingJob>();
  events.on('completed', ({ jobId, returnvalue }) => pending.get(jobId)?.resolve(returnvalue));
  events.on('failed', ({ jobId, failedReason }) => {
    const waiting = pending.get(jobId);
    if (waiting) fail(waiting, failedReason);
  });

  /** Events can be missed (a trimmed stream, a lost connection), so the states of older jobs are polled. */
  async function pollStates(): Promise<void> {
    const isOld = ({ addedAt }: PendingJob) => performance.now() - addedAt > POLL_MILLIS;
    for (const [jobId, waiting] of [...pending].filter(([, job]) => isOld(job))) {
      const job = await Job.fromId(queue, jobId);
      // A failover of Redis may lose what was added last.
      if (!job && pending.has(jobId)) await waiting.addAgain?.();
      if (job?.finishedOn === undefined) continue; // not added yet, or not finished
      if (job.failedReason) fail(waiting, job.failedReason);
      else waiting.resolve(job.returnvalue);
    }
  }
  const poll = setInterval(() => {
    pollStates().catch((error) => log.warn({ reason: error.message }, 'job states not polled'));
  }, POLL_MILLIS);
  poll.unref();

  await events.waitUntilReady();
  return {
    /**
     * Adds a job and waits for its result.
     * @throws Problem of the worker; upstream-unavailable if the queue does not respond; the reason of the signal; the
     *   error of `ready`
     */
    async run<N extends JobsOf<'sync'>>(
      name: N,
      data: JobData<N>,
      { ready, signal, onCancel }: JobWait,
    ): Promise<JobResult<N>> {
      signal.throwIfAborted();
      const jobId = randomUUID();
      const { promise, resolve, reject } = deferred<unknown>();
      const entry: PendingJob = { resolve, reject, addedAt: performance.now() };
      pending.set(jobId, entry);
      const { attempts } = JOBS[name];
      const job = { name, data, opts: { jobId, attempts } };
      const add = () => addJob(queue, job, ready);
      const added = add().catch((cause) => {
        if (cause instanceof Problem) throw cause;
        throw unavailable('The queue does not respond; try again', 1, cause);
      });
      added.then(
        () => {
          entry.addAgain = add;
        },
        () => {},
      );
      const abort = () => {
        reject(signal.reason);
        // A job that is being added cannot be found yet, and would run for nobody.
        const hadStarted = added
          .then(() => cancelJob(queue, commands, jobId))
          .catch((error) => {
            log.warn({ jobId, reason: error.message }, 'job not canceled');
            return false;
          });
        onCancel(hadStarted);
      };
      signal.addEventListener('abort', abort, { once: true });
      try {
        const [result] = await Promise.all([promise, added]);
        return readResult(name, result);
      } finally {
        signal.removeEventListener('abort', abort);
        pending.delete(jobId);
      }
    },
    waiting: (): number => pending.size,
    /** Number of jobs in the queue, waiting and active, of all gateways. */
    async depth(): Promise<number> {
      const {
        waiting = 0,
        active = 0,
        prioritized = 0,
      } = await queue.getJobCounts('waiting', 'active', 'prioritized');
      return waiting + active + prioritized;
    },
    /** Number of jobs that come back later because their client has its share of fetches in use, of all gateways. */
    delayed: (): Promise<number> => queue.getDelayedCount(),
    /** Number of clients with jobs waiting in the queue, of all gateways. */
    waitingClients: queue.turns.waitingClients,
    async close(): Promise<void> {
      clearInterval(poll);
      await events.close();
      blocking.disconnect();
    },
  };
}

export type JobWaiter = Awaited<ReturnType<typeof createJobWaiter>>;

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
