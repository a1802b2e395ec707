import { codeOf } from '../system-error.ts';
import fetchErrors from './fetch-errors.json' with { type: 'json' };

/** By reason: a sentence for the person who wrote the link, and whether a retry may help. */
const { reasons: REASONS } = fetchErrors;

export type FetchErrorReason = keyof typeof REASONS;

const SLOW: readonly FetchErrorReason[] = ['timeout', 'too-slow'];

/** What to do about an HTTP status. */
const ADVICE: Readonly<Record<number, string>> = fetchErrors.statuses;

/** HTTP statuses after which the same request may succeed later. */
const RETRYABLE_STATUSES = [408, 425, 429, 500, 502, 503, 504];

interface FetchErrorOptions {
  status?: number;
  retryAfter?: string | undefined;
  cause?: unknown;
}

/**
 * A fetch failed. The message is for the person who wrote the link and never contains an address;
 * `cause`, if any, is for the operator.
 */
export class FetchError extends Error {
  readonly reason: FetchErrorReason;
  /** The HTTP status, if that is the reason. */
  readonly status: number | undefined;
  readonly #retryAfter: string | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Whether the server needed too much time. */
  readonly isSlow: boolean;

  constructor(reason: FetchErrorReason, options: FetchErrorOptions = {}) {
    const { status, retryAfter, cause } = options;
    const { message, retry } = REASONS[reason];
    const advice = status !== undefined && ADVICE[status] ? `: ${ADVICE[status]}` : '';
    super(status === undefined ? message : `${message} (HTTP ${status})${advice}`, { cause });
    this.name = 'FetchError';
    this.reason = reason;
    this.status = status;
    this.#retryAfter = retryAfter;
    this.isSlow = SLOW.includes(reason);
    this.retryable = retry || (status !== undefined && RETRYABLE_STATUSES.includes(status));
  }

  /** Returns for how long its `Retry-After`, seconds or an HTTP date, asks to wait, ms; 0 without one. */
  retryAfterMillis(nowMillis: number): number {
    const header = this.#retryAfter ?? '0';
    const seconds = Number(header);
    const millis = Number.isNaN(seconds) ? Date.parse(header) - nowMillis : seconds * 1000;
    return Math.max(0, millis || 0);
  }
}

/** Error codes of sockets, HTTP and decompression; the first match counts. */
const REASONS_BY_CODE: readonly [RegExp, FetchErrorReason][] = [
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/, 'timeout'],
  [/^(HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/, 'protocol'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|^Z_BUF_ERROR$/, 'truncated'],
  [/^Z_|^ERR_.*BROTLI|^ERR__ERROR_FORMAT/, 'encoding'],
];

/** Returns what happened, for the operator: clients are not told which names exist inside the network. */
export const innerReason = ({ reason, cause }: FetchError): FetchErrorReason =>
  cause instanceof FetchError ? cause.reason : reason;

/**
 * Converts any error.
 * @param fallback the reason if the error has no known code: what a broken connection means at this point
 */
export function toFetchError(error: unknown, fallback: FetchErrorReason): FetchError {
  if (error instanceof FetchError) return error;
  // Parser errors of undici have a name and an empty code.
  const code = codeOf(error) || (error instanceof Error ? error.name : '');
  const reason = REASONS_BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
  return new FetchError(reason ?? fallback, { cause: error });
}
