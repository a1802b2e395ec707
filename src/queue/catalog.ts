import { z } from 'zod';
import { CutOutOptions, MediaType, QualityChoice } from '../output/options.ts';
import { Stroke } from '../output/strokes.ts';
import {
  AcceptedRow,
  CutOut,
  GarmentView,
  OPERATIONS,
  OutfitView,
  StoredAccess,
} from './job-data.ts';

/** For jobs that no client waits for on an open connection. */
const BACKGROUND = {
  lockMillis: 10_000,
  renewMillis: 5000,
  stalledCheckMillis: 2500,
  // Only so that no job goes round forever: a host short of memory kills workers again and again, and the job is
  // sound. Images that crash the inference process are counted by `Quarantine`.
  maxStalledCount: 1000,
} as const;

/**
 * The queues, and how fast another worker takes over a dead worker's job: at the first check after its lock has
 * expired.
 */
export const QUEUES = {
  sync: { lockMillis: 2000, renewMillis: 500, stalledCheckMillis: 500, maxStalledCount: 2 },
  async: BACKGROUND,
  bulk: BACKGROUND,
  feed: BACKGROUND,
  /** Its jobs may last a day, and workers may come and go meanwhile. */
  webhook: BACKGROUND,
} as const;

export type QueueName = keyof typeof QUEUES;

/** Whose turn a job takes. Jobs that an older release has queued lack it. */
const Turn = {
  client: z.string().default(''),
  weight: z.number().default(1),
  /** Predicted, in turns; 1 if absent. */
  work: z.number().optional(),
};

/** The data of every job on one image. */
const ImageJob = z.object({
  ...Turn,
  /** The uploaded blob: an image, or the address of one. */
  inputKey: z.string(),
  /** Of that blob, hex; crashes are counted under it. */
  sha256: z.string(),
  /** After this no request waits for the job; epoch milliseconds. */
  deadlineAtMillis: z.number(),
  requestId: z.string(),
});

/** Duration of each step, ms. */
const millis = z.record(z.string(), z.number());

/** The file of a cut-out, in the result of a job; its size is that of the output, pixels. */
const OutputFile = CutOut.pick({
  width: true,
  height: true,
  bytes: true,
  mediaType: true,
  foreground: true,
  rules: true,
}).extend({
  /** Size of the output before it was scaled down, pixels. */
  whole: z.object({ width: z.number(), height: z.number() }),
  millis,
});

/** Options of a row of a feed: which feed its images belong to, and how its picture looks. */
const FeedRowOptions = z.object({
  id: z.string(),
  /** Behind the subject, `#rrggbb`; transparent without it. */
  background: z.string().optional(),
  /** Whose quota an image uses that has to be processed. */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }),
  /** After it, images are not fetched any more; epoch milliseconds. */
  endsAtMillis: z.number().optional(),
  access: StoredAccess.optional(),
});

/**
 * Every kind of job: its data, its result, its number of attempts. Jobs carry references; the bytes are in
 * object storage.
 */
export const JOBS = {
  'remove-background': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob.extend({
      outputKey: z.string(),
      options: CutOutOptions.optional(),
      /** The background, uploaded like the image. */
      backgroundKey: z.string().optional(),
    }),
    /** Workers of an older release send no review. */
    result: OutputFile.extend(
      CutOut.pick({ model: true, confidence: true, review: true, alpha: true }).shape,
    ),
  },
  'refine-cut-out': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob.extend({
      outputKey: z.string(),
      /** The alpha to mend, uploaded like the image. */
      alphaKey: z.string(),
      strokes: z.array(Stroke),
      options: CutOutOptions.optional(),
      /** Of the photo, hex, if it is fetched again. */
      photoSha256: z.string().optional(),
      /** Of a feed's cut-out: makes its picture for marketplaces too, on `#rrggbb` or transparent. */
      picture: z.object({ background: z.string().optional() }).optional(),
    }),
    result: OutputFile.extend({
      /** The picture for marketplaces, behind the cut-out in the same blob; none if the cut-out itself serves. */
      picture: z
        .object({ bytes: z.number(), mediaType: z.enum(['image/jpeg', 'image/png']) })
        .optional(),
    }),
  },
  'classify-garment': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob,
    result: GarmentView.extend({ millis }),
  },
  /** Replaces the link that is stored as its input by the image. */
  'fetch-image': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob,
    result: z.object({
      bytes: z.number(),
      mediaType: MediaType,
      /** Of the image, hex. */
      sha256: z.string(),
      millis,
    }),
  },
  'separate-garments': {
    queue: 'sync',
    attempts: 3,
    data: ImageJob.extend({
      quality: QualityChoice.optional(),
      /** Where the cut-outs of the garments go, one after the other; none are made if it is absent. */
      outputKey: z.string().optional(),
    }),
    result: OutfitView.extend({
      /** Lengths of the cut-outs, in the order of the garments. */
      fileBytes: z.array(z.number()),
      millis,
    }),
  },
  'run-job': {
    queue: 'async',
    attempts: 4,
    /** Before the second attempt; doubled for each one after. */
    backoffMillis: 500,
    data: z.object({ ...Turn, id: z.string(), requestId: z.string() }),
    result: z.object({ millis }),
  },
  'run-row': {
    queue: 'bulk',
    attempts: 4,
    backoffMillis: 500,
    data: z.object({
      ...Turn,
      batchId: z.string(),
      operations: z.array(z.enum(OPERATIONS)),
      options: CutOutOptions.optional(),
      chunk: z.number(),
      /** Rows of the chunk that were accepted. */
      chunkRows: z.number(),
      row: AcceptedRow,
      /** Of a feed: it owns the images, and each gets a picture for marketplaces. */
      feed: FeedRowOptions.optional(),
      requestId: z.string(),
    }),
    result: z.object({ millis }),
  },
  'ingest-feed': {
    queue: 'feed',
    attempts: 4,
    /** A feed's server that does not respond may do so a little later. */
    backoffMillis: 1000,
    data: z.object({ ...Turn, feedId: z.string(), runId: z.string(), requestId: z.string() }),
    result: z.object({ millis }),
  },
  /** Without a turn, and so before all others: it only adds the job that imports the feed. */
  'start-feed-run': {
    queue: 'feed',
    attempts: 4,
    backoffMillis: 1000,
    data: z.object({ feedId: z.string(), requestId: z.string() }),
    result: z.object({ millis }),
  },
  'deliver-webhook': {
    queue: 'webhook',
    /** The event's record limits its deliveries. These attempts include crashes. */
    attempts: 10_000,
    data: z.object({ ...Turn, eventId: z.string(), round: z.number(), requestId: z.string() }),
    result: z.object({ millis }),
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

export function retriesOf(name: JobName) {
  const { attempts, backoffMillis: delay }: { attempts: number; backoffMillis?: number } =
    JOBS[name];
  return { attempts, ...(delay && { backoff: { type: 'exponential', delay } }) };
}

export const readData = <N extends JobName>(name: N, data: unknown): JobData<N> =>
  JOBS[name].data.parse(data) as JobData<N>;

export const readResult = <N extends JobName>(name: N, result: unknown): JobResult<N> =>
  JOBS[name].result.parse(result) as JobResult<N>;
