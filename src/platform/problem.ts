import { z } from 'zod';
import { jsonOr } from './json.ts';

/** Every error this service responds with: RFC 9457 problem types, their status and title. */
// biome-ignore format: a table reads best aligned
export const PROBLEMS = {
  'invalid-request':                { status: 400, title: 'The request is malformed' },
  'targets-altered':                { status: 400, title: 'The targets are not the ones this service issued' },
  'targets-expired':                { status: 400, title: 'The targets were issued under a key or version no longer known' },
  'dictionary-version-unsupported': { status: 400, title: 'The version of the garment dictionary is not supported' },
  'unauthorized':                   { status: 401, title: 'A valid API key is required' },
  'insufficient-scope':             { status: 403, title: 'The API key lacks the scope this endpoint needs' },
  'foreign-origin':                 { status: 403, title: 'The request did not come from the console' },
  'base64-not-allowed':             { status: 403, title: 'Base64 responses are turned off for this API key' },
  'not-found':                      { status: 404, title: 'There is nothing at this address' },
  'method-not-allowed':             { status: 405, title: 'This address does not take that method' },
  'request-timeout':                { status: 408, title: 'The request did not arrive in time' },
  'conflict':                       { status: 409, title: 'The request conflicts with the present state' },
  'gone':                           { status: 410, title: 'This was deleted or has expired' },
  'payload-too-large':              { status: 413, title: 'The payload is too large' },
  'unsupported-media-type':         { status: 415, title: 'The media type is not supported' },
  'range-not-satisfiable':          { status: 416, title: 'The file has no such part' },
  'idempotency-mismatch':           { status: 422, title: 'The Idempotency-Key was used with another payload' },
  'unprocessable-image':            { status: 422, title: 'The image cannot be worked with' },
  'rate-limit-exceeded':            { status: 429, title: 'Too many requests' },
  'quota-exceeded':                 { status: 429, title: 'The daily quota is used up' },
  'headers-too-large':              { status: 431, title: 'The request headers are too large' },
  'internal-error':                 { status: 500, title: 'The service failed' },
  'damaged':                        { status: 500, title: 'The stored file is damaged' },
  'upstream-failed':                { status: 502, title: 'Processing the image failed' },
  'upstream-unavailable':           { status: 503, title: 'The service is not ready or too busy' },
} as const;

export type ProblemType = keyof typeof PROBLEMS;

/** What to do about a problem, in one plain sentence, for problem pages and commands. */
// biome-ignore format: a table reads best aligned
export const ADVICE: Readonly<Record<ProblemType, string>> = {
  'invalid-request':                'Fix what the response lists under "errors", and send the request again.',
  'targets-altered':                'Send the targets exactly as /candidates returned them, without changing anything.',
  'targets-expired':                'Request new targets from /candidates, and score with those.',
  'dictionary-version-unsupported': 'Classify the items again, or leave `dictionaryVersion` out; /taxonomy/v1/options has the present version.',
  'unauthorized':                   'Send a valid key as "Authorization: Bearer …"; ask the operator for one if yours was revoked.',
  'insufficient-scope':             'Ask the operator for a key with the scope that the response names.',
  'foreign-origin':                 'Use the console itself: another site tried to use your sign-in.',
  'base64-not-allowed':             'Request the binary response instead, or ask the operator to allow base64 for your key.',
  'not-found':                      'Check the address and the id; /docs lists every address.',
  'method-not-allowed':             'Use one of the methods in the header Allow.',
  'request-timeout':                'Send the request again over a faster connection, or with a smaller image.',
  'conflict':                       'Read the current state, and decide whether the request still makes sense.',
  'gone':                           'Upload the image again: results are retained only as long as the retention policy allows.',
  'payload-too-large':              'Send a smaller image: the response names the limit that was exceeded.',
  'unsupported-media-type':         'Send a JPEG, PNG or WebP file; its first bytes decide, not its name or declared type.',
  'range-not-satisfiable':          'Request a part within the length that Content-Range names, or the whole file without Range.',
  'idempotency-mismatch':           'Use a new Idempotency-Key for a new request.',
  'unprocessable-image':            'Take another photo: this one cannot be processed.',
  'rate-limit-exceeded':            'Wait as many seconds as Retry-After says, then send requests more slowly.',
  'quota-exceeded':                 'Wait until midnight UTC, or ask the operator for a larger daily quota.',
  'headers-too-large':              'Send fewer or shorter headers.',
  'internal-error':                 'Try again; if the error persists, tell the operator the request id.',
  'damaged':                        'Send the image again as a new request, and tell the operator the request id.',
  'upstream-failed':                'Try again a little later; if the same image fails again, send another image.',
  'upstream-unavailable':           'Wait as many seconds as Retry-After says, then try again.',
};

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
