import { z } from 'zod';

/** Which queue a kind of work waits in, and how fast a dead worker's job is taken over. */
export const QUEUES = {
  sync: { lockMillis: 4000, stalledCheckMillis: 1000, maxStalledCount: 2 },
} as const;

export type QueueName = keyof typeof QUEUES;

/**
 * Every job: what it carries, what it answers, how often it is tried. Jobs carry references; bytes
 * lie in the store.
 */
export const JOBS = {
  'remove-background': {
    queue: 'sync',
    attempts: 3,
    data: z.object({
      inputKey: z.string(),
      outputKey: z.string(),
      /** Of the input's bytes, hex: what crashes are remembered under. */
      sha256: z.string(),
      /** After this nobody waits any more; epoch milliseconds. */
      deadlineAtMillis: z.number(),
      requestId: z.string(),
    }),
    result: z.object({
      width: z.number(),
      height: z.number(),
      bytes: z.number(),
      /** `id@version` of the model that found the subject. */
      model: z.string(),
      /** 0..1 */
      confidence: z.number(),
      /** Where the time went, by step. */
      millis: z.record(z.string(), z.number()),
    }),
  },
} as const satisfies Record<
  string,
  { queue: QueueName; attempts: number; data: z.ZodType; result: z.ZodType }
>;

export type JobName = keyof typeof JOBS;
export type JobData<N extends JobName> = z.infer<(typeof JOBS)[N]['data']>;
export type JobResult<N extends JobName> = z.infer<(typeof JOBS)[N]['result']>;

/** A job's data as it came from the queue, checked. The cast joins what the table keeps by name. */
export const readData = <N extends JobName>(name: N, data: unknown): JobData<N> =>
  JOBS[name].data.parse(data) as JobData<N>;

/** A job's result as it came from the queue, checked. */
export const readResult = <N extends JobName>(name: N, result: unknown): JobResult<N> =>
  JOBS[name].result.parse(result) as JobResult<N>;
