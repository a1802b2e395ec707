import { z } from 'zod';

/** Which queue a kind of work waits in, and how fast a dead worker's job is taken over. */
export const QUEUES = {
  sync: { lockMillis: 4000, stalledCheckMillis: 1000, maxStalledCount: 2 },
  async: { lockMillis: 10_000, stalledCheckMillis: 2500, maxStalledCount: 2 },
} as const;

export type QueueName = keyof typeof QUEUES;

/** What every job on one image carries. */
const ImageJob = z.object({
  inputKey: z.string(),
  /** Of the input's bytes, hex: what crashes are remembered under. */
  sha256: z.string(),
  /** After this nobody waits any more; epoch milliseconds. */
  deadlineAtMillis: z.number(),
  requestId: z.string(),
});

/** What every job on one image answers. */
const ImageResult = z.object({
  /** Pixels of the upright image. */
  width: z.number(),
  height: z.number(),
  /** `id@version` of the model that answered. */
  model: z.string(),
  /** Where the time went, by step. */
  millis: z.record(z.string(), z.number()),
});

const MeasuredColor = z.object({
  family: z.string(),
  hex: z.string(),
  share: z.number(),
  lab: z.tuple([z.number(), z.number(), z.number()]).readonly(),
  deltaE: z.number(),
});

/**
 * Every job: what it carries, what it answers, how often it is tried. Jobs carry references; bytes
 * lie in the store.
 */
export const JOBS = {
  'remove-background': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob.extend({ outputKey: z.string() }),
    /** `bytes` of the PNG; `confidence` 0..1. */
    result: ImageResult.extend({ bytes: z.number(), confidence: z.number() }),
  },
  'classify-garment': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob,
    result: ImageResult.extend({
      /** Of each class of the model, in its order; sum to 1. */
      probabilities: z.array(z.number()),
      /** Of the subject, the largest share first. */
      colors: z.array(MeasuredColor),
      /** The image came with transparency. */
      hasAlpha: z.boolean(),
    }),
  },
  'run-job': {
    queue: 'async',
    attempts: 4,
    /** Before the second attempt; doubled for each one after. */
    backoffMillis: 500,
    data: z.object({ id: z.string(), requestId: z.string() }),
    result: z.object({ millis: ImageResult.shape.millis }),
  },
} as const satisfies Record<
  string,
  {
    queue: QueueName;
    attempts: number;
    backoffMillis?: number;
    data: z.ZodType;
    result: z.ZodType;
  }
>;

export type JobName = keyof typeof JOBS;
/** The kinds of job that wait in a queue. */
export type JobsOf<Q extends QueueName> = {
  [N in JobName]: (typeof JOBS)[N]['queue'] extends Q ? N : never;
}[JobName];
export type JobData<N extends JobName> = z.infer<(typeof JOBS)[N]['data']>;
export type JobResult<N extends JobName> = z.infer<(typeof JOBS)[N]['result']>;

/** A job's data as it came from the queue, checked. The cast joins what the table keeps by name. */
export const readData = <N extends JobName>(name: N, data: unknown): JobData<N> =>
  JOBS[name].data.parse(data) as JobData<N>;

/** A job's result as it came from the queue, checked. */
export const readResult = <N extends JobName>(name: N, result: unknown): JobResult<N> =>
  JOBS[name].result.parse(result) as JobResult<N>;
