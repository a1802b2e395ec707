import { z } from 'zod';
import { DECISIONS, MAX_NOTE_CHARS } from '../../../intake/review/decisions.ts';
import { ReviewRow } from '../../../intake/review/review-rows.ts';
import { ChosenCategory } from '../../../taxonomy/learned.ts';
import { linksNamed, listOf, named, namedRequest } from '../../schema.ts';
import { ReviewCounts } from '../batches/response.ts';
import { PageLinks } from '../page.ts';

export const ReviewQuery = z.object({
  needed: z.enum(['true', 'false']).default('true').meta({
    description: '`false` for all rows with a cut-out, in upload order',
  }),
  reason: z.string().max(100).optional().meta({
    description: 'Only rows with this reason, such as `gap-unsure`',
  }),
  decision: z.enum(DECISIONS).optional().meta({ description: 'Only rows with this decision' }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.coerce.number().int().min(0).default(0).meta({ description: 'As in `links.next`' }),
});
export type ReviewQuery = z.infer<typeof ReviewQuery>;

export const DecisionRequest = namedRequest('ReviewDecisionRequest', {
  decision: z.enum(DECISIONS).meta({ description: '`pending` takes a decision back' }),
  note: z.string().trim().min(1).max(MAX_NOTE_CHARS).optional(),
  category: ChosenCategory.optional().meta({
    description:
      'What the row sells: the id of a category, or `none` for no garment. In feeds it is learnt for the `shopPath` of the row',
  }),
  revision: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description: 'Of the decision that you have seen; 0 if there is none',
  }),
});
export type DecisionRequest = z.infer<typeof DecisionRequest>;

export const ApprovalRequest = namedRequest('ReviewApprovalRequest', {
  decision: z.literal('approved'),
  minConfidence: z.number().min(0).max(1).meta({
    description: 'In thousandths; rows of at least this confidence',
  }),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

const DecidedBy = z.object({
  client: z.string(),
  keyId: z.string().meta({
    description:
      'Id of the API key, as its operator knows it; or who had signed in to the console without one',
  }),
});

const decisionFields = {
  decision: z.enum(DECISIONS),
  revision: z.number().meta({
    description: 'Of the decision about this very row; 0 if nobody has made one',
  }),
  source: z.enum(['row', 'bulk', 'earlier-run']).optional().meta({
    description: 'A decision about the row, a bulk approval, or one of an earlier run',
  }),
  decidedAt: z.iso.datetime().optional(),
  decidedBy: DecidedBy.optional(),
  note: z.string().optional(),
  category: z.string().optional().meta({ description: 'As somebody decided about this very row' }),
};

export const ReviewRowResponse = named('ReviewRow', {
  ...ReviewRow.omit({ key: true, sha256: true, inputSha256: true }).shape,
  ...decisionFields,
  refinements: z.number().optional().meta({
    description: 'How often people have mended the cut-out; absent if it is as it was made',
  }),
  needsAlpha: z.boolean().optional().meta({
    description:
      'A refinement needs `alpha`: the cut-out is drawn with a crop, a background or the like',
  }),
  cutout: z.object({
    sha256: z.string().meta({ description: 'Of the file: the version that is decided about' }),
    url: z.string().optional().meta({
      description: 'Absent if a newer run of the feed has replaced it',
    }),
  }),
  links: linksNamed('self'),
});
export type ReviewRowResponse = z.infer<typeof ReviewRowResponse>;

export const ReviewRowHistory = ReviewRowResponse.extend({
  history: listOf({
    revision: z.number(),
    decision: z.enum(DECISIONS),
    note: z.string().optional(),
    category: z.string().optional(),
    decidedAt: z.iso.datetime(),
    decidedBy: DecidedBy,
    version: z.object({
      cutoutSha256: z.string(),
      inputSha256: z.string(),
      refinements: z.number().optional().meta({ description: 'As of the row' }),
    }),
  }).meta({ description: 'The last 20 decisions about the row, the newest first' }),
}).meta({ id: 'ReviewRowHistory' });

export const ReviewPage = named('ReviewPage', {
  review: ReviewCounts,
  rows: z.array(ReviewRowResponse),
  links: PageLinks,
});

export const ReviewSummary = named('ReviewSummary', {
  review: ReviewCounts,
  reasons: z.record(z.string(), z.number()).optional().meta({
    description:
      'Rows that need a review, by reason; a row may have several. Absent if the review began under a release that did not count them',
  }),
  pending: listOf({ confidence: z.number(), rows: z.number() }).meta({
    description: 'Pending rows by confidence in thousandths, the lowest first',
  }),
});

export const ApprovalResponse = named('ReviewApproval', {
  approved: z.number().meta({ description: 'Rows that needed a review and were pending' }),
  review: ReviewCounts,
});
