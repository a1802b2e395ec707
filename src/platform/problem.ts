import { z } from 'zod';
import { jsonOr } from './json.ts';

/**
 * Every error this service responds with: RFC 9457 problem types, their status and title, and what to do about them, in
 * one plain sentence.
 */
// biome-ignore format: a table reads best aligned
const ROWS = {
  'invalid-request':                [400, 'The request is malformed',                                       'Fix what the response lists under "errors", and send the request again.'],
  'targets-altered':                [400, 'The targets are not the ones this service issued',               'Send the targets exactly as /candidates returned them, without changing anything.'],
  'targets-expired':                [400, 'The targets were issued under a key or version no longer known', 'Request new targets from /candidates, and score with those.'],
  'dictionary-version-unsupported': [400, 'The version of the garment dictionary is not supported',         'Classify the items again, or leave `dictionaryVersion` out; /taxonomy/v1/options has the present version.'],
  'unauthorized':                   [401, 'A valid API key is required',                                    'Send a valid key as "Authorization: Bearer …"; ask the operator for one if yours was revoked.'],
  'insufficient-scope':             [403, 'The API key lacks the scope this endpoint needs',                'Ask the operator for a key with the scope that the response names.'],
  'foreign-origin':                 [403, 'The request did not come from the console',                      'Use the console itself: another site tried to use your sign-in.'],
  'base64-not-allowed':             [403, 'Base64 responses are turned off for this API key',               'Request the binary response instead, or ask the operator to allow base64 for your key.'],
  'not-found':                      [404, 'There is nothing at this address',                               'Check the address and the id; /docs lists every address.'],
  'method-not-allowed':             [405, 'This address does not take that method',                         'Use one of the methods in the header Allow.'],
  'request-timeout':                [408, 'The request did not arrive in time',                             'Send the request again over a faster connection, or with a smaller image.'],
  'conflict':                       [409, 'The request conflicts with the present state',                   'Read the current state, and decide whether the request still makes sense.'],
  'gone':                           [410, 'This was deleted or has expired',                                'Upload the image again: results are retained only as long as the retention policy allows.'],
  'payload-too-large':              [413, 'The payload is too large',                                       'Send a smaller image: the response names the limit that was exceeded.'],
  'unsupported-media-type':         [415, 'The media type is not supported',                                'Send a JPEG, PNG or WebP file; its first bytes decide, not its name or declared type.'],
  'range-not-satisfiable':          [416, 'The file has no such part',                                      'Request a part within the length that Content-Range names, or the whole file without Range.'],
  'idempotency-mismatch':           [422, 'The Idempotency-Key was used with another payload',              'Use a new Idempotency-Key for a new request.'],
  'unprocessable-image':            [422, 'The image cannot be worked with',                                'Take another photo: this one cannot be processed.'],
  'rate-limit-exceeded':            [429, 'Too many requests',                                              'Wait as many seconds as Retry-After says, then send requests more slowly.'],
  'quota-exceeded':                 [429, 'The daily quota is used up',                                     'Wait until midnight UTC, or ask the operator for a larger daily quota.'],
  'headers-too-large':              [431, 'The request headers are too large',                              'Send fewer or shorter headers.'],
  'internal-error':                 [500, 'The service failed',                                             'Try again; if the error persists, tell the operator the request id.'],
  'damaged':                        [500, 'The stored file is damaged',                                     'Send the image again as a new request, and tell the operator the request id.'],
  'upstream-failed':                [502, 'Processing the image failed',                                    'Try again a little later; if the same image fails again, send another image.'],
  'upstream-unavailable':           [503, 'The service is not ready or too busy',                           'Wait as many seconds as Retry-After says, then try again.'],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string, advice: string]>>;

export type ProblemType = keyof typeof ROWS;

const byType = <T>(of: (row: (typeof ROWS)[ProblemType]) => T) =>
  Object.fromEntries(Object.entries(ROWS).map(([type, row]) => [type, of(row)])) as Readonly<
    Record<ProblemType, T>
  >;

export const PROBLEMS = byType(([status, title]) => ({ status, title }));

/** For problem pages and commands. */
export const ADVICE = byType(([, , advice]): string => advice);

/** One error in a request: a JSON Pointer into the body, or `?name` for a query, and what is wrong. */
export interface ValidationIssue {
  pointer: string;
  detail: string;
  /** Further machine-readable details, such as the nearest known ids. */
  [extra: string]: unknown;
}

interface ProblemOptions {
  errors?: readonly ValidationIssue[];
  headers?: Readonly<Record<string, string>>;
  /** Extension members of the response's body (RFC 9457, section 3.2). */
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/**
 * An expected error. `detail` is for the client: it says what to do, and never contains keys, paths,
 * image bytes or stacks.
 */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly detail: string;
  readonly errors: readonly ValidationIssue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(type: ProblemType, detail: string, options: ProblemOptions = {}) {
    super(`${type}: ${detail}`, { cause: options.cause });
    this.name = 'Problem';
    this.type = type;
    this.detail = detail;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }

  get title(): string {
    return PROBLEMS[this.type].title;
  }
}

/**
 * Returns a problem that one field is to blame for.
 * @param pointer as in `ValidationIssue`
 * @param error what is wrong with the field
 * @param detail what to do about it; by default the same with the field's name
 */
export const fieldProblem = (
  type: ProblemType,
  pointer: string,
  error: string,
  detail = `${pointer.slice(1)} ${error}`,
): Problem => new Problem(type, detail, { errors: [{ pointer, detail: error }] });

/**
 * Returns the problem of a dependency that does not respond: 503 with Retry-After.
 * @param retryAfterSeconds when to try again; rounded up to whole seconds, at least 1
 */
export const unavailable = (detail: string, retryAfterSeconds = 1, cause?: unknown): Problem =>
  new Problem('upstream-unavailable', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
    cause,
  });

/** Problems pass through the queue as JSON text: BullMQ stores only the message of a failed job's error. */
const SerializedProblem = z.object({
  type: z.custom<ProblemType>((type) => typeof type === 'string' && type in PROBLEMS),
  detail: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

/** Returns a problem as the error message of a failed job. */
export const serializeProblem = ({ type, detail, errors }: Problem): string =>
  JSON.stringify({ type, detail, errors });

/** Returns the problem in a failed job's message, or nothing if the job failed for another reason. */
export function deserializeProblem(message: string): Problem | undefined {
  const { type, detail, errors } = SerializedProblem.safeParse(jsonOr(message)).data ?? {};
  return type && detail !== undefined ? new Problem(type, detail, errors && { errors }) : undefined;
}
