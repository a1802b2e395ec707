import { z } from 'zod';
import { StoredAccess } from '../../queue/job-data.ts';
import { FeedLoss, FeedPlan, FeedReading } from '../feeds/plan.ts';
import { parseHashFields } from '../record-fields.ts';
import { Accepted, Erasure, ExportPolicy } from '../retention.ts';
import { outboxEntry } from '../webhooks/outbox.ts';
import { REASON_FIELD } from './scripts.ts';

/**
 * States of a batch: `open` takes rows, `held` would lose too much of its feed and waits for a person, `sealed` waits for its turn, `running` has rows at the workers,
 * `finalizing` writes the remaining results. The last four are final.
 */
// biome-ignore format: a list reads best in lines
export const BATCH_STATUSES = [
  'open', 'held', 'sealed', 'running', 'finalizing', 'canceling', 'completed', 'canceled',
  'failed', 'expired',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** States in which rows are processed. */
export const BATCH_RUNNING_STATUSES: readonly BatchStatus[] = ['sealed', 'running'];
export const BATCH_CANCELED_STATUSES: readonly BatchStatus[] = ['canceling', 'canceled'];
export const BATCH_TERMINAL_STATUSES: readonly BatchStatus[] = [
  'completed',
  'canceled',
  'failed',
  'expired',
];

/** How much of the latest upload has been appended; enough to resume it. */
export const Upload = z.object({
  format: z.enum(['ndjson', 'csv', 'files', 'feed']),
  /** Bytes of the upload that have been read, and the number of the next line. */
  offset: z.number(),
  line: z.number(),
  rows: z.number(),
  /** The row of a CSV upload that names its columns. */
  header: z.string().optional(),
});
export type Upload = z.infer<typeof Upload>;

const counted = (rows: number): Upload => ({ format: 'files', offset: rows, line: rows + 1, rows });

/** How far the rows of a batch have come that are no lines of an upload, by what it is filled from. */
export const PROGRESS: Readonly<
  Record<BatchManifest['kind'], (rows: number, line: number) => Upload>
> = {
  batch: counted,
  source: counted,
  'feed-run': (rows, line) => ({ format: 'files', offset: 0, line, rows }),
};

/** The immutable part of a batch, which is also in object storage. */
export const BatchManifest = Accepted.extend({
  /** Rows come from requests, from a run of a feed, or from a source. */
  kind: z.enum(['batch', 'feed-run', 'source']),
  exportPolicy: ExportPolicy,
  name: z.string().optional(),
  /** Whose quota the rows use: when they are accepted, or in a feed's run when they are processed. */
  meter: z.object({ meter: z.string(), quotaPerDay: z.number() }).optional(),
  feedId: z.string().optional(),
  /** A run that only counts what it would do. */
  dryRun: z.literal(true).optional(),
  /** Background of a feed's pictures, `#rrggbb`; transparent without it. */
  background: z.string().optional(),
  /** How the document of a run is read: a feed may be changed meanwhile. */
  reading: FeedReading.optional(),
  access: StoredAccess.optional(),
});
export type BatchManifest = z.infer<typeof BatchManifest>;

export const DuplicateCounts = z.object({
  compared: z.number().meta({ description: 'Rows whose pictures were compared' }),
  groups: z.number(),
  rows: z.number().meta({ description: 'Rows that repeat the picture of an earlier one' }),
});
export type DuplicateCounts = z.infer<typeof DuplicateCounts>;

const Problem = z.object({ type: z.string(), detail: z.string() });

/** The fields of a record that Redis stores as JSON. */
const JsonFields = BatchManifest.extend({
  sealedAt: z.iso.datetime().optional(),
  finishedAt: z.iso.datetime().optional(),
  /** An estimate until the batch ends. */
  expiresAt: z.iso.datetime(),
  upload: Upload.optional(),
  problem: Problem.optional(),
  /** Of a dry run, since its end. */
  plan: FeedPlan.optional(),
  /** What a held run of a feed would lose. */
  held: FeedLoss.optional(),
  /** Since its end: how many cut-outs need a person. */
  review: z.object({ needed: z.number() }).optional(),
  /** Since its end: rows with the same picture. */
  duplicates: DuplicateCounts.optional(),
  /** When none of them was pending for the first time. */
  reviewedAt: z.iso.datetime().optional(),
  buriedAt: z.iso.datetime().optional(),
  erasure: Erasure.optional(),
});

/** A record without its counts. */
export const BatchFields = JsonFields.extend({ status: z.enum(BATCH_STATUSES) });

// biome-ignore format: a list reads best in lines
export const COUNTS = [
  'chunks', 'accepted', 'rejected', 'issued', 'succeeded', 'failed', 'unchanged', 'stale',
  'units', 'revision', 'reviewApproved', 'reviewRejected',
] as const;

/** Counts that object storage tells. */
type ProgressCount = Exclude<
  (typeof COUNTS)[number],
  'revision' | 'reviewApproved' | 'reviewRejected'
>;

type Counts = Record<(typeof COUNTS)[number], number>;

/**
 * The record of a batch in Redis. `issued` rows were handed to workers, ended ones included. `stale` rows of feeds
 * are among the unchanged; `units` were charged while the run was processed.
 */
export interface BatchRecord extends z.infer<typeof JsonFields>, Counts {
  status: BatchStatus;
  /** Rows that failed, were rejected or are stale, by reason. */
  reasons: Readonly<Record<string, number>>;
  cursor: Cursor;
}

/** The line of a chunk's file that is handed out next. */
export interface Cursor {
  chunk: number;
  line: number;
}

export type BatchChanges = Partial<Omit<z.infer<typeof JsonFields>, keyof BatchManifest>>;

/** How far a batch has come, as object storage has it. */
export interface StoredProgress extends Record<ProgressCount, number> {
  cursor: Cursor;
  reasons: Readonly<Record<string, number>>;
  upload?: Upload;
  /** Number of each chunk's first row. */
  firstRows: readonly number[];
  /** Chunks whose results are in object storage. */
  written: readonly number[];
}

export const writeCursor = ({ chunk, line }: Cursor): string => `${chunk}:${line}`;
function readCursor(text = '0:0'): Cursor {
  const [chunk = 0, line = 0] = text.split(':').map(Number);
  return { chunk, line };
}

export function readRecord({ status, cursor, ...fields }: Record<string, string>): BatchRecord {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, Number(fields[name] ?? 0)]));
  const others = Object.entries(fields).filter(([name]) => !(name in counts));
  const isReason = ([name]: [string, string]) => name.startsWith(REASON_FIELD);
  const jsonFields = others.filter((field) => !isReason(field));
  const reasons = others
    .filter(isReason)
    .map(([name, count]) => [name.slice(REASON_FIELD.length), Number(count)]);
  return {
    ...JsonFields.parse(parseHashFields(Object.fromEntries(jsonFields))),
    ...(counts as Counts),
    reasons: Object.fromEntries(reasons),
    status: z.enum(BATCH_STATUSES).parse(status),
    cursor: readCursor(cursor),
  };
}

