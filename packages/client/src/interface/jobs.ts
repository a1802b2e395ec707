import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { Bytes, CallOptions, ImageResponse } from './common.ts';
import type { RefineCutOutRequest } from './garments.ts';

/** A job for an image that is sent. */
export interface CreateJobFromImageRequest extends contract.JobOptions {
  /** JPEG, PNG or WebP. */
  image: Bytes;
  /** An image to put behind the subject: JPEG, PNG or WebP. */
  backgroundImage?: Bytes | undefined;
}

/** A job for an image that the service fetches. */
export interface CreateJobFromUrlRequest extends contract.JobOptions {
  /** http or https; public addresses only. */
  imageUrl: string;
  /** An image to put behind the subject: JPEG, PNG or WebP. */
  backgroundImage?: Bytes | undefined;
}

export type CreateJobRequest = CreateJobFromImageRequest | CreateJobFromUrlRequest;

export interface CreateJobOptions extends CallOptions {
  /**
   * 1 to 255 visible characters: a call with the key and content of an earlier one returns that one's job, for a day.
   * A new key by default.
   */
  idempotencyKey?: string | undefined;
}

/** Single images, processed asynchronously. */
export interface JobsClient {
  create(request: CreateJobRequest, options?: CreateJobOptions): Answer<contract.Job>;
  get(id: string, options?: CallOptions): Answer<contract.Job>;
  /** Polls until the job has succeeded, failed or been cancelled. */
  wait(id: string, options?: CallOptions): Answer<contract.Job>;
  /** Returns the cut-out. Throws the job's own problem if it failed. */
  result(id: string, options?: CallOptions): Promise<ImageResponse>;
  /** Returns the cut-out of a garment, of a job with the operation `separate`. */
  garment(id: string, index: number, options?: CallOptions): Promise<ImageResponse>;
  cancel(id: string, options?: CallOptions): Answer<contract.Job>;
  /** Mends the stored cut-out with strokes. Without `alpha` its own is mended. */
  refine(
    id: string,
    request: Omit<RefineCutOutRequest, 'alpha'> & Partial<Pick<RefineCutOutRequest, 'alpha'>>,
    options?: CallOptions,
  ): Answer<contract.Job>;
  /** Undoes the latest refinement, whose number is `refinements` of the job. */
  undoRefinement(id: string, version: number, options?: CallOptions): Answer<contract.Job>;
  delete(id: string, options?: CallOptions): Answer<contract.DeletionReceipt>;
}
