import type { Classification } from './classification.ts';
import type { OutfitDescription } from './outfit.ts';
import type {
  AppliedCutOutOptions,
  CutOut,
  CutOutOptions,
  InputImage,
  ProblemSummary,
} from './removal.ts';

/* Jobs, and what batches and feeds share with them. */

/** What is done to an image. */
export type Operation = 'remove-background' | 'classify' | 'separate';

/** How long results are retained. */
export interface RetentionOptions {
  /** After the end of the work, seconds: 60 to 604,800 (7 days); 86,400 by default. */
  outputSeconds?: number | undefined;
}

/** Receives an event when the work ends; see Standard Webhooks 1.0. */
export interface Webhook {
  /** http or https, without credentials; public addresses only, redirects are not followed. */
  url: string;
}

/** What is asked of a job, apart from its images. */
export interface JobOptions {
  /** `['remove-background']` by default. */
  operations?: Operation[] | undefined;
  options?: CutOutOptions | undefined;
  retention?: RetentionOptions | undefined;
  webhook?: Webhook | undefined;
}

export type JobStatus = 'queued' | 'active' | 'succeeded' | 'failed' | 'canceled' | 'expired';

export interface JobResults {
  cutout?: CutOut;
  classification?: Classification;
  /** Of jobs with the operation `separate`. */
  outfit?: OutfitDescription;
}

/** Paths on the service. */
export interface JobLinks {
  self: string;
  result: string;
  cancel: string;
}

/** One image that is processed asynchronously. */
export interface Job {
  id: string;
  status: JobStatus;
  operations: Operation[];
  options?: AppliedCutOutOptions;
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  /** When results and record are deleted. */
  expiresAt: string;
  /** When the job was deleted. */
  erasedAt?: string;
  input?: InputImage;
  results?: JobResults;
  problem?: ProblemSummary;
  /** How often its cut-out was mended; absent if never. */
  refinements?: number;
  webhook?: Webhook;
  links: JobLinks;
}

/** Proof of a deletion. */
export interface DeletionReceipt {
  id: string;
  erasedAt: string;
  /** How many images, rows and results were deleted; where the storage keeps versions, how many versions. */
  blobs: number;
  /** The storage may keep versions of them that cannot be deleted; else absent. */
  incomplete?: true;
}
