import type {
  AccountKey,
  BatchCounts,
  BatchStatus,
  CandidatesRequest,
  CandidatesResponse,
  CutOutOptions,
  FeedRunCounts,
  JobRequest,
  Outfit,
  TargetsRequest,
} from './generated/contract.ts';

/**
 * The JSON that the service accepts and returns. The names are those of its OpenAPI document
 * (`GET /openapi.json`), which has every rule. Units are part of names or stand in the comments:
 * `clo` is clothing insulation (1 clo = 0.155 m²·K/W), `met` is activity (1 met = 58.2 W/m²).
 * Dates are ISO 8601 in UTC. A `share`, a `confidence` and a rating are numbers from 0 to 1.
 */
export type * from './generated/contract.ts';

/* Parts that several types of the document have in common, and what no schema of it describes. */

/** What is asked of a job, apart from its images. */
export type JobOptions = Pick<JobRequest, 'operations' | 'options' | 'retention' | 'webhook'>;

/** How a mended cut-out is drawn. */
export type RefinementOptions = Omit<
  CutOutOptions,
  'alpha' | 'preset' | 'roi' | 'backgroundImageUrl' | 'subject'
>;

/** Progress of a batch. */
export interface ProgressUpdate {
  event: 'progress' | 'completed';
  id: string;
  status: BatchStatus;
  counts: BatchCounts;
}

/** Progress of a feed run. */
export interface FeedProgressUpdate extends ProgressUpdate {
  counts: BatchCounts & FeedRunCounts;
}

/** A new key of your client; `key` is not shown again. */
export interface NewAccountKey extends AccountKey {
  key: string;
}

/** A key that was revoked, and when. */
export type RevokedKey = Pick<AccountKey, 'id' | 'current'> & { revokedAt?: string };

/** A column that an export fills, from the classification, in rows without a value of their own. */
export type FilledColumn = 'google_product_category' | 'color' | 'material';

/** Whom an outfit is for. */
export type PersonFields = Pick<TargetsRequest, 'userProfile' | 'cloOffset' | 'occasion'>;

/** A wardrobe, and what must and must not be worn from it. */
export type WardrobeFields = Pick<
  CandidatesRequest,
  'items' | 'seed' | 'must' | 'pin' | 'exclude' | 'coverage' | 'locale'
>;

/** What every search for outfits returns. */
export type SearchResponse = Omit<CandidatesResponse, 'candidates' | 'totalValid'>;

/** How good an outfit is, and why. */
export type OutfitAssessment = Pick<
  Outfit,
  'score' | 'breakdown' | 'thermal' | 'warnings' | 'explanation' | 'shell'
>;
