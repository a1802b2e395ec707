import type * as contract from './contract.ts';

/** When and how often a call is made again. */
export interface RetryOptions {
  /** Attempts in all; 5 where nothing is said, 1 for none again. */
  mostAttempts?: number;
  /** Of the first wait, before jitter; doubles with each; 500. */
  baseMillis?: number;
  /** No wait of the client's own is longer; 20,000. */
  mostMillis?: number;
}

/** Where waits come from; for tests. */
export interface Timing {
  /** Resolves after so long; rejects with the signal's reason when that comes first. */
  sleep(millis: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  /** From 0 up to, not including, 1. */
  random(): number;
}

export interface ClientOptions {
  /** Where the service is, such as `https://gateway.example`; in a page, its own origin if left out. */
  baseUrl?: string | undefined;
  /** The API key, or what tells it for each call. Left out, the page's own session counts. */
  key?: string | (() => string | Promise<string>) | undefined;
  /** A key in a page can be read by everyone who opens it. Say true where that is what you want. */
  allowKeyInBrowser?: boolean;
  /** Ceiling of what is sent in one request, bytes; 20 MiB. */
  maxBodyBytes?: number;
  /** Time limit of one attempt, and of silence in a stream; 60,000. */
  attemptTimeoutMillis?: number;
  /** Time limit of a call with all its attempts and waits; 300,000. Streams have none. */
  timeoutMillis?: number;
  retry?: RetryOptions;
  timing?: Partial<Timing>;
  /** In place of the platform's. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Time limit of this call with all its attempts and waits. */
  timeoutMillis?: number | undefined;
}

/** An answer in JSON, with the id to quote when asking about it. */
export type Answered<T> = T & { requestId: string };

export type Bytes = Uint8Array | Blob;

/** A picture whose media type and signature were checked. */
export interface Picture {
  image: Uint8Array<ArrayBuffer>;
  mediaType: string;
  model: string | undefined;
  /** How likely the cut-out is good, 0 to 1, where the service says so. */
  confidence: number | undefined;
  requestId: string;
}

/** How a cut-out is made and drawn. Only what is given is sent. */
export interface RemovalOptions extends CallOptions, contract.CutOutWish {
  /** Goes behind the subject. */
  backgroundImage?: Bytes | undefined;
}

export interface ClassifyInput {
  image?: Bytes;
  attributes?: contract.FeedAttributes;
  options?: contract.ClassifyOptions;
}

export interface LookClient {
  params(options?: CallOptions): Promise<Answered<contract.ParamsResponse>>;
  meta(query?: contract.MetaQuery, options?: CallOptions): Promise<Answered<contract.MetaResponse>>;
  targets: Compute<contract.TargetsRequest, contract.TargetsResponse>;
  candidates: Compute<contract.CandidatesRequest, contract.CandidatesResponse>;
  /** `targets` are sent as they came from `candidates` or `targets`. */
  score: Compute<contract.ScoreRequest, contract.ScoreResponse>;
  outfits: Compute<contract.OutfitsRequest, contract.OutfitsResponse>;
  calibrate: Compute<contract.CalibrateRequest, contract.CalibrateResponse>;
  day: Compute<contract.DayRequest, contract.DayResponse>;
}
type Compute<Request, Response> = (
  request: Request,
  options?: CallOptions,
) => Promise<Answered<Response>>;

export type JobSource = { image: Bytes } | { imageUrl: string };

export interface JobsClient {
  create(
    wish: JobSource & contract.JobWish & Pick<RemovalOptions, 'backgroundImage'>,
    options?: CallOptions,
  ): Promise<Answered<contract.Job>>;
  get(id: string, options?: CallOptions): Promise<Answered<contract.Job>>;
  /** Asks until the job has ended, whichever way. */
  wait(id: string, options?: CallOptions): Promise<Answered<contract.Job>>;
  /** The cut-out; where the job failed, its own problem is thrown. */
  result(id: string, options?: CallOptions): Promise<Picture>;
  cancel(id: string, options?: CallOptions): Promise<Answered<contract.Job>>;
  delete(id: string, options?: CallOptions): Promise<Answered<contract.Receipt>>;
}

export interface UploadOptions extends CallOptions {
  /** Goes on with the latest upload: give the same rows or files again, what is in is passed over. */
  resume?: boolean;
}

export interface RowsOptions extends CallOptions {
  /** Leaves out the rows up to this number, counted from 0. */
  after?: number;
}

export interface NamedFile {
  /** Becomes the row's customId. */
  name: string;
  image: Bytes;
}

export type Many<T> = Iterable<T> | AsyncIterable<T>;

export interface BatchesClient {
  create(
    wish?: contract.CreateBatchRequest,
    options?: CallOptions,
  ): Promise<Answered<contract.Batch>>;
  /** Sends rows piece by piece; goes on by itself where a piece broke off. */
  addRows(
    id: string,
    rows: Many<contract.BatchRow>,
    options?: UploadOptions,
  ): Promise<contract.Uploaded>;
  addFiles(id: string, files: Many<NamedFile>, options?: UploadOptions): Promise<contract.Uploaded>;
  seal(id: string, options?: CallOptions): Promise<Answered<contract.Batch>>;
  get(id: string, options?: CallOptions): Promise<Answered<contract.Batch>>;
  /** Follows the batch to its end; connects again by itself. */
  events(id: string, options?: CallOptions): AsyncGenerator<contract.Progress>;
  /** Rows in the order they came, as far as they are known now. */
  results(id: string, options?: RowsOptions): AsyncGenerator<contract.BatchResult>;
  errors(id: string, options?: RowsOptions): AsyncGenerator<contract.BatchError>;
  manifest(id: string, options?: RowsOptions): AsyncGenerator<contract.BatchManifestRow>;
  /** The cut-out of one row. */
  cutout(id: string, row: number, options?: CallOptions): Promise<Picture>;
  cancel(id: string, options?: CallOptions): Promise<Answered<contract.Batch>>;
  delete(id: string, options?: CallOptions): Promise<Answered<contract.Receipt>>;
}

/** A feed as its own bytes, with its media type, such as `text/csv`. */
export interface FeedBody {
  body: Bytes | string;
  mediaType: string;
}

export interface Export {
  mediaType: string;
  fileName: string | undefined;
  body: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  requestId: string;
}

export interface FeedsClient {
  create(
    wish: contract.FeedByUrl | (FeedBody & contract.FeedFields),
    options?: CallOptions,
  ): Promise<Answered<contract.Feed>>;
  get(id: string, options?: CallOptions): Promise<Answered<contract.Feed>>;
  /** Runs a feed now; with the feed as it is now where it has no address. */
  run(id: string, body?: FeedBody, options?: CallOptions): Promise<Answered<contract.FeedRun>>;
  getRun(id: string, runId: string, options?: CallOptions): Promise<Answered<contract.FeedRun>>;
  /** Follows a run to its end; connects again by itself. */
  events(id: string, runId: string, options?: CallOptions): AsyncGenerator<contract.Progress>;
  /** The run, then every row of the feed and what became of it. */
  report(id: string, runId: string, options?: CallOptions): AsyncGenerator<contract.ReportLine>;
  /** The feed with links to the new pictures, of this run or of the one that completed last. */
  export(id: string, runId?: string, options?: CallOptions): Promise<Export>;
  cancelRun(id: string, runId: string, options?: CallOptions): Promise<Answered<contract.FeedRun>>;
  delete(id: string, options?: CallOptions): Promise<Answered<contract.Receipt>>;
}

/** A client of one service with one key. */
export interface Client {
  removeBackground(image: Bytes, options?: RemovalOptions): Promise<Picture>;
  classify(
    input: ClassifyInput,
    options?: CallOptions,
  ): Promise<Answered<contract.ClassifyResponse>>;
  taxonomyOptions(
    query?: contract.OptionsQuery,
    options?: CallOptions,
  ): Promise<Answered<contract.OptionsResponse>>;
  look: LookClient;
  jobs: JobsClient;
  batches: BatchesClient;
  feeds: FeedsClient;
  usage(options?: CallOptions): Promise<Answered<contract.Usage>>;
}
