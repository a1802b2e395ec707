import { type BulkJobOptions, type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Size } from '../imaging/layout.ts';
import type { Logger } from '../platform/log.ts';
import { PREFIX } from '../platform/redis.ts';
import { queueTelemetry } from '../platform/tracing.ts';
import { type JobData, type JobName, QUEUES, type QueueName, retriesOf } from './catalog.ts';
import { pricedMegapixels, turnsOf } from './service-time.ts';
import { createTurns, type TurnOwner, type Turns } from './turns.ts';

/** Finished jobs stay so long for those that missed the event: seconds, and how many. */
const FINISHED = { age: 300, count: 1000 };

/** A queue whose jobs are started in turn by client. */
export type JobQueue = Queue & { readonly turns: Turns };

/** Opens a queue for adding, counting and removing jobs. */
export function openQueue(name: QueueName, connection: Redis, log: Logger): JobQueue {
  const telemetry = queueTelemetry();
  const queue = new Queue(name, {
    connection,
    prefix: PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { removeOnComplete: FINISHED, removeOnFail: FINISHED },
    ...(telemetry && { telemetry }),
  });
  queue.on('error', (error) => log.warn({ reason: error.message }, 'queue connection'));
  return Object.assign(queue, { turns: createTurns(connection, name) });
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
