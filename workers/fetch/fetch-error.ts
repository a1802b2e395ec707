/** Why something remote was not fetched: a sentence for a merchandiser, and whether later may help. */
// biome-ignore format: a table reads best aligned
const FETCH_ERRORS = {
  'invalid-url':     { retry: false, says: 'This is not a web address' },
  scheme:            { retry: false, says: 'Only http and https links can be opened' },
  credentials:       { retry: false, says: 'The link carries a user name or password; remove it' },
  port:              { retry: false, says: 'Only links to the usual web ports 80 and 443 can be opened' },
  'private-address': { retry: false, says: 'The link does not lead to a public address of the internet' },
  dns:               { retry: true,  says: 'The host name in the link was not found; check its spelling' },
  connect:           { retry: true,  says: 'The server could not be reached or hung up before answering' },
  tls:               { retry: true,  says: 'The server has no valid certificate for a secure connection' },
  redirects:         { retry: false, says: 'The link redirects too often or to nowhere; use the final address' },
  downgrade:         { retry: false, says: 'The secure link redirects to an insecure one; use the final address' },
  status:            { retry: false, says: 'The server answered with an error instead of the file' },
  protocol:          { retry: true,  says: 'The server gave an answer that is not valid HTTP' },
  encoding:          { retry: false, says: 'The server compressed the file in a way that cannot be read' },
  'too-large':       { retry: false, says: 'The file is larger than allowed' },
  truncated:         { retry: true,  says: 'The connection broke before the whole file had arrived' },
  timeout:           { retry: true,  says: 'The server took too long' },
  aborted:           { retry: true,  says: 'The download was called off' },
} as const;

export type FetchErrorReason = keyof typeof FETCH_ERRORS;

/** HTTP answers after which the same request may do better. */
const PASSING_STATUSES = [408, 425, 429, 500, 502, 503, 504];

interface FetchErrorOptions {
  status?: number;
  retryAfter?: string | undefined;
  cause?: unknown;
}

/**
 * Something remote was not fetched. The message is for the person who wrote the link and never
 * tells an address; `cause`, where there is one, is for the operator.
 */
export class FetchError extends Error {
  readonly reason: FetchErrorReason;
  /** What the server answered, where that is the reason. */
  readonly status: number | undefined;
  /** Its `Retry-After`, as sent. */
  readonly retryAfter: string | undefined;
  /** Whether the same request may do better later. */
  readonly retryable: boolean;

  constructor(reason: FetchErrorReason, options: FetchErrorOptions = {}) {
    const { status, retryAfter, cause } = options;
    const { says, retry } = FETCH_ERRORS[reason];
    super(status === undefined ? says : `${says} (HTTP ${status})`, { cause });
    this.name = 'FetchRefused';
    this.reason = reason;
    this.status = status;
    this.retryAfter = retryAfter;
    this.retryable = retry || (status !== undefined && PASSING_STATUSES.includes(status));
  }
}

/** What failures of sockets, HTTP and decompression are called; the first match counts. */
const CODES: readonly [RegExp, FetchErrorReason][] = [
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/, 'timeout'],
  [/^(HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/, 'protocol'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|^Z_BUF_ERROR$/, 'truncated'],
  [/^Z_|^ERR_.*BROTLI|^ERR__ERROR_FORMAT/, 'encoding'],
];

/** Parser errors of undici have a name of their own and an empty code. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  return 'code' in error && error.code ? String(error.code) : error.name;
};

/**
 * Names a failure.
 * @param otherwise what a broken connection means at this point
 */
export function asFetchError(error: unknown, otherwise: FetchErrorReason): FetchError {
  if (error instanceof FetchError) return error;
  const reason = CODES.find(([pattern]) => pattern.test(codeOf(error)))?.[1] ?? otherwise;
  return new FetchError(reason, { cause: error });
}
