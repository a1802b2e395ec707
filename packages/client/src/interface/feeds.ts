import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { Bytes, CallOptions, FileDownload } from './common.ts';
import type { ReviewClient } from './reviews.ts';

/** A feed as its own bytes. */
export interface FeedBody {
  body: Bytes | string;
  /** Such as `text/csv`. */
  mediaType: string;
}

/** A feed that is sent as the body. */
export interface CreateFeedFromBodyRequest extends FeedBody, contract.FeedUploadOptions {}

/** A feed to look at, and how it is read. */
export interface InspectFeedRequest
  extends FeedBody,
    Pick<contract.FeedUploadOptions, 'format' | 'mapping' | 'fileName'> {}

export type CreateFeedRequest = contract.CreateFeedFromUrlRequest | CreateFeedFromBodyRequest;

/** The feed with new links, as it is downloaded. */
export type FeedExport = FileDownload;

export interface FeedExportCallOptions extends CallOptions {
  /** Which pictures the export links to; `all` by default. */
  export?: contract.ExportPolicy | undefined;
  /** Columns to fill; the feed needs the operation `classify`. */
  columns?: readonly contract.FilledColumn[] | undefined;
}

/** Options of a run of a feed. */
export interface FeedRunCallOptions extends CallOptions {
  /** Only counts what the run would do: `plan`. */
  dryRun?: boolean | undefined;
}

/** Retailers' product feeds. */
export interface FeedsClient {
  create(request: CreateFeedRequest, options?: FeedRunCallOptions): Answer<contract.Feed>;
  /** Says what is recognised in the beginning of a feed; nothing is stored. */
  inspect(request: InspectFeedRequest, options?: CallOptions): Answer<contract.FeedInspection>;
  /** Returns your feeds, the newest first. */
  list(options?: CallOptions): Promise<contract.Feed[]>;
  get(id: string, options?: CallOptions): Answer<contract.Feed>;
  /** Runs a feed now. A feed without a URL needs its current `body`. */
  run(id: string, body?: FeedBody, options?: FeedRunCallOptions): Answer<contract.FeedRun>;
  getRun(id: string, runId: string, options?: CallOptions): Answer<contract.FeedRun>;
  /** Yields progress until the run ends; reconnects by itself. */
  events(
    id: string,
    runId: string,
    options?: CallOptions,
  ): AsyncGenerator<contract.FeedProgressUpdate>;
  /** Yields the run, then every row of the feed with its outcome. */
  report(id: string, runId: string, options?: CallOptions): AsyncGenerator<contract.FeedReportLine>;
  /** Returns the feed with links to the new images, of this run or of the latest completed one. */
  export(id: string, runId?: string, options?: FeedExportCallOptions): Promise<FileDownload>;
  review(id: string, runId: string): ReviewClient;
  /** Yields the groups of images with the same picture, of a run that has ended. */
  duplicates(
    id: string,
    runId: string,
    options?: CallOptions,
  ): AsyncGenerator<contract.DuplicateGroup>;
  /** Lets a held run go on. */
  confirmRun(id: string, runId: string, options?: CallOptions): Answer<contract.FeedRun>;
  cancelRun(id: string, runId: string, options?: CallOptions): Answer<contract.FeedRun>;
  /** Changes how a feed is read, when it runs, and who is told; null removes what is set. */
  edit(id: string, changes: contract.FeedEdit, options?: CallOptions): Answer<contract.Feed>;
  delete(id: string, options?: CallOptions): Answer<contract.DeletionReceipt>;
}
