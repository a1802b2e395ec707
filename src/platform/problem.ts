import { z } from 'zod';
import { jsonOr } from './json.ts';
import problems from './problems.json' with { type: 'json' };

export type ProblemType = keyof typeof problems;

/**
 * Every error this service responds with: RFC 9457 problem types, their status and title, and what to do about them, in
 * one plain sentence.
 */
export const PROBLEMS: Readonly<
  Record<ProblemType, { status: number; title: string; advice: string }>
> = problems;

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