export function batchCounts(batch: BatchRecord) {
  const { status, accepted, rejected, issued, succeeded, failed } = batch;
  const hasEnded = BATCH_TERMINAL_STATUSES.includes(status);
  return {
    accepted,
    rejected,
    succeeded,
    failed,
    queued: hasEnded ? 0 : accepted - issued,
    active: hasEnded ? 0 : issued - succeeded - failed,
    canceled: hasEnded ? accepted - succeeded - failed : 0,
  };
}

export function runCounts(run: BatchRecord) {
  const { upload, accepted, rejected, succeeded, failed, stale, units } = run;
  const [changed, unchanged] = [succeeded - run.unchanged, run.unchanged - stale];
  const rows = upload?.rows ?? 0;
  const outcomes = { unchanged, stale, changed, succeeded, failed, rejected };
  return { rows, images: accepted, ...outcomes, units };
}

/** What the webhook event of the end of a batch or run says of its rows. */
export const endFacts = (batch: BatchRecord) =>
  batch.feedId
    ? { counts: runCounts(batch), reasons: batch.reasons }
    : {
        counts: {
          accepted: batch.accepted,
          rejected: batch.rejected,
          succeeded: batch.succeeded,
          failed: batch.failed,
        },
        reasons: batch.reasons,
      };

export const BATCHES_PATH = '/intake/v1/batches';
export const FEEDS_PATH = '/intake/v1/feeds';

/** Returns the path of something, and those below it, by their names. */
const linksBelow = <Name extends string>(self: string, names: readonly Name[]) => ({
  self,
  ...(Object.fromEntries(names.map((name) => [name, `${self}/${name}`])) as Record<Name, string>),
});

// biome-ignore format: a table reads best aligned
/** Names of what is below a batch or run in links. */
export const BELOW = {
  batch: ['items', 'results', 'errors', 'manifest', 'archive', 'events', 'review', 'duplicates'],
  run: ['report', 'export', 'events', 'review', 'duplicates', 'confirm'],
} as const;

export const batchLinks = (id: string) => linksBelow(`${BATCHES_PATH}/${id}`, BELOW.batch);

export const runLinks = (feedId: string, id: string) =>
  linksBelow(`${FEEDS_PATH}/${feedId}/runs/${id}`, BELOW.run);

/** A webhook event about a batch or run as an outbox entry, or nothing if the client gave no webhook. */
function entryOf(
  { id, client, webhook, feedId }: BatchManifest,
  event: 'completed' | 'reviewed' | 'held',
  status: string,
  atMillis: number,
  facts: object = {},
) {
  if (!webhook) return undefined;
  const common = { client, url: webhook.url, id, status, atMillis, facts };
  if (feedId) {
    return outboxEntry({ type: `feed.run.${event}`, links: runLinks(feedId, id), ...common });
  }
  if (event === 'held') return undefined;
  return outboxEntry({ type: `batch.${event}`, links: batchLinks(id), ...common });
}

/** The webhook event of a batch's or run's end. @param facts counts and reasons */
export const batchCompletedEntry = (
  batch: BatchManifest,
  status: string,
  atMillis: number,
  facts: object,
) => entryOf(batch, 'completed', status, atMillis, facts);

/** The webhook event of a batch or run of which no cut-out waits for a person any more. */
export const batchReviewedEntry = (batch: BatchManifest, status: string, atMillis: number) =>
  entryOf(batch, 'reviewed', status, atMillis);

/** The webhook event of a run that waits for a person. @param facts what it would lose */
export const runHeldEntry = (run: BatchManifest, atMillis: number, facts: object) =>
  entryOf(run, 'held', 'held', atMillis, facts);
