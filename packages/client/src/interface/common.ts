import type * as contract from '../contract.ts';

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

/** A file that is read as it arrives. */
export interface FileDownload {
  mediaType: string;
  fileName: string | undefined;
  body: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  requestId: string;
}
