import type { BatchCounts, BatchStatus, ProgressUpdate } from './batches.ts';
import type { Classification } from './classification.ts';
import type { DuplicateCounts, DuplicateRow } from './duplicates.ts';
import type { Operation, Webhook } from './jobs.ts';
import type { OutfitDescription } from './outfit.ts';
import type {
  AlphaMode,
  AppliedCutOutOptions,
  CutOutReview,
  ProblemSummary,
  Quality,
  Subject,
} from './removal.ts';
import type { ReviewCounts } from './review.ts';
import type { RulesReport } from './rules.ts';

/* Feeds: runs and their reports. */

export type FeedFormat = 'auto' | 'rss' | 'atom' | 'xml' | 'tsv' | 'csv' | 'ndjson' | 'json';

/** A kind of export that is recognised by its columns. */
export type FeedPreset =
  | 'google'
  | 'plain'
  | 'shopify'
  | 'woocommerce'
  | 'magento'
  | 'prestashop'
  | 'awin'
  | 'criteo'
  | 'idealo'
  | 'heureka'
  | 'shopify-json';

/** Where the rows of a feed have what is read; what is not given is recognised. */
export interface FeedMapping {
  preset?: FeedPreset | undefined;
  /** The column, key or element with the id; `@id` is an attribute. */
  id?: string | undefined;
  /** The one with the image link; `a/b` is `b` within `a`. */
  image?: string | undefined;
  /** Those with further image links. */
  images?: string[] | undefined;
  title?: string | undefined;
  category?: string | undefined;
  /** The path of the rows in XML or JSON: `products/product`. */
  items?: string | undefined;
  /** Between the links in one value. */
  separator?: string | undefined;
  /** What relative links follow. */
  baseUrl?: string | undefined;
  /** Whether rows with the same id, one after the other, are one product. */
  group?: boolean | undefined;
}

/** What protected servers of a feed and its images need. Secrets are stored encrypted and not shown again. */
export interface FeedAccess {
  /** Of basic authentication. */
  username?: string | undefined;
  password?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** The only server that gets them; by default that of the feed's URL. */
  origin?: string | undefined;
  /** Sent to every server of the feed. */
  userAgent?: string | undefined;
  referer?: string | undefined;
}

/** What is changed of a feed; null removes it. */
export interface FeedEdit {
  format?: FeedFormat | undefined;
  mapping?: FeedMapping | null | undefined;
  access?: FeedAccess | null | undefined;
  options?: { quality: Quality } | undefined;
  schedule?: string | null | undefined;
  webhook?: Webhook | null | undefined;
}

/** Something that was read although it is not written as it should be. */
export interface FeedNote {
  code: string;
  detail: string;
  /** The first line that has it, from 1. */
  line: number;
  count: number;
}

/** What was recognised in the beginning of a feed. */
export interface FeedInspection {
  format?: Exclude<FeedFormat, 'auto'>;
  /** The kind of export that fits. */
  preset?: string;
  encoding?: string;
  /** The path of the rows in XML or JSON. */
  items?: string;
  group?: boolean;
  /** What is read from which columns, by their own names. */
  columns: Record<string, string[]>;
  /** All columns of the header or the first rows. */
  labels: string[];
  /** Products that were looked at. */
  rows: number;
  rejected: number;
  sample: { line: number; id: string; title?: string; images: string[] }[];
  rejections: { line: number; id?: string; detail: string }[];
  notes: FeedNote[];
  /** Why the feed cannot be read, or not further. */
  problem?: { reason: string; detail: string };
}

/** How the images of a feed are cut out. */
export interface FeedImageOptions {
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** Which part of the subject is shown; with `garment` the one that the row sells. `all` by default. */
  subject?: Subject | undefined;
  /** Judges the pictures of the export by this rule pack, such as `amazon-main`. */
  rules?: string | undefined;
  /** With `rules`: makes right what can be made right without inventing pixels; `false` by default. */
  fixRules?: boolean | undefined;
  /** `keep`: images that are transparent somewhere keep their alpha. `replace` by default. */
  alpha?: AlphaMode | undefined;
  /** The name of a preset: its options apply where none are given. */
  preset?: string | undefined;
}

