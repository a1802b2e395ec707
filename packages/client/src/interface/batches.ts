import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { AnyIterable, Bytes, CallOptions, FileDownload, ImageResponse } from './common.ts';
import type { ReviewClient } from './reviews.ts';

export interface UploadOptions extends CallOptions {
  /** Continues the latest upload: pass the same rows or files again; those uploaded are skipped. */
  resume?: boolean | undefined;
}

export interface RowsOptions extends CallOptions {
  /** Skips the rows up to this number, counted from 0. */
  after?: number | undefined;
}

export interface CutOutRowsOptions extends RowsOptions {
  /** Which rows have their cut-outs; `all` by default. */
  export?: contract.ExportPolicy | undefined;
}

export interface NamedFile {
  /** Becomes the row's `customId`. */
  name: string;
  image: Bytes;
}

/** Many images, processed asynchronously. */
export interface BatchesClient {
  create(request?: contract.CreateBatchRequest, options?: CallOptions): Answer<contract.Batch>;
  /** Uploads rows in chunks, and resumes a chunk that breaks off. */
  addRows(
    id: string,
    rows: AnyIterable<contract.BatchRow>,
    options?: UploadOptions,
  ): Promise<contract.UploadResult>;
  /** Uploads files in chunks, and resumes a chunk that breaks off. */
  addFiles(
    id: string,
    files: AnyIterable<NamedFile>,
    options?: UploadOptions,
  ): Promise<contract.UploadResult>;
  /** Ends the upload; no more rows are accepted. */
  seal(id: string, options?: CallOptions): Answer<contract.Batch>;
  get(id: string, options?: CallOptions): Answer<contract.Batch>;
  /** Yields progress until the batch ends; reconnects by itself. */
  events(id: string, options?: CallOptions): AsyncGenerator<contract.ProgressUpdate>;
  /** Yields the rows that have succeeded so far, in upload order. */
  results(id: string, options?: CutOutRowsOptions): AsyncGenerator<contract.BatchResult>;
  /** Yields the rows that failed or were rejected so far, in upload order. */
  errors(id: string, options?: RowsOptions): AsyncGenerator<contract.BatchError>;
  /** Yields all rows, in upload order. */
  manifest(id: string, options?: CutOutRowsOptions): AsyncGenerator<contract.BatchManifestRow>;
  /** Opens a ZIP archive of all cut-outs so far; `errors.ndjson` in it lists the rows without one. */
  archive(id: string, options?: CutOutRowsOptions): Promise<FileDownload>;
  /** Returns the cut-out of one row. */
  cutout(id: string, row: number, options?: CallOptions): Promise<ImageResponse>;
  /** Returns the cut-out of a garment of one row, of a batch with the operation `separate`. */
  garment(id: string, row: number, index: number, options?: CallOptions): Promise<ImageResponse>;
  review(id: string): ReviewClient;
  /** Yields the groups of rows with the same picture, of a batch that has ended. */
  duplicates(id: string, options?: CallOptions): AsyncGenerator<contract.DuplicateGroup>;
  cancel(id: string, options?: CallOptions): Answer<contract.Batch>;
  delete(id: string, options?: CallOptions): Answer<contract.DeletionReceipt>;
}
