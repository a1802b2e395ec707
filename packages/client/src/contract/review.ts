/* Reviews: what people decide about the cut-outs of a batch or a feed run. */

export type ReviewDecision = 'pending' | 'approved' | 'rejected';

/** Which cut-outs a download has: `passed` need no review, `approved` includes those that people approved. */
export type ExportPolicy = 'all' | 'passed' | 'approved';

/** How far a review is. */
export interface ReviewCounts {
  /** Cut-outs that a person should look at. */
  needed: number;
  approved: number;
  rejected: number;
  /** Of those needed, not decided yet. */
  pending: number;
}

/** Who decided. */
export interface ReviewAuthor {
  client: string;
  /** Id of the API key. */
  keyId: string;
}

/** The file that is decided about. */
export interface ReviewCutOut {
  /** Hexadecimal. */
  sha256: string;
  /** Path of the image on the service; absent if a newer run has replaced it. */
  url?: string;
}

/** Paths on the service. */
export interface ReviewRowLinks {
  self: string;
}

/** A row with its cut-out and the decision in effect. */
export interface ReviewRow {
  /** Counted from 0. */
  row: number;
  /** In feeds, the id of the product. */
  customId: string;
  /** In feeds, of the product. */
  title?: string;
  /** In feeds: of its product, 0 is the main image. */
  image?: number;
  imageUrl?: string;
  confidence: number;
  needed: boolean;
  reasons: string[];
  decision: ReviewDecision;
  /** Of the decision about this very row; 0 if nobody has made one. */
  revision: number;
  /** A decision about the row, a bulk approval, or one of an earlier run. */
  source?: 'row' | 'bulk' | 'earlier-run';
  decidedAt?: string;
  decidedBy?: ReviewAuthor;
  note?: string;
  /** How often people have mended the cut-out; absent if it is as it was made. */
  refinements?: number;
  /** A refinement needs `alpha`: the cut-out is drawn with a crop, a background or the like. */
  needsAlpha?: boolean;
  cutout: ReviewCutOut;
  links: ReviewRowLinks;
}

/** The version of a cut-out that was decided about. */
export interface ReviewedVersion {
  /** Hexadecimal. */
  cutoutSha256: string;
  /** Hexadecimal. */
  inputSha256: string;
  /** As of the row. */
  refinements?: number;
}

/** One decision about a row. */
export interface ReviewHistoryLine {
  revision: number;
  decision: ReviewDecision;
  note?: string;
  decidedAt: string;
  decidedBy: ReviewAuthor;
  version: ReviewedVersion;
}

/** A row with the last 20 decisions about it, the newest first. */
export interface ReviewRowHistory extends ReviewRow {
  history: ReviewHistoryLine[];
}

/** Where the next page is. */
export interface ReviewPageLinks {
  next: string;
}

/** A page of a review. It may be short, even empty, while `links` are there. */
export interface ReviewPage {
  review: ReviewCounts;
  rows: ReviewRow[];
  links?: ReviewPageLinks;
}

/** Pending rows of one confidence. */
export interface PendingRows {
  /** In thousandths. */
  confidence: number;
  rows: number;
}

/** How many rows a review has. */
export interface ReviewSummary {
  review: ReviewCounts;
  /** Rows that need a review, by reason; absent if the review began under an older release. */
  reasons?: Record<string, number>;
  /** The lowest confidence first. */
  pending: PendingRows[];
}

/** Which rows of a review to return. */
export interface ReviewQuery {
  /** `false` for all rows with a cut-out, in upload order. */
  needed?: boolean | undefined;
  /** Only rows with this reason. */
  reason?: string | undefined;
  decision?: ReviewDecision | undefined;
}

/** A decision about one row. */
export interface ReviewDecisionRequest {
  /** `pending` takes a decision back. */
  decision: ReviewDecision;
  /** Up to 500 characters. */
  note?: string | undefined;
  /** Of the decision that was seen; 0 if there is none. */
  revision: number;
}

/** An approval of all pending rows. */
export interface ReviewApprovalRequest {
  decision: 'approved';
  /** Of at least this confidence, in thousandths. */
  minConfidence: number;
}

/** What a bulk approval has approved. */
export interface ReviewApproval {
  /** Rows that needed a review and were pending. */
  approved: number;
  review: ReviewCounts;
}