/** How the exported images look. */
export interface FeedExportOptions {
  /** Behind the subject: `#rrggbb`, `white` or `none` (the default). */
  background?: string | undefined;
}

/** A column that an export fills, from the classification, in rows without a value of their own. */
export type FilledColumn = 'google_product_category' | 'color' | 'material';

/** How long runs and their images are retained. */
export interface FeedRetentionOptions {
  /** After the end of a run, seconds: 3600 to 34,560,000 (400 days); 365 days by default. */
  outputSeconds?: number | undefined;
}

/** A feed that the service reads from a URL. */
export interface CreateFeedFromUrlRequest {
  /** http or https, without credentials; public addresses only. */
  url: string;
  /** `auto` by default. */
  format?: FeedFormat | undefined;
  /** Recognised by default. */
  mapping?: FeedMapping | undefined;
  access?: FeedAccess | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: FeedImageOptions | undefined;
  /** When the URL is read again: five fields of cron in UTC, such as `30 4 * * *`. */
  schedule?: string | undefined;
  export?: FeedExportOptions | undefined;
  retention?: FeedRetentionOptions | undefined;
  /** Receives an event at the end of each run. */
  webhook?: Webhook | undefined;
}

/** What is asked of a feed that is sent as the body. */
export interface FeedUploadOptions {
  /** `auto` by default. */
  format?: FeedFormat | undefined;
  /** Recognised by default. */
  mapping?: FeedMapping | undefined;
  /** `['remove-background']` by default. */
  operations?: readonly Operation[] | undefined;
  /** `balanced` by default. */
  quality?: Quality | undefined;
  /** Which part of the subject is shown; with `garment` the one that the row sells. `all` by default. */
  subject?: Subject | undefined;
  /** Judges the pictures of the export by this rule pack, such as `amazon-main`. */
  rules?: string | undefined;
  /** With `rules`: makes right what can be made right without inventing pixels; `false` by default. */
  fixRules?: boolean | undefined;
  /** `keep`: images that are transparent somewhere keep their alpha. `replace` by default. */
  alpha?: AlphaMode | undefined;
  /** The name of a preset: its options apply where none are given. */
  preset?: string | undefined;
  /** Behind the subject: `#rrggbb`, `white` or `none` (the default). */
  background?: string | undefined;
  /** Retention after the end of a run, seconds: 3600 to 34,560,000; 365 days by default. */
  outputSeconds?: number | undefined;
  /** Receives an event at the end of each run. */
  webhookUrl?: string | undefined;
  /** Up to 200 characters. */
  fileName?: string | undefined;
}

/** Rows and images of a feed run, counted. */
export interface FeedRunCounts {
  /** Rows of the feed, including rejected ones. */
  rows: number;
  /** Images to process; a row may have several. */
  images: number;
  /** Images that are the same as in the run before; they cost nothing. */
  unchanged: number;
  /** Images whose source cannot be read: their last good picture stays. */
  stale: number;
  /** Images that were processed with success. */
  changed: number;
  succeeded: number;
  failed: number;
  /** Rows that cannot be used. */
  rejected: number;
  /** Units of the quota that the run has used. */
  units: number;
}

/** How much of what there was is lost. */
export interface FeedShare {
  before: number;
  lost: number;
}

/** What a run has lost of the last completed one. */
export interface FeedLoss {
  /** Products with a good picture or classification. */
  rows: FeedShare;
  pictures: FeedShare;
  /** The first products that are missing. */
  first: { id: string; title?: string }[];
}

/** What a run would do, counted before an image is fetched. */
export interface FeedPlan {
  products: number;
  /** Images of all products. */
  links: number;
  /** Different links. */
  photos: number;
  /** Rows that are rejected. */
  unreadable: number;
  /** At most. */
  units: number;
  loss: FeedLoss;
}

/** Progress of a feed run. */
export interface FeedProgressUpdate extends ProgressUpdate {
  counts: BatchCounts & FeedRunCounts;
}

