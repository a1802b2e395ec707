import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { Bytes, CallOptions, ImageResponse } from './common.ts';

/** A cut-out of a row to mend. */
export interface RefineRowRequest {
  /** The photo; needed unless it is still at the `imageUrl` of the row. */
  image?: Bytes | undefined;
  /** Instead of that of the present cut-out. */
  alpha?: Bytes | undefined;
  /** Applied in order; up to 50, with up to 5,000 points together. */
  strokes: readonly contract.Stroke[];
  /** Of the row as it was seen; without it, the present one. */
  revision?: number | undefined;
}

/** What people decide about the cut-outs of a batch or a feed run that has ended. */
export interface ReviewClient {
  /** Yields the rows that a person should look at, the most doubtful first. */
  rows(query?: contract.ReviewQuery, options?: CallOptions): AsyncGenerator<contract.ReviewRow>;
  /** Counts the rows by reason, and the pending ones by confidence. */
  summary(options?: CallOptions): Answer<contract.ReviewSummary>;
  /** Returns the photo of a row from its link. Throws `gone` if it was uploaded, or is another one now. */
  photo(row: number, options?: CallOptions): Promise<ImageResponse>;
  /** Returns a row with the decisions about it. */
  get(row: number, options?: CallOptions): Answer<contract.ReviewRowHistory>;
  /** Decides about a row. Throws a `conflict` if somebody else has decided meanwhile. */
  decide(
    row: number,
    request: contract.ReviewDecisionRequest,
    options?: CallOptions,
  ): Answer<contract.ReviewRow>;
  /** Mends the cut-out of a row, which is pending then. Throws a `conflict` like `decide`. */
  refine(row: number, request: RefineRowRequest, options?: CallOptions): Answer<contract.ReviewRow>;
  /** Undoes the latest refinement, whose number is `refinements` of the row. */
  undoRefinement(row: number, version: number, options?: CallOptions): Answer<contract.ReviewRow>;
  /** Approves what is pending from a confidence on. */
  approve(minConfidence: number, options?: CallOptions): Answer<contract.ReviewApproval>;
}
