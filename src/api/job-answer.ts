import { z } from 'zod';
import { type JobRecord, OPERATIONS, STATUSES } from '../jobs/records.ts';
import { PROBLEMS, Problem, type ProblemType } from '../problem.ts';
import { classify } from '../taxonomy/classify.ts';
import { ClassifyOptions } from '../taxonomy/request-schema.ts';
import { Classification } from '../taxonomy/response-schema.ts';

export const JOBS_PATH = '/intake/v1/jobs';
/** When it makes sense to ask again, seconds. */
export const ASK_AGAIN = { 'retry-after': '1' } as const;

const isProblemType = (type: string): type is ProblemType => type in PROBLEMS;

/** Why a job failed, as it is thrown. */
export function jobProblem({ problem }: JobRecord): Problem {
  const { type, detail } = problem ?? { type: '', detail: 'The job failed' };
  return new Problem(isProblemType(type) ? type : 'upstream-failed', detail);
}

const linksOf = (id: string) => ({
  self: `${JOBS_PATH}/${id}`,
  result: `${JOBS_PATH}/${id}/result`,
  cancel: `${JOBS_PATH}/${id}/cancel`,
});

/** For the document. */
export const JobAnswer = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  operations: z.array(z.enum(OPERATIONS)),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  erasedAt: z.iso.datetime().optional(),
  input: z
    .object({ sha256: z.string(), bytes: z.number(), width: z.number(), height: z.number() })
    .optional(),
  results: z
    .object({
      cutout: z
        .object({
          url: z.string(),
          width: z.number(),
          height: z.number(),
          bytes: z.number(),
          sha256: z.string(),
          model: z.string(),
          confidence: z.number(),
        })
        .optional(),
      classification: Classification.optional(),
    })
    .optional(),
  problem: z
    .object({ type: z.string(), title: z.string(), status: z.number(), detail: z.string() })
    .optional(),
  links: z.object({ self: z.string(), result: z.string(), cancel: z.string() }),
});
export type JobAnswer = z.infer<typeof JobAnswer>;

function failureOf(job: JobRecord) {
  if (!job.problem) return {};
  const { type, title, status, detail } = jobProblem(job);
  return { problem: { type, title, status, detail } };
}

const DEFAULTS = ClassifyOptions.parse({});

/** Words are put to what was seen when they are asked for, by the dictionary of the day. */
function resultsOf({ id, results }: JobRecord) {
  if (!results) return {};
  const { cutout, view } = results;
  return {
    results: {
      ...(cutout && { cutout: { url: linksOf(id).result, ...cutout } }),
      ...(view && {
        classification: classify({ image: view, options: DEFAULTS, fallbackId: id }),
      }),
    },
  };
}

/** A job as its client sees it. */
export function jobAnswer(job: JobRecord): JobAnswer {
  const { id, status, operations, createdAt, startedAt, finishedAt, expiresAt, input } = job;
  return {
    ...{ id, status, operations, createdAt },
    ...(startedAt && { startedAt }),
    ...(finishedAt && { finishedAt }),
    expiresAt,
    ...(job.erasure && { erasedAt: job.erasure.erasedAt }),
    ...(input && { input }),
    ...resultsOf(job),
    ...failureOf(job),
    links: linksOf(id),
  };
}
