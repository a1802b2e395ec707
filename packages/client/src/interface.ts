import type * as contract from './contract.ts';

/** How often and when a call is retried. */
export interface RetryOptions {
  /**
   * Attempts in total, 1 for no retry. By default a call goes on until its time limit, and a stream for 5 attempts
   * without progress.
   */
  maxAttempts?: number | undefined;
  /** Longest first delay, milliseconds, before jitter; doubles with each attempt; 500 by default. */
  baseMillis?: number | undefined;
  /**
   * Longest delay between attempts, milliseconds; 20,000 by default. A `Retry-After` of the service
   * may be longer.
   */
  maxDelayMillis?: number | undefined;
  /** @deprecated Use `maxAttempts`, which takes precedence. */
  mostAttempts?: number | undefined;
  /** @deprecated Use `maxDelayMillis`, which takes precedence. */
  mostMillis?: number | undefined;
}

/** Replaces clock, timers and randomness in tests. */
export interface Timing {
  /** Resolves after `millis`; rejects with the signal's reason if that comes first. */
  sleep(millis: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** From 0 inclusive to 1 exclusive. */
  random(): number;
}

export interface ClientOptions {
  /** The service, such as `https://gateway.example`; in a page, the page's own origin by default. */
  baseUrl?: string | undefined;
  /** The API key, or a function that returns it, called for each attempt. Without it, the session of the page is used. */
  key?: string | (() => string | Promise<string>) | undefined;
  /** Everyone who opens a page can read a key in it. Set it to `true` only if that is intended. */
  allowKeyInBrowser?: boolean | undefined;
  /** Largest request body, bytes; 20 MiB by default. */
  maxBodyBytes?: number | undefined;
  /** Time limit of one attempt, and of silence in a stream, milliseconds; 60,000 by default. */
  attemptTimeoutMillis?: number | undefined;
  /**
   * Time limit of a call with all its attempts and delays, milliseconds; 300,000 by default. Streams
   * have none.
   */
  timeoutMillis?: number | undefined;
  retry?: RetryOptions | undefined;
  timing?: Partial<Timing> | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of this call with all its attempts and delays, milliseconds. */
  timeoutMillis?: number | undefined;
}

/** A JSON response, with the request id to quote in support requests. */
export type WithRequestId<T> = T & { requestId: string };

/** Binary data of an image or a feed. */
export type Bytes = Uint8Array | Blob;

export type AnyIterable<T> = Iterable<T> | AsyncIterable<T>;

/** An image whose media type and signature were verified. */
export interface ImageResponse {
  image: Uint8Array<ArrayBuffer>;
  mediaType: string;
  /** `id@version`. */
  model: string | undefined;
  /** Likelihood that the cut-out is good, 0 to 1; undefined if the service does not say. */
  confidence: number | undefined;
  /** Whether a person should look at it; undefined if the service does not say. */
  review: contract.CutOutReview | undefined;
  /** Whether it meets the rules of `rules`, and the ids of those that it does not; undefined without them. */
  rules: { passed: boolean; failed: string[] } | undefined;
  /** The image kept its own alpha; undefined if it was cut out. */
  alpha: 'kept' | undefined;
  requestId: string;
}

/** How a background is removed and the cut-out is drawn. */
export interface BackgroundRemovalOptions extends CallOptions, contract.CutOutOptions {
  /** An image to put behind the subject: JPEG, PNG or WebP. */
  backgroundImage?: Bytes | undefined;
}

/** A cut-out to mend. */
export interface RefineCutOutRequest {
  /** The photo: JPEG, PNG or WebP. */
  image: Bytes;
  /** A PNG of the size of the upright photo, such as its present cut-out; its last channel counts. */
  alpha: Bytes;
  /** Applied in order; up to 50, with up to 5,000 points together. */
  strokes: readonly contract.Stroke[];
}

/** How a mended cut-out is drawn. */
export interface RefineCutOutOptions extends CallOptions, contract.RefinementOptions {}

/** A garment to classify: by photo, by text or by both. */
export interface ClassifyRequest {
  /** JPEG, PNG or WebP. */
  image?: Bytes | undefined;
  attributes?: contract.FeedAttributes | undefined;
  options?: contract.ClassifyOptions | undefined;
}

/** How the garments of a photo are separated. */
export interface SeparateGarmentsOptions extends CallOptions {
  /** Whether to return the cut-out of each garment; the key needs `background-removal:process` too. */
  cutouts?: boolean | undefined;
  /** Of the cut-outs; `balanced` by default. */
  quality?: contract.Quality | undefined;
  /** How each garment is classified. */
  options?: contract.ClassifyOptions | undefined;
}

/** The garments of a photo. */
export interface SeparatedGarments extends contract.OutfitDescription {
  /** With `cutouts` the cut-out of each garment, a PNG, in the order of `garments`; else empty. */
  images: Uint8Array<ArrayBuffer>[];
  requestId: string;
}

/** Outfits: every response is computed from its request alone. */
export interface LookClient {
  /** Returns every coefficient with unit and source. Needs no key. */
  params(options?: CallOptions): Promise<WithRequestId<contract.ParamsResponse>>;
  /** Returns labels, accepted values, versions and limits. */
  meta(
    query?: contract.MetaQuery,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.MetaResponse>>;
  /** Computes the insulation to wear, without a wardrobe. */
  targets(
    request: contract.TargetsRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.TargetsResponse>>;
  /** Returns the best outfits, with signed targets. */
  candidates(
    request: contract.CandidatesRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.CandidatesResponse>>;
  /** Scores and ranks candidates. Send `targets` as `candidates` or `targets` returned them. */
  score(
    request: contract.ScoreRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.ScoreResponse>>;
  /** Returns the best outfits with names and scores. */
  outfits(
    request: contract.OutfitsRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.OutfitsResponse>>;
  /** Fits a profile to how warm a person felt. */
  calibrate(
    request: contract.CalibrateRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.CalibrateResponse>>;
  /** Returns one outfit for an hourly forecast. */
  day(
    request: contract.DayRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.DayResponse>>;
  /** Returns what to take on a trip, and an outfit for each day. */
  trip(
    request: contract.TripRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.TripResponse>>;
}

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

/** Single images, processed asynchronously. */
export interface CreateJobOptions extends CallOptions {
  /**
   * 1 to 255 visible characters: a call with the key and content of an earlier one returns that one's job, for a day.
   * A new key by default.
   */
  idempotencyKey?: string | undefined;
}

export interface JobsClient {
  create(
    request: CreateJobRequest,
    options?: CreateJobOptions,
  ): Promise<WithRequestId<contract.Job>>;
  get(id: string, options?: CallOptions): Promise<WithRequestId<contract.Job>>;
  /** Polls until the job has succeeded, failed or been cancelled. */
  wait(id: string, options?: CallOptions): Promise<WithRequestId<contract.Job>>;
  /** Returns the cut-out. Throws the job's own problem if it failed. */
  result(id: string, options?: CallOptions): Promise<ImageResponse>;
  /** Returns the cut-out of a garment, of a job with the operation `separate`. */
  garment(id: string, index: number, options?: CallOptions): Promise<ImageResponse>;
  cancel(id: string, options?: CallOptions): Promise<WithRequestId<contract.Job>>;
  /** Mends the stored cut-out with strokes. Without `alpha` its own is mended. */
  refine(
    id: string,
    request: Omit<RefineCutOutRequest, 'alpha'> & Partial<Pick<RefineCutOutRequest, 'alpha'>>,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.Job>>;
  /** Undoes the latest refinement, whose number is `refinements` of the job. */
  undoRefinement(
    id: string,
    version: number,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.Job>>;
  delete(id: string, options?: CallOptions): Promise<WithRequestId<contract.DeletionReceipt>>;
}

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
  summary(options?: CallOptions): Promise<WithRequestId<contract.ReviewSummary>>;
  /** Returns the photo of a row from its link. Throws `gone` if it was uploaded, or is another one now. */
  photo(row: number, options?: CallOptions): Promise<ImageResponse>;
  /** Returns a row with the decisions about it. */
  get(row: number, options?: CallOptions): Promise<WithRequestId<contract.ReviewRowHistory>>;
  /** Decides about a row. Throws a `conflict` if somebody else has decided meanwhile. */
  decide(
    row: number,
    request: contract.ReviewDecisionRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.ReviewRow>>;
  /** Mends the cut-out of a row, which is pending then. Throws a `conflict` like `decide`. */
  refine(
    row: number,
    request: RefineRowRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.ReviewRow>>;
  /** Undoes the latest refinement, whose number is `refinements` of the row. */
  undoRefinement(
    row: number,
    version: number,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.ReviewRow>>;
  /** Approves what is pending from a confidence on. */
  approve(
    minConfidence: number,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.ReviewApproval>>;
}

export interface NamedFile {
  /** Becomes the row's `customId`. */
  name: string;
  image: Bytes;
}

/** Many images, processed asynchronously. */
export interface BatchesClient {
  create(
    request?: contract.CreateBatchRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.Batch>>;
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
  seal(id: string, options?: CallOptions): Promise<WithRequestId<contract.Batch>>;
  get(id: string, options?: CallOptions): Promise<WithRequestId<contract.Batch>>;
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
  cancel(id: string, options?: CallOptions): Promise<WithRequestId<contract.Batch>>;
  delete(id: string, options?: CallOptions): Promise<WithRequestId<contract.DeletionReceipt>>;
}

/** Named options, which requests take by `preset`. */
export interface PresetsClient {
  /** Returns all presets, by name. */
  list(options?: CallOptions): Promise<contract.Preset[]>;
  get(name: string, options?: CallOptions): Promise<WithRequestId<contract.Preset>>;
  /** Stores a preset in the place of the one of this name, if there is one. */
  put(
    name: string,
    preset: contract.PresetRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.Preset>>;
  delete(name: string, options?: CallOptions): Promise<void>;
}

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
/** A file that is read as it arrives. */
export interface FileDownload {
  mediaType: string;
  fileName: string | undefined;
  body: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  requestId: string;
}
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
  create(
    request: CreateFeedRequest,
    options?: FeedRunCallOptions,
  ): Promise<WithRequestId<contract.Feed>>;
  /** Says what is recognised in the beginning of a feed; nothing is stored. */
  inspect(
    request: InspectFeedRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.FeedInspection>>;
  /** Yields your feeds, the newest first. */
  list(options?: CallOptions): Promise<contract.Feed[]>;
  get(id: string, options?: CallOptions): Promise<WithRequestId<contract.Feed>>;
  /** Runs a feed now. A feed without a URL needs its current `body`. */
  run(
    id: string,
    body?: FeedBody,
    options?: FeedRunCallOptions,
  ): Promise<WithRequestId<contract.FeedRun>>;
  getRun(
    id: string,
    runId: string,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.FeedRun>>;
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
  confirmRun(
    id: string,
    runId: string,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.FeedRun>>;
  cancelRun(
    id: string,
    runId: string,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.FeedRun>>;
  /** Changes how a feed is read, when it runs, and who is told; null removes what is set. */
  edit(
    id: string,
    changes: contract.FeedEdit,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.Feed>>;
  delete(id: string, options?: CallOptions): Promise<WithRequestId<contract.DeletionReceipt>>;
}

/** Rules of marketplaces that pictures are judged by. */
export interface RulesClient {
  /** Returns the packs that are built in, then your own. */
  list(options?: CallOptions): Promise<contract.NamedRulePack[]>;
  get(name: string, options?: CallOptions): Promise<WithRequestId<contract.NamedRulePack>>;
  /** Creates or replaces a pack of your own. */
  put(
    name: string,
    pack: contract.RulePack,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.NamedRulePack>>;
  delete(name: string, options?: CallOptions): Promise<void>;
}

/** Folders and prefixes of buckets that the operator has declared for your client. */
export interface SourcesClient {
  list(options?: CallOptions): Promise<contract.Source[]>;
  get(id: string, options?: CallOptions): Promise<WithRequestId<contract.Source>>;
  /** Starts a source, changes its options, or pauses it. It uses the quota of this key. */
  put(
    id: string,
    request?: contract.SourceRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.Source>>;
  /** Passes on an event of the bucket, as it is. */
  sendEvent(
    id: string,
    event: object,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.SourceEventReceipt>>;
  /** Has all objects listed now, and tries again those that failed. */
  scan(id: string, options?: CallOptions): Promise<WithRequestId<contract.Source>>;
  /**
   * Returns objects that fail by themselves, by name.
   * @param page at most `limit` of them, 1 to 1000, from the first name after `after`
   */
  failures(
    id: string,
    page?: { limit?: number; after?: string },
    options?: CallOptions,
  ): Promise<WithRequestId<contract.SourceFailures>>;
}

/** An operation of the service that has no method of its own. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, with a leading slash. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body, as a value of JSON. */
  json?: unknown;
}

/** A client of one service with one key. Calls fail with a `SelvageError`, or with the signal's reason if you abort them. */
export interface Client {
  /** Cuts the subject out of a photo: JPEG, PNG or WebP. */
  removeBackground(image: Bytes, options?: BackgroundRemovalOptions): Promise<ImageResponse>;
  /** Mends a cut-out with strokes of a brush. The service stores nothing. */
  refineCutOut(request: RefineCutOutRequest, options?: RefineCutOutOptions): Promise<ImageResponse>;
  /** Classifies a garment. */
  classify(
    request: ClassifyRequest,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.ClassifyResponse>>;
  /** Separates the garments in the photo of an outfit. */
  separateGarments(image: Bytes, options?: SeparateGarmentsOptions): Promise<SeparatedGarments>;
  /** Returns the dictionary. */
  taxonomyOptions(
    query?: contract.TaxonomyOptionsQuery,
    options?: CallOptions,
  ): Promise<WithRequestId<contract.TaxonomyOptionsResponse>>;
  look: LookClient;
  jobs: JobsClient;
  batches: BatchesClient;
  feeds: FeedsClient;
  rules: RulesClient;
  presets: PresetsClient;
  sources: SourcesClient;
  /** Returns what the key allows and what is left. */
  usage(options?: CallOptions): Promise<WithRequestId<contract.Usage>>;
  /** Calls any operation that answers with JSON or nothing, by the rules of the others. */
  call<Result extends object>(call: ApiCall, options?: CallOptions): Promise<WithRequestId<Result>>;
}
