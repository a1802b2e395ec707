import { z } from 'zod';
import type { ResponseDoc } from '../../http/route.ts';
import { type JobRecord, jobGarmentsPath, jobLinks, STATUSES } from '../../intake/job-records.ts';
import { Erasure } from '../../intake/retention.ts';
import { CutOutOptions, Foreground, MediaType } from '../../output/options.ts';
import { CutOutReview } from '../../output/review.ts';
import { RulesReport } from '../../output/rules/verdicts.ts';
import { PROBLEMS, Problem, type ProblemType } from '../../platform/problem.ts';
import type { GarmentFile, StoredOutfit } from '../../queue/job-data.ts';
import { CutOut, Input, OPERATIONS } from '../../queue/job-data.ts';
import { classify } from '../../taxonomy/classify.ts';
import { describeOutfit } from '../../taxonomy/outfit/describe-outfit.ts';
import { OutfitDescription } from '../../taxonomy/outfit/outfit-schema.ts';
import { ClassificationContext, DEFAULT_SETTINGS } from '../../taxonomy/request-schema.ts';
import { Classification, Fingerprint } from '../../taxonomy/response-schema.ts';
import { linksNamed, named } from '../schema.ts';

/**
 * Names the garments of a stored outfit at read time, with the current dictionary.
 * @param id starts the ids of the wardrobe items
 * @param urlOf returns where the cut-out of a garment is, if that is known
 */
export const outfitResponse = (
  outfit: StoredOutfit,
  id: string,
  urlOf: (index: number) => string | undefined,
): OutfitDescription =>
  describeOutfit(outfit, {
    settings: DEFAULT_SETTINGS,
    id,
    cutOutOf(index) {
      const file = outfit.files[index];
      const url = urlOf(index);
      return file && { ...(url !== undefined && { url }), ...file };
    },
  });

/** Returns the file of a garment by the index in a path, or nothing. */
export const garmentFile = (
  outfit: StoredOutfit | undefined,
  index: string | undefined,
): GarmentFile | undefined =>
  /^\d{1,4}$/.test(index ?? '') ? outfit?.files[Number(index)] : undefined;

export const garmentHeaders = ({ bytes, sha256 }: GarmentFile): Record<string, string> => ({
  'content-type': 'image/png',
  'content-length': String(bytes),
  'cache-control': 'private, no-store',
  etag: `"${sha256}"`,
});

export const garmentResponseDoc: ResponseDoc = {
  description: 'The cut-out of the garment: a PNG of the size of its box',
  content: { 'image/png': 'binary' },
  headers: ['ETag'],
  name: 'GarmentCutoutFile',
};

/** For results that may be ready in a second. */
export const RETRY_SOON = { 'retry-after': '1' } as const;

const isProblemType = (type: string): type is ProblemType => type in PROBLEMS;

interface Failure {
  type: string;
  detail: string;
}

export const failureProblem = ({ type, detail }: Failure): Problem =>
  new Problem(isProblemType(type) ? type : 'upstream-failed', detail);

export const jobProblem = ({ problem }: JobRecord): Problem =>
  failureProblem(problem ?? { type: '', detail: 'The job failed' });

export const PublicProblem = named('Failure', {
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
});

export function publicProblem(failure: Failure): z.infer<typeof PublicProblem> {
  const { type, title, status, detail } = failureProblem(failure);
  return { type, title, status, detail };
}

export const PublicCutOut = named('Cutout', {
  url: z.string(),
  ...CutOut.shape,
  mediaType: MediaType,
  foreground: Foreground.optional().meta({
    description: 'The bounding box of the subject in the output, pixels; absent if none was found',
  }),
  review: CutOutReview.optional().meta({
    description: 'Whether a person should look at it; absent from cut-outs of older releases',
  }),
  fingerprint: Fingerprint,
  rules: RulesReport.optional().meta({ description: 'Only if the options have rules' }),
});

export const JobResponse = named('Job', {
  id: z.string(),
  status: z.enum(STATUSES),
  operations: z.array(z.enum(OPERATIONS)),
  /** Only those that differ from the defaults. */
  options: CutOutOptions.optional(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  erasedAt: z.iso.datetime().optional(),
  input: Input.optional(),
  results: z
    .object({
      cutout: PublicCutOut.optional(),
      classification: Classification.optional(),
      outfit: OutfitDescription.optional(),
    })
    .optional(),
  problem: PublicProblem.optional(),
  /** How often its cut-out was mended; absent if never. */
  refinements: z.number().optional(),
  /** Notified at the end of the job. */
  webhook: z.object({ url: z.string() }).optional(),
  links: linksNamed('self', 'result', 'cancel'),
});
export type JobResponse = z.infer<typeof JobResponse>;

export const ErasureResponse = named('Receipt', { id: z.string(), ...Erasure.shape });

/** One that this release cannot read counts as none. */
const StoredContext = ClassificationContext.catch({});

/** Classifies stored image evidence at read time, with the current dictionary. */
export const classifyEvidence = (
  evidence: NonNullable<NonNullable<JobRecord['results']>['view']>,
  fallbackId: string,
  context: unknown = {},
) => {
  const { attributes, options, learned } = StoredContext.parse(context);
  const { locale } = DEFAULT_SETTINGS;
  const settings = { ...DEFAULT_SETTINGS, ...options, locale: options?.locale ?? locale };
  return classify({ image: evidence, attributes, options: settings, learned, fallbackId });
};

/** Returns the members of a record that its response has too, by the same name. */
export const publicMembers = <Shape extends z.ZodRawShape, Stored extends object>(
  { shape }: z.ZodObject<Shape>,
  record: Stored,
) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name in shape)) as Pick<
    Stored,
    keyof Stored & keyof Shape
  >;

function publicResults({ id, results, classification }: JobRecord): JobResponse['results'] {
  if (!results) return undefined;
  const { cutout, view, outfit } = results;
  const urlOf = (index: number) => `${jobGarmentsPath(id)}/${index}`;
  return {
    cutout: cutout && { url: jobLinks(id).result, ...cutout },
    classification: view && classifyEvidence(view, id, classification),
    outfit: outfit && outfitResponse(outfit, id, urlOf),
  };
}

export const jobResponse = (job: JobRecord): JobResponse => ({
  ...publicMembers(JobResponse, job),
  results: publicResults(job),
  erasedAt: job.erasure?.erasedAt,
  problem: job.problem && publicProblem(job.problem),
  refinements: job.earlierCutOuts?.length || undefined,
  links: jobLinks(job.id),
});
