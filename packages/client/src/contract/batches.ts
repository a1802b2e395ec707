import type { Classification } from './classification.ts';
import type { DuplicateCounts, DuplicateRow } from './duplicates.ts';
import type { Operation, RetentionOptions, Webhook } from './jobs.ts';
import type { GarmentGroup, OutfitDescription } from './outfit.ts';
import type {
  AppliedCutOutOptions,
  CutOut,
  CutOutOptions,
  CutOutReview,
  InputImage,
  ProblemSummary,
} from './removal.ts';
import type { ReviewCounts } from './review.ts';
import type { RulesReport } from './rules.ts';

/* Batches: rows, results and progress. */

/** A new batch; its rows are added afterwards. */
export interface CreateBatchRequest {
  /** 1 to 200 characters. */
  name?: string | undefined;
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: CutOutOptions | undefined;
  retention?: RetentionOptions | undefined;
  webhook?: Webhook | undefined;
}

export type BatchStatus =
  | 'open'
  | 'held'
  | 'sealed'
  | 'running'
  | 'finalizing'
  | 'canceling'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'expired';

/** Rows of a batch, counted. */
export interface BatchCounts {
  accepted: number;
  rejected: number;
  /** Accepted, and not with a worker yet. */
  queued: number;
  active: number;
  succeeded: number;
  failed: number;
  /** Not done when the batch ended. */
  canceled: number;
}

/** How far the latest upload is: it continues from `offset`. */
export interface UploadState {
  format: string;
  /** Bytes of rows, or files of a form, that have arrived. */
  offset: number;
}

/** Paths on the service. */
export interface BatchLinks {
  self: string;
  items: string;
  results: string;
  errors: string;
  manifest: string;
  archive: string;
  events: string;
  review: string;
  duplicates: string;
}

/** Many images that are processed asynchronously. */
export interface Batch {
  id: string;
  status: BatchStatus;
  name?: string;
  operations: Operation[];
  options?: AppliedCutOutOptions;
  counts: BatchCounts;
  upload?: UploadState;
  createdAt: string;
  sealedAt?: string;
  finishedAt?: string;
  /** When results and records are deleted. */
  expiresAt: string;
  /** When the batch was deleted. */
  erasedAt?: string;
  problem?: ProblemSummary;
  webhook?: Webhook;
  /** Since the end. */
  review?: ReviewCounts;
  /** Since the end. */
  duplicates?: DuplicateCounts;
  links: BatchLinks;
}

/** One row of a batch; it has either `imageUrl` or `imageBase64`. */
export interface BatchRow {
  /** Yours; unique in the batch, up to 256 characters. */
  customId: string;
  /** http or https; public addresses only. */
  imageUrl?: string | undefined;
  /** Base64, or a data URL. */
  imageBase64?: string | undefined;
}

/** A row that succeeded. */
export interface BatchResult {
  /** Counted from 0. */
  row: number;
  customId: string;
  status: 'succeeded';
  /** How often people have mended the cut-out; absent if it is as it was made. */
  refinements?: number;
  cutout?: CutOut;
  classification?: Classification;
  /** Of batches with the operation `separate`. */
  outfit?: OutfitDescription;
  /** Since the end of the batch. */
  duplicateOf?: DuplicateRow;
}

/** A row that failed or was rejected. */
export interface BatchError {
  /** Counted from 0. */
  row: number;
  customId?: string;
  /** Line of the upload, counted from 1. */
  line: number;
  problem: ProblemSummary;
}

/** The cut-out of a row, to compare with a copy of it. */
export interface ManifestCutOut {
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** Path of the image on the service. */
  url: string;
  /** Absent from cut-outs that older releases made. */
  review?: CutOutReview;
  /** Only if the options have rules. */
  rules?: RulesReport;
}

/** The cut-out of a garment of a row, to compare with a copy of it. */
export interface ManifestGarment {
  /** Counted from 0. */
  index: number;
  group: GarmentGroup;
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
  /** Path of the image on the service. */
  url: string;
}

/** Any row of a batch. */
export interface BatchManifestRow {
  /** Counted from 0. */
  row: number;
  /** Line of the upload, counted from 1. */
  line: number;
  customId?: string;
  status: 'succeeded' | 'failed' | 'rejected' | 'pending' | 'canceled';
  input?: InputImage;
  /** How often people have mended the cut-out; absent if it is as it was made. */
  refinements?: number;
  cutout?: ManifestCutOut;
  /** Of batches with the operation `separate`. */
  garments?: ManifestGarment[];
  /** Since the end of the batch. */
  duplicateOf?: DuplicateRow;
  problem?: ProblemSummary;
}

/** The problem of a rejected row. */
export interface RejectionReason {
  type: string;
  detail: string;
}

/** A row that an upload rejected. */
export interface RejectedRow {
  /** Counted from 1. */
  line: number;
  customId?: string;
  problem: RejectionReason;
}

/** The result of an upload of rows or files. */
export interface UploadResult {
  accepted: number;
  rejected: number;
  /** Bytes of the rows, or number of the files, that have arrived. */
  offset: number;
  /** The first rejected rows, up to 10. */
  errors: RejectedRow[];
  warnings: string[];
}

/** Progress of a batch. */
export interface ProgressUpdate {
  event: 'progress' | 'completed';
  id: string;
  status: BatchStatus;
  counts: BatchCounts;
}
