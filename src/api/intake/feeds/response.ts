import { z } from 'zod';
import { FeedNoteField } from '../../../feed-formats/feed-error.ts';
import {
  BATCH_STATUSES,
  type BatchRecord,
  batchCounts,
  FEEDS_PATH,
  runCounts,
  runLinks,
} from '../../../intake/batches/batch-record.ts';
import { type FeedRecord, FeedSource } from '../../../intake/feeds/feeds.ts';
import { FeedLoss, FeedPlan, FeedReading } from '../../../intake/feeds/plan.ts';
import { CutOutOptions } from '../../../output/options.ts';
import { CutOutReview } from '../../../output/review.ts';
import { RulesReport } from '../../../output/rules/verdicts.ts';
import { OPERATIONS, StoredAccess } from '../../../queue/job-data.ts';
import { OutfitDescription } from '../../../taxonomy/outfit/outfit-schema.ts';
import { Classification } from '../../../taxonomy/response-schema.ts';
import { linksNamed, named } from '../../schema.ts';
import type { BatchCounts } from '../batches/response.ts';
import { duplicatesField, reviewCounts, reviewField } from '../batches/response.ts';
import { DuplicateOfField } from '../duplicates.ts';
import { PublicProblem, publicMembers, publicProblem } from '../job-response.ts';

const RunCounts = named('RunCounts', {
  rows: z.number().meta({ description: 'Rows of the feed, including rejected ones' }),
  images: z.number().meta({ description: 'Images to process; a row may have several' }),
  unchanged: z.number().meta({ description: 'The same as in the previous run; they cost nothing' }),
  stale: z.number().meta({
    description:
      'Their source cannot be read: the last good picture stays, and so do its link and its review',
  }),
  changed: z.number().meta({ description: 'Processed successfully' }),
  succeeded: z.number(),
  failed: z.number(),
  rejected: z.number().meta({ description: 'Invalid rows of the feed' }),
  units: z.number().meta({ description: 'Units of the quota that the run has used' }),
});

const reasonsField = z.record(z.string(), z.number()).meta({
  description: 'How many images failed or are stale, and rows were rejected, by reason',
});
export type RunCounts = z.infer<typeof RunCounts>;

export const RunResponse = named('Run', {
  id: z.string(),
  feedId: z.string(),
  status: z.enum(BATCH_STATUSES).meta({ description: '`open` while the feed is being read' }),
  counts: RunCounts,
  reasons: reasonsField,
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  problem: PublicProblem.optional(),
  plan: FeedPlan.optional().meta({ description: 'Of a dry run, at its end' }),
  held: FeedLoss.optional().meta({
    description:
      'What a `held` run would lose of the last one: nothing changes until you confirm it, or until another run',
  }),
  review: reviewField,
  duplicates: duplicatesField,
  links: linksNamed(
    'self',
    'report',
    'export',
    'review',
    'duplicates',
    'cancel',
    'confirm',
    'feed',
  ),
});
export type RunResponse = z.infer<typeof RunResponse>;

const PublicAccess = StoredAccess.omit({ sealed: true });

export const FeedResponse = named('Feed', {
  id: z.string(),
  source: FeedSource,
  ...FeedReading.shape,
  access: PublicAccess.optional().meta({
    description: 'What its server is sent; of secrets only the names of the headers',
  }),
  operations: z.array(z.enum(OPERATIONS)),
  /** Only those that differ from the defaults. */
  options: CutOutOptions.optional(),
  schedule: z.string().optional(),
  schedulePaused: z
    .object({ since: z.iso.datetime(), reason: z.string() })
    .optional()
    .meta({ description: 'Scheduled runs do not start' }),
  export: z.object({ background: z.string().optional() }),
  retention: z.object({ outputSeconds: z.number() }),
  webhook: z.object({ url: z.string() }).optional(),
  createdAt: z.iso.datetime(),
  run: RunResponse.optional().meta({ description: 'The latest run' }),
  runs: z.array(z.string()).meta({ description: 'Run ids, newest first' }),
  lastCompletedRunId: z.string().optional(),
  links: linksNamed('self', 'runs', 'export'),
});
export type FeedResponse = z.infer<typeof FeedResponse>;

/** Counts a run for its events: as its response does, and the images that are not done yet. */
export const runEventCounts = (run: BatchRecord): RunCounts & BatchCounts => ({
  ...batchCounts(run),
  ...runCounts(run),
});

export function runResponse(run: BatchRecord): RunResponse {
  const { id, feedId = '', status, problem, held } = run;
  const { events: _, ...links } = runLinks(feedId, id);
  return {
    ...publicMembers(RunResponse, run),
    feedId,
    counts: runCounts(run),
    problem: problem && publicProblem(problem),
    held: status === 'held' ? held : undefined,
    review: reviewCounts(run),
    links: { ...links, cancel: `${links.self}/cancel`, feed: `${FEEDS_PATH}/${feedId}` },
  };
}

const PAUSE_REASON =
  'The key of this feed is revoked or expired; start a run with another of your keys to resume';

export function feedResponse(feed: FeedRecord, run: BatchRecord | undefined): FeedResponse {
  const { schedulePausedAt: since } = feed;
  const self = `${FEEDS_PATH}/${feed.id}`;
  return {
    ...publicMembers(FeedResponse, feed),
    access: feed.access && publicMembers(PublicAccess, feed.access),
    schedulePaused: since ? { since, reason: PAUSE_REASON } : undefined,
    retention: { outputSeconds: feed.outputSeconds },
    run: run && runResponse(run),
    links: { self, runs: `${self}/runs`, export: `${self}/export` },
  };
}

export const ReportedImage = z.object({
  url: z.string(),
  outcome: z.enum(['changed', 'unchanged', 'stale', 'failed', 'not-done']),
  reason: z.string().optional(),
  staleSince: z.iso.datetime().optional(),
  review: CutOutReview.optional().meta({
    description: 'Of its cut-out; absent if there is none, or if an older release made it',
  }),
  refinements: z.number().optional().meta({
    description: 'How often people have mended its cut-out; absent if it is as it was made',
  }),
  duplicateOf: DuplicateOfField,
  rules: RulesReport.optional().meta({ description: 'Only if the options have rules' }),
  picture: z.string().optional().meta({ description: 'A link to the new picture' }),
  outfit: OutfitDescription.optional().meta({
    description: 'Its garments, if the feed has the operation `separate`',
  }),
});

export const ReportedProduct = z.object({
  kind: z.literal('product'),
  id: z.string(),
  title: z.string().optional(),
  line: z.number().meta({ description: 'Line of the feed, from 1' }),
  images: z.array(ReportedImage),
  classification: Classification.optional(),
  notes: z.array(z.string()),
});

export const RejectedRow = z.object({
  kind: z.literal('rejected'),
  id: z.string().optional(),
  title: z.string().optional(),
  line: z.number(),
  reasons: z.array(z.string()),
});

export const ReportNotes = z
  .object({ kind: z.literal('notes'), notes: z.array(FeedNoteField) })
  .meta({ description: 'The last line: what was read although it is not written as it should be' });

export const ReportLine = z
  .union([
    RunResponse.and(z.object({ kind: z.literal('run') })),
    ReportedProduct,
    RejectedRow,
    ReportNotes,
  ])
  .meta({ id: 'FeedReportLine' });
