import { z } from 'zod';
import { JOBS_PATH, type JobRecord, jobLinks, STATUSES } from '../../intake/job-records.ts';
import { Foreground, MediaType } from '../../output/options.ts';
import { CutOutOptions } from '../../output/quality.ts';
import { PROBLEMS, Problem, type ProblemType } from '../../platform/problem.ts';
import { OPERATIONS } from '../../queue/job-data.ts';
import { classify } from '../../taxonomy/classify.ts';
import { ClassifyOptions } from '../../taxonomy/request-schema.ts';
import { Classification } from '../../taxonomy/response-schema.ts';

export { JOBS_PATH };
/** When it makes sense to ask again, seconds. */
export const RETRY_SOON = { 'retry-after': '1' } as const;

const isProblemType = (type: string): type is ProblemType => type in PROBLEMS;

/** Why work failed, as it was written down. */
interface Failure {
  type: string;
  detail: string;
}

/** A failure as it is thrown. */
export const failureProblem = ({ type, detail }: Failure): Problem =>
  new Problem(isProblemType(type) ? type : 'upstream-failed', detail);

/** Why a job failed, as it is thrown. */
export const jobProblem = ({ problem }: JobRecord): Problem =>
  failureProblem(problem ?? { type: '', detail: 'The job failed' });

/** For the document. */
export const PublicProblem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
});

/** A failure as its client sees it. */
export function publicProblem(failure: Failure): z.infer<typeof PublicProblem> {
  const { type, title, status, detail } = failureProblem(failure);
  return { type, title, status, detail };
}

/** For the document. */
export const PublicCutOut = z.object({
  url: z.string(),
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
  mediaType: MediaType,
  foreground: Foreground.optional().meta({
    description: 'The box of the subject in the output, pixels; absent where none was found',
  }),
  sha256: z.string(),
  model: z.string(),
  confidence: z.number(),
});

/** For the document. */
export const JobResponse = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  operations: z.array(z.enum(OPERATIONS)),
  /** Where they are not the usual ones. */
  options: CutOutOptions.optional(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  erasedAt: z.iso.datetime().optional(),
  input: z
    .object({ sha256: z.string(), bytes: z.number(), width: z.number(), height: z.number() })
    .optional(),
  results: z
    .object({ cutout: PublicCutOut.optional(), classification: Classification.optional() })
    .optional(),
  problem: PublicProblem.optional(),
  /** Told at the end of the job. */
  webhook: z.object({ url: z.string() }).optional(),
  links: z.object({ self: z.string(), result: z.string(), cancel: z.string() }),
});
export type JobResponse = z.infer<typeof JobResponse>;

const DEFAULTS = ClassifyOptions.parse({});

/** Words are put to what was seen when they are asked for, by the dictionary of the day. */
export const classificationOf = (
  view: NonNullable<NonNullable<JobRecord['results']>['view']>,
  fallbackId: string,
) => classify({ image: view, options: DEFAULTS, fallbackId });

function resultsOf({ id, results }: JobRecord) {
  if (!results) return {};
  const { cutout, view } = results;
  return {
    results: {
      ...(cutout && { cutout: { url: jobLinks(id).result, ...cutout } }),
      ...(view && { classification: classificationOf(view, id) }),
    },
  };
}

/** A job as its client sees it. */
export function jobResponse(job: JobRecord): JobResponse {
  const { id, status, operations, createdAt, startedAt, finishedAt, expiresAt, input } = job;
  return {
    ...{ id, status, operations, createdAt },
    ...(job.options && { options: job.options }),
    ...(startedAt && { startedAt }),
    ...(finishedAt && { finishedAt }),
    expiresAt,
    ...(job.erasure && { erasedAt: job.erasure.erasedAt }),
    ...(input && { input }),
    ...resultsOf(job),
    ...(job.problem && { problem: publicProblem(job.problem) }),
    ...(job.webhook && { webhook: job.webhook }),
    links: jobLinks(id),
  };
}
