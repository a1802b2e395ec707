import { codeOf } from '../system-error.ts';

/** The reasons: a sentence for the person who wrote the link, and whether a retry may help. */
// biome-ignore format: a table reads best aligned
const FETCH_ERRORS = {
  'invalid-url':     { retry: false, message: 'This is not a web address' },
  scheme:            { retry: false, message: 'Only http and https links can be opened' },
  credentials:       { retry: false, message: 'The link carries a user name or password; remove it' },
  port:              { retry: false, message: 'Only links to the web ports 80 and 443 can be opened, unless the operator allows others (FETCH_PORTS)' },
  'private-address': { retry: false, message: 'The link does not lead to a public address' },
  dns:               { retry: true,  message: 'The host name in the link does not lead to a public address; check its spelling' },
  connect:           { retry: true,  message: 'The server could not be reached, or hung up before it answered' },
  tls:               { retry: true,  message: 'The server has no valid certificate for a secure connection' },
  redirects:         { retry: false, message: 'The link redirects too often or to nowhere; use the final address' },
  downgrade:         { retry: false, message: 'The secure link redirects to an insecure one; use the final address, or the operator allows it (FETCH_DOWNGRADE)' },
  status:            { retry: false, message: 'The server answered with an error instead of the file' },
  protocol:          { retry: true,  message: "The server's answer is not valid HTTP" },
  encoding:          { retry: false, message: 'The server compressed the file in a way that is not supported' },
  'too-large':       { retry: false, message: 'The file is larger than allowed' },
  expansion:         { retry: false, message: 'The file is many times larger than its compressed form; send it with less compression' },
  truncated:         { retry: true,  message: 'The connection broke before the whole file had arrived' },
  timeout:           { retry: true,  message: 'The server took too long' },
  'too-slow':        { retry: true,  message: 'The server sent the file too slowly' },
  'host-down':       { retry: false, message: 'The server has not answered many requests, and is not asked again for some minutes' },
  aborted:           { retry: true,  message: 'The download was canceled' },
} as const;

export type FetchErrorReason = keyof typeof FETCH_ERRORS;

const SLOW: readonly FetchErrorReason[] = ['timeout', 'too-slow'];

/** What to do about an HTTP status. */
const ADVICE: Readonly<Record<number, string>> = {
  401: 'the file needs a password; publish it without one',
  403: 'it refuses programs that it does not know; let it allow the User-Agent that begins with Selvage/',
  406: 'it does not send this file to programs; let it allow the User-Agent that begins with Selvage/',
  429: 'it is asked more often than it allows; let it allow the User-Agent that begins with Selvage/',
};

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
    const { message, retry } = FETCH_ERRORS[reason];
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
