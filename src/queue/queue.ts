import { randomUUID } from 'node:crypto';
import { type BulkJobOptions, Job, Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Size } from '../imaging/layout.ts';
import type { Logger } from '../platform/log.ts';
import { deserializeProblem, Problem, unavailable } from '../platform/problem.ts';
import { PREFIX } from '../platform/redis.ts';
import { defineScript, readLua } from '../platform/redis-script.ts';
import { tracing } from '../platform/tracing.ts';
import { PRIORITY_UNIT, queueKeys } from './bullmq-internals.ts';
import {
  JOBS,
  type JobData,
  type JobName,
  type JobResult,
  type JobsOf,
  QUEUES,
  type QueueName,
  readResult,
  retriesOf,
} from './catalog.ts';
import { pricedMegapixels, type TurnOwner, turnsOf } from './turns.ts';

/** What a turn's work adds to the tag of a client with weight 1. One of weight 16 adds 1, the smallest step there is. */
const TURN = 16;
/** The highest priority that BullMQ accepts. */
const MAX_TAG = 2 ** 21 - 1;
/** All tags are lowered when the first waiting one has reached this. */
const LOWER_AT = 2 ** 20;

/** Counts the clients whose last turn has not come. KEYS: turns, prioritized. */
const WAITING_CLIENTS = `
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if not first then return 0 end
local count = 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local isClient = string.sub(fields[i], 1, 7) == 'client:'
  if isClient and tonumber(fields[i + 1]) > math.floor(first / ${PRIORITY_UNIT}) - 1 then count = count + 1 end
end
return count
`;

/** What a job adds to its client's tag. */
const stepOf = ({ weight, work = 1 }: TurnOwner): number => (TURN * work) / weight;

/**
 * The turns of clients in one queue. A job with a lower tag starts first, so a client with many jobs, or with much work
 * in each, delays no other by more than its share.
 */
export class Turns {
  readonly #next: ReturnType<typeof defineScript<number[]>>;
  readonly #waitingClients: ReturnType<typeof defineScript<number>>;
  readonly #keys: readonly string[];
  readonly #jobPrefix: string;

  constructor(redis: Redis, queue: QueueName) {
    const lua = readLua('turns-next', { TURN, LOWER_AT, MAX_TAG, PRIORITY_UNIT });
    this.#next = defineScript(redis, 'selvageTurns', lua);
    this.#waitingClients = defineScript(redis, 'selvageTurnClients', WAITING_CLIENTS);
    const { wait, prioritized, delayed, jobPrefix } = queueKeys(queue);
    this.#keys = [`${PREFIX}:turns:${queue}`, wait, prioritized, delayed];
    this.#jobPrefix = jobPrefix;
  }

  /** Returns the tags of a client's next jobs, each from 1 to 2,097,151. */
  next = (owner: TurnOwner, count: number): Promise<number[]> =>
    this.#next(this.#keys, [owner.client, stepOf(owner), count, this.#jobPrefix, 0]);

