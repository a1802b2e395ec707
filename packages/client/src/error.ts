/** One error in a request. */
export interface ValidationIssue {
  /** A JSON Pointer into the body, or `?name` for a query parameter. */
  pointer: string;
  detail: string;
  [extra: string]: unknown;
}

/** The members of a SelvageError; those left out have defaults. */
export interface SelvageErrorInit {
  status?: number;
  type: string;
  title: string;
  detail: string;
  errors?: readonly ValidationIssue[];
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** The client's own problem types and their titles; all others are the service's. */
// biome-ignore format: a table reads best aligned
export const CLIENT_PROBLEMS = {
  'key-refused':        'The API key cannot be used here',
  'payload-too-large':  'The payload is too large',
  'connection-failed':  'The service could not be reached',
  'timeout':            'The service did not respond in time',
  'damaged-answer':     'The response is malformed',
  'conflict':           'The request conflicts with the current state',
  'redirected':         'The service responded with a redirect, which is not followed',
} as const;

/** Every failure of a call. It never contains the key or image bytes. */
export class SelvageError extends Error {
  /** HTTP status, or 0 if the client rejected the call or no response came. */
  readonly status: number;
  /** A problem type without its base URL, such as `invalid-request`. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** Every error of the request that has a name. */
  readonly errors: readonly ValidationIssue[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Further members of the problem, such as `offset` of an upload. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(init: SelvageErrorInit) {
    const { status = 0, type, title, detail, errors = [], members = {} } = init;
    super(`${type}: ${detail}`, { cause: init.cause });
    this.name = 'SelvageError';
    this.status = status;
    this.type = type;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.requestId = init.requestId;
    this.retryAfterSeconds = init.retryAfterSeconds;
    this.members = members;
  }
}

/** Creates an error of one of the client's own types. */
export const clientError = (
  type: keyof typeof CLIENT_PROBLEMS,
  detail: string,
  more: Partial<SelvageErrorInit> = {},
): SelvageError => new SelvageError({ type, title: CLIENT_PROBLEMS[type], detail, ...more });
