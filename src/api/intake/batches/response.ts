import { z } from 'zod';
import {
  BATCH_STATUSES,
  type BatchRecord,
  BELOW,
  batchCounts,
  batchLinks,
} from '../../../intake/batches/batch-record.ts';
import { CutOutOptions } from '../../../output/options.ts';
import { OPERATIONS } from '../../../queue/job-data.ts';
import { linksNamed, listOf, named } from '../../schema.ts';
import { DuplicateCountsField } from '../duplicates.ts';
import { PublicProblem, publicMembers, publicProblem } from '../job-response.ts';

const Counts = named('BatchCounts', {
  accepted: z.number(),
  rejected: z.number(),
  queued: z.number().meta({ description: 'Accepted, but not assigned to a worker yet' }),
  active: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  canceled: z.number().meta({ description: 'Not finished when the batch ended' }),
});
export type BatchCounts = z.infer<typeof Counts>;

export const ReviewCounts = named('ReviewCounts', {
  needed: z.number().meta({ description: 'Cut-outs that a person should look at' }),
  approved: z.number(),
  rejected: z.number(),
  pending: z.number().meta({ description: 'Of those needed, not decided yet' }),
});

export const reviewField = ReviewCounts.optional().meta({
  description: 'Since the end; absent if no row was processed, or by a release without reviews',
});

export const duplicatesField = DuplicateCountsField.optional().meta({
  description: 'Since the end; absent if it ended under a release without fingerprints',
});

export const BatchResponse = named('Batch', {
  id: z.string(),
  status: z.enum(BATCH_STATUSES),
  name: z.string().optional(),
  operations: z.array(z.enum(OPERATIONS)),
  /** Only those that differ from the defaults. */
  options: CutOutOptions.optional(),
  counts: Counts,
  upload: z
    .object({ format: z.string(), offset: z.number() })
    .optional()
    .meta({ description: 'How much of the latest upload is stored: resume from `offset`' }),
  createdAt: z.iso.datetime(),
  sealedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  erasedAt: z.iso.datetime().optional(),
  problem: PublicProblem.optional(),
  webhook: z.object({ url: z.string() }).optional(),
  review: reviewField,
  duplicates: duplicatesField,
  links: linksNamed('self', ...BELOW.batch),
});
export type BatchResponse = z.infer<typeof BatchResponse>;

export const ItemsResponse = named('BatchUpload', {
  accepted: z.number(),
  rejected: z.number(),
  offset: z.number().meta({
    description: 'Bytes of the upload that are stored; for a form, files; for a feed, images',
  }),
  errors: listOf({
    line: z.number(),
    customId: z.string().optional(),
    problem: z.object({ type: z.string(), detail: z.string() }),
  }).meta({ description: 'The first ten rejected rows' }),
  warnings: z.array(z.string()),
});
export type ItemsResponse = z.infer<typeof ItemsResponse>;

export const BatchEvent = named('BatchEvent', {
  id: z.string(),
  status: z.enum(BATCH_STATUSES),
  counts: Counts,
});

/** Counts the cut-outs that a person should look at. */
export function reviewCounts({ review, reviewApproved, reviewRejected }: BatchRecord) {
  if (!review) return undefined;
  const decided = { approved: reviewApproved, rejected: reviewRejected };
  const pending = review.needed - reviewApproved - reviewRejected;
  return { needed: review.needed, ...decided, pending };
}

export const batchResponse = (batch: BatchRecord): BatchResponse => ({
  ...publicMembers(BatchResponse, batch),
  counts: batchCounts(batch),
  upload: batch.upload && { format: batch.upload.format, offset: batch.upload.offset },
  erasedAt: batch.erasure?.erasedAt,
  problem: batch.problem && publicProblem(batch.problem),
  review: reviewCounts(batch),
  links: batchLinks(batch.id),
});