/** Paths on the service. */
export interface FeedRunLinks {
  self: string;
  report: string;
  export: string;
  review: string;
  duplicates: string;
  cancel: string;
  confirm: string;
  feed: string;
}

/** One import of a feed. */
export interface FeedRun {
  id: string;
  feedId: string;
  /** `open` while the feed is being read. */
  status: BatchStatus;
  counts: FeedRunCounts;
  /** How many images failed or are stale, and rows were rejected, by reason. */
  reasons: Record<string, number>;
  createdAt: string;
  finishedAt?: string;
  /** When results and records are deleted. */
  expiresAt: string;
  problem?: ProblemSummary;
  /** Of a dry run, at its end. */
  plan?: FeedPlan;
  /** What a held run would lose of the last one. */
  held?: FeedLoss;
  /** Since the end. */
  review?: ReviewCounts;
  /** Since the end. */
  duplicates?: DuplicateCounts;
  links: FeedRunLinks;
}

/** A feed that was read from a URL. */
export interface FeedUrlSource {
  url: string;
}

/** A feed that was sent as a body. */
export interface FeedUploadSource {
  uploaded: true;
}

/** Paths on the service. */
export interface FeedLinks {
  self: string;
  runs: string;
  export: string;
}

/** The retention in effect. */
export interface FeedRetention {
  /** Seconds after the end of a run. */
  outputSeconds: number;
}

/** Scheduled runs do not start. */
export interface FeedSchedulePause {
  since: string;
  /** What happened, and how to resume. */
  reason: string;
}

/** A retailer's product feed. */
export interface Feed {
  id: string;
  source: FeedUrlSource | FeedUploadSource;
  format: FeedFormat;
  mapping?: FeedMapping;
  /** What its server is sent; of secrets only the names of the headers. */
  access?: Pick<FeedAccess, 'userAgent' | 'referer'> & { origin: string; headers: string[] };
  operations: Operation[];
  options?: AppliedCutOutOptions;
  /** Cron, UTC. */
  schedule?: string;
  /** Set while the schedule is paused. */
  schedulePaused?: FeedSchedulePause;
  export: FeedExportOptions;
  retention: FeedRetention;
  webhook?: Webhook;
  createdAt: string;
  /** The latest run. */
  run?: FeedRun;
  /** Ids of all runs, newest first. */
  runs: string[];
  lastCompletedRunId?: string;
  links: FeedLinks;
}

/** The first line of a report: the run itself. */
export interface FeedReportRun extends FeedRun {
  kind: 'run';
}

/** A row of the feed that cannot be used. */
export interface FeedReportRejection {
  kind: 'rejected';
  id?: string;
  title?: string;
  /** Counted from 1. */
  line: number;
  reasons: string[];
}

/** One image of a product and its outcome. */
export interface FeedReportImage {
  /** As the feed has it. */
  url: string;
  outcome: 'changed' | 'unchanged' | 'stale' | 'failed' | 'not-done';
  reason?: string;
  /** Since when its source cannot be read. */
  staleSince?: string;
  /** Of its cut-out; absent if there is none, or if an older release made it. */
  review?: CutOutReview;
  /** How often people have mended its cut-out; absent if it is as it was made. */
  refinements?: number;
  /** The first image with the same picture; since the end of the run. */
  duplicateOf?: DuplicateRow;
  /** Only if the options have rules. */
  rules?: RulesReport;
  /** The URL of the new image. */
  picture?: string;
  /** Its garments; only in feeds with the operation `separate`. */
  outfit?: OutfitDescription;
}

/** A product of the feed. */
export interface FeedReportProduct {
  kind: 'product';
  id: string;
  title?: string;
  /** Counted from 1. */
  line: number;
  notes: string[];
  images: FeedReportImage[];
  /** Of the row and its image; only in feeds with the operation `classify`. */
  classification?: Classification;
}

/** The last line of a report, if there is anything to note. */
export interface FeedReportNotes {
  kind: 'notes';
  notes: FeedNote[];
}

/** One line of a feed report: the run, each row, then what was noted. */
export type FeedReportLine =
  | FeedReportRun
  | FeedReportRejection
  | FeedReportProduct
  | FeedReportNotes;
