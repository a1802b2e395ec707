import { randomUUID } from 'node:crypto';
import { Job, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/log.ts';
import { deserializeProblem, Problem, unavailable } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';
import { JOBS, type JobData, type JobResult, type JobsOf, readResult } from './catalog.ts';
import { addJob, CANCELED, cancelJob, type JobQueue } from './queue.ts';

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

/** Adds jobs to one queue and waits for their results, which arrive as BullMQ events. */
export class JobWaiter {
  readonly #queue: JobQueue;
  readonly #commands: Redis;
  readonly #blocking: Redis;
  readonly #log: Logger;
  readonly #events: QueueEvents;
  readonly #pending = new Map<string, PendingJob>();
  readonly #poll: NodeJS.Timeout;

  /**
   * Resolves when events arrive.
   * @param commands for cancelling; fails at once while Redis is unavailable
   * @param blocking for the stream of events; closed with the waiter
   */
  static async open(
    queue: JobQueue,
    commands: Redis,
    blocking: Redis,
    log: Logger,
  ): Promise<JobWaiter> {
    const waiter = new JobWaiter(queue, commands, blocking, log);
    await waiter.#events.waitUntilReady();
    return waiter;
  }

  private constructor(queue: JobQueue, commands: Redis, blocking: Redis, log: Logger) {
    this.#queue = queue;
    this.#commands = commands;
    this.#blocking = blocking;
    this.#log = log;
    this.#events = new QueueEvents(queue.name, { connection: blocking, prefix: PREFIX });
    this.#events.on('error', ({ message }) => log.warn({ reason: message }, 'queue connection'));
    this.#events.on('completed', ({ jobId, returnvalue }) =>
      this.#pending.get(jobId)?.resolve(returnvalue),
    );
    this.#events.on('failed', ({ jobId, failedReason }) => {
      const waiting = this.#pending.get(jobId);
      if (waiting) fail(waiting, failedReason);
    });
    this.#poll = setInterval(() => {
      this.#pollStates().catch(({ message }) =>
        log.warn({ reason: message }, 'job states not polled'),
      );
    }, POLL_MILLIS).unref();
  }

  /** Events can be missed (a trimmed stream, a lost connection), so the states of older jobs are polled. */
  async #pollStates(): Promise<void> {
    const isOld = ({ addedAt }: PendingJob) => performance.now() - addedAt > POLL_MILLIS;
    for (const [jobId, waiting] of [...this.#pending].filter(([, job]) => isOld(job))) {
      const job = await Job.fromId(this.#queue, jobId);
      // A failover of Redis may lose what was added last.
      if (!job && this.#pending.has(jobId)) await waiting.addAgain?.();
      if (job?.finishedOn === undefined) continue; // not added yet, or not finished
      if (job.failedReason) fail(waiting, job.failedReason);
      else waiting.resolve(job.returnvalue);
    }
  }

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
    this.#pending.set(jobId, entry);
    const { attempts } = JOBS[name];
    const job = { name, data, opts: { jobId, attempts } };
    const add = () => addJob(this.#queue, job, ready);
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
      const hadStarted = added.then(() => cancelJob(this.#queue, this.#commands, jobId));
      const isUnknown = ({ message }: Error) => {
        this.#log.warn({ jobId, reason: message }, 'job not canceled');
        return false;
      };
      onCancel(hadStarted.catch(isUnknown));
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const [result] = await Promise.all([promise, added]);
      return readResult(name, result);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#pending.delete(jobId);
    }
  }

  waiting = (): number => this.#pending.size;

  /** Number of jobs in the queue, waiting and active, of all gateways. */
  async depth(): Promise<number> {
    const counts = await this.#queue.getJobCounts('waiting', 'active', 'prioritized');
    const { waiting = 0, active = 0, prioritized = 0 } = counts;
    return waiting + active + prioritized;
  }

  /** Number of jobs that come back later because their client has its share of fetches in use, of all gateways. */
  delayed = (): Promise<number> => this.#queue.getDelayedCount();

  /** Number of clients with jobs waiting in the queue, of all gateways. */
  waitingClients = (): Promise<number> => this.#queue.turns.waitingClients();

  async close(): Promise<void> {
    clearInterval(this.#poll);
    await this.#events.close();
    this.#blocking.disconnect();
  }
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