  /** Returns a new tag for a job that will be retried after a delay. */
  async nextForRetry(owner: TurnOwner): Promise<number> {
    const retry = [owner.client, stepOf(owner), 1, this.#jobPrefix, 1];
    const [tag = 1] = await this.#next(this.#keys, retry);
    return tag;
  }

  /** Returns how many clients have jobs waiting; one that canceled its jobs may still count. */
  waitingClients(): Promise<number> {
    const [turns = '', , prioritized = ''] = this.#keys;
    return this.#waitingClients([turns, prioritized], []);
  }
}

/** Finished jobs stay so long for those that missed the event: seconds, and how many. */
const FINISHED = { age: 300, count: 1000 };

/** A queue whose jobs are started in turn by client. */
export type JobQueue = Queue & { readonly turns: Turns };

/** Opens a queue for adding, counting and removing jobs. */
export function openQueue(name: QueueName, connection: Redis, log: Logger): JobQueue {
  const telemetry = tracing()?.queue;
  const queue = new Queue(name, {
    connection,
    prefix: PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { removeOnComplete: FINISHED, removeOnFail: FINISHED },
    ...(telemetry && { telemetry }),
  });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  return Object.assign(queue, { turns: new Turns(connection, name) });
}

export type Queues = Readonly<Record<QueueName, JobQueue>>;

export const openQueues = (connection: Redis, log: Logger): Queues =>
  Object.fromEntries(
    Object.keys(QUEUES).map((name) => [name, openQueue(name as QueueName, connection, log)]),
  ) as Queues;

export interface NewQueueJob<N extends JobName = JobName> {
  name: N;
  data: JobData<N> & TurnOwner;
  opts: BulkJobOptions;
}

/**
 * Adds a job; it starts when it is its client's turn.
 * @param ready what has to be done before; if it fails, the job is not added
 */
export async function addJob<N extends JobName>(
  queue: JobQueue,
  { name, data, opts }: NewQueueJob<N>,
  ready?: Promise<unknown>,
): Promise<Job> {
  const [[priority = 1]] = await Promise.all([queue.turns.next(data, 1), ready]);
  return queue.add(name, data, { ...opts, priority });
}

/** Adds jobs of one client; each starts when it is its turn. */
export async function addJobs(
  queue: JobQueue,
  owner: TurnOwner,
  jobs: readonly NewQueueJob[],
): Promise<void> {
  const tags = await queue.turns.next(owner, jobs.length);
  await queue.addBulk(
    jobs.map((job, i) => ({ ...job, opts: { ...job.opts, priority: tags[i] ?? 1 } })),
  );
}

/**
 * Retries a job that has ended in its queue, with a new turn. The record is the authority: a job that is pending there
 * has not ended. Its end could not be recorded, or its worker read an old record of a Redis that was just demoted.
 */
async function retryEnded(queue: JobQueue, job: Job): Promise<void> {
  const state = await job.getState();
  if (state !== 'failed' && state !== 'completed') return;
  const { client = '', weight = 1, work }: Partial<TurnOwner> = job.data;
  const [priority = 1] = await queue.turns.next({ client, weight, work }, 1);
  await job.changePriority({ priority });
  await job.retry(state).catch(async (error) => {
    if ((await job.getState()) === state) throw error; // else another process was faster
  });
}

/**
 * Adds a job that is missing in its queue, and retries one that has ended there. One that is queued is not added again,
 * which would change nothing but its client's next turn.
 */
export async function ensureQueued(queue: JobQueue, job: NewQueueJob): Promise<void> {
  const queued = await queue.getJob(job.opts.jobId ?? '');
  if (queued) await retryEnded(queue, queued);
  else await addJob(queue, job);
}

const toRunJob = ({ id, requestId, client, weight = 1, input }: QueuedJob) => {
  const opts = { jobId: id, ...retriesOf('run-job') };
  const work = input && turnsOf(pricedMegapixels(input));
  const data = { id, requestId, client, weight, ...(work && { work }) };
  return { name: 'run-job', data, opts } satisfies NewQueueJob<'run-job'>;
};

/** Puts a newly accepted job in its queue. */
export const enqueueJob = (queue: JobQueue, job: QueuedJob): Promise<Job> =>
  addJob(queue, toRunJob(job));

/** Puts an accepted job back in its queue if it is missing or has ended there. */
export const requeueJob = (queue: JobQueue, job: QueuedJob): Promise<void> =>
  ensureQueued(queue, toRunJob(job));

/** The part of a job's record that its queue needs. */
interface QueuedJob {
  id: string;
  requestId: string;
  client: string;
  weight?: number | undefined;
  /** If its size is known before it is fetched. */
  input?: Size | undefined;
}

/** Where the ids of canceled jobs are published; every worker subscribes. */
const CHANNEL = `${PREFIX}:cancel`;

/** Why a job failed that was canceled, or whose client waits no longer. */
export const CANCELED = 'canceled';

/**
 * Cancels a job: removes it from the queue if it waits there, else notifies the worker that runs it.
 * @returns whether it had started
 */
export async function cancelJob(queue: Queue, redis: Redis, jobId: string): Promise<boolean> {
  // BullMQ removes finished jobs as well; one that is gone has ended.
  const job = await queue.getJob(jobId);
  if (!job || job.finishedOn !== undefined) return true;
  const removed = await queue.remove(jobId);
  if (!removed) await redis.publish(CHANNEL, jobId);
  return !removed || job.processedOn !== undefined;
}

/** Calls `onCancel` for every running job that is canceled. @param connection used for nothing else from now on */
export async function onCanceled(
  connection: Redis,
  onCancel: (jobId: string) => void,
): Promise<void> {
  connection.on('message', (_channel, jobId) => onCancel(jobId));
  await connection.subscribe(CHANNEL);
}

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
    const ended = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(jobId, { resolve, reject, addedAt: performance.now() });
    });
    const { attempts } = JOBS[name];
    const job = { name, data, opts: { jobId, attempts } };
    const add = () => addJob(this.#queue, job, ready);
    const added = add().catch((cause) => {
      if (cause instanceof Problem) throw cause;
      throw unavailable('The queue does not respond; try again', 1, cause);
    });
    added.then(
      () => {
        const pending = this.#pending.get(jobId);
        if (pending) pending.addAgain = add;
      },
      () => {},
    );
    const abort = () => {
      this.#pending.get(jobId)?.reject(signal.reason);
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
      const [result] = await Promise.all([ended, added]);
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
