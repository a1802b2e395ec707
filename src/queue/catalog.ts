import { z } from 'zod';
import { Foreground, MediaType } from '../output/options.ts';
import { CutOutOptions } from '../output/quality.ts';
import { GarmentView } from './garment-view.ts';
import { AcceptedRow, OPERATIONS } from './job-data.ts';

/** For jobs that nobody waits for at the other end of a connection. */
const PATIENT = {
  lockMillis: 10_000,
  renewMillis: 5000,
  stalledCheckMillis: 2500,
  // Workers die by their machines; an image that the engine dies under is counted by itself (crashes.ts).
  maxStalledCount: 10,
} as const;

/**
 * Which queue a kind of work waits in, and how fast a dead worker's job is taken over: when what is left of its lock
 * is over, and the next check has come.
 */
export const QUEUES = {
  sync: { lockMillis: 2000, renewMillis: 500, stalledCheckMillis: 500, maxStalledCount: 2 },
  async: PATIENT,
  bulk: PATIENT,
  feed: PATIENT,
  /** Its jobs live for a day, and workers may come and go meanwhile. */
  webhook: PATIENT,
} as const;

export type QueueName = keyof typeof QUEUES;

/** What every job on one image carries. */
const ImageJob = z.object({
  /** The blob that was handed in: an image, or the address of one. */
  inputKey: z.string(),
  /** Of that blob, hex: what crashes are remembered under. */
  sha256: z.string(),
  /** After this nobody waits any more; epoch milliseconds. */
  deadlineAtMillis: z.number(),
  requestId: z.string(),
});

/** What every job on one image answers. */
const ImageResult = z.object({
  /** Pixels: of the upright image, or of the output where one is made. */
  width: z.number(),
  height: z.number(),
  /** `id@version` of the model that answered. */
  model: z.string(),
  /** Where the time went, by step. */
  millis: z.record(z.string(), z.number()),
});

/** Of a row of a feed: where its images belong, and what marketplaces want to see. */
export const FeedRowOptions = z.object({
  id: z.string(),
  /** Behind the subject, `#rrggbb`; transparent where there is none. */
  background: z.string().optional(),
  /** Whose quota an image takes that has to be worked on. */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }),
});

/**
 * Every job: what it carries, what it answers, how often it is tried. Jobs carry references; bytes
 * lie in the store.
 */
export const JOBS = {
  'remove-background': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob.extend({
      outputKey: z.string(),
      options: CutOutOptions.optional(),
      /** What goes behind the subject, handed in like the image. */
      backgroundKey: z.string().optional(),
    }),
    /** Of the output; `confidence` 0..1. */
    result: ImageResult.extend({
      bytes: z.number(),
      mediaType: MediaType,
      /** Pixels of the output if it were not scaled down. */
      whole: z.object({ width: z.number(), height: z.number() }),
      foreground: Foreground.optional(),
      confidence: z.number(),
    }),
  },
  'classify-garment': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob,
    result: GarmentView.extend({ millis: ImageResult.shape.millis }),
  },
  'run-job': {
    queue: 'async',
    attempts: 4,
    /** Before the second attempt; doubled for each one after. */
    backoffMillis: 500,
    data: z.object({ id: z.string(), requestId: z.string() }),
    result: z.object({ millis: ImageResult.shape.millis }),
  },
  'run-row': {
    queue: 'bulk',
    attempts: 4,
    backoffMillis: 500,
    data: z.object({
      batchId: z.string(),
      client: z.string(),
      operations: z.array(z.enum(OPERATIONS)),
      options: CutOutOptions.optional(),
      chunk: z.number(),
      /** Rows of the chunk that were accepted. */
      chunkRows: z.number(),
      row: AcceptedRow,
      /** Of a feed: its images belong to it, and a picture for marketplaces is made of each. */
      feed: FeedRowOptions.optional(),
      requestId: z.string(),
    }),
    result: z.object({ millis: ImageResult.shape.millis }),
  },
  'ingest-feed': {
    queue: 'feed',
    attempts: 4,
    /** A server that does not answer may do so a little later. */
    backoffMillis: 1000,
    data: z.object({ feedId: z.string(), runId: z.string(), requestId: z.string() }),
    result: z.object({ millis: ImageResult.shape.millis }),
  },
  'start-feed-run': {
    queue: 'feed',
    attempts: 4,
    backoffMillis: 1000,
    data: z.object({ feedId: z.string(), requestId: z.string() }),
    result: z.object({ millis: ImageResult.shape.millis }),
  },
  'deliver-webhook': {
    queue: 'webhook',
    /** The event's own record says when it is enough. In these are accidents and waiting for a turn. */
    attempts: 10_000,
    data: z.object({ eventId: z.string(), round: z.number(), requestId: z.string() }),
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
