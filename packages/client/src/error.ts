/** One fault in a request: where (a JSON Pointer, or `?name` for a query) and what. */
export interface Fault {
  pointer: string;
  detail: string;
  [extra: string]: unknown;
}

/** What a SelvageError is made of. */
export interface ErrorFacts {
  status?: number;
  type: string;
  title: string;
  detail: string;
  errors?: readonly Fault[];
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** The client's own refusals and failures; all others are the service's problem types. */
// biome-ignore format: a table reads best aligned
export const CLIENT_PROBLEMS = {
  'key-refused':        'The API key cannot be used here',
  'payload-too-large':  'The payload is too large',
  'connection-failed':  'The service could not be reached',
  'timeout':            'The service did not answer in time',
  'damaged-answer':     'The answer is not what it should be',
  'conflict':           'The request conflicts with the present state',
  'redirected':         'The service answered with a redirect, which is not followed',
} as const;

/** Every failure of a call. It never carries the key or image bytes. */
export class SelvageError extends Error {
  /** HTTP status, or 0 where the client refused or no answer came. */
  readonly status: number;
  /** A problem type, such as `invalid-request`, without the address it may stand under. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** Every fault of the request, where it has named ones. */
  readonly errors: readonly Fault[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Further members of the problem, such as `offset` of an upload. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(facts: ErrorFacts) {
    const { status = 0, type, title, detail, errors = [], members = {} } = facts;
    super(`${type}: ${detail}`, { cause: facts.cause });
    this.name = 'SelvageError';
    this.status = status;
    this.type = type;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.members = members;
  }
}

/** A failure of the client's own. */
export const clientError = (
  type: keyof typeof CLIENT_PROBLEMS,
  detail: string,
  more: Partial<ErrorFacts> = {},
): SelvageError => new SelvageError({ type, title: CLIENT_PROBLEMS[type], detail, ...more });
