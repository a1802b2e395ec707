import { z } from 'zod';
import { Problem, type ValidationIssue } from '../platform/problem.ts';

/** Names chosen by clients can be as long as bodies. */
const MAX_NAME_CHARS = 200;

const pointerToken = (part: PropertyKey): string =>
  String(part).slice(0, MAX_NAME_CHARS).replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns a path into a body as a JSON Pointer (RFC 6901); very long names in it are cut. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${pointerToken(part)}`).join('');

/** Errors in one response: a response listing all of them could be many times as large as the body. */
const MAX_ERRORS = 100;

const countOf = (issue: z.core.$ZodIssue): number =>
  issue.code === 'unrecognized_keys' ? issue.keys.length : 1;

/** Returns what is wrong, and the advice that a schema adds by `params.advice`. */
function detailOf(issue: z.core.$ZodIssue): string {
  const advice: unknown = issue.code === 'custom' ? issue.params?.advice : undefined;
  return typeof advice === 'function' ? `${issue.message}; ${advice()}` : issue.message;
}

/** Returns one error per zod issue, and one for each unknown key. */
function toValidationIssues(issue: z.core.$ZodIssue): ValidationIssue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'This field is not known here',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: detailOf(issue) }];
}

/**
 * Returns the value, checked and typed.
 * @param what the value's name in the response, such as `body` or `query`
 * @throws Problem invalid-request with all errors, at most 100
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const count = issues.reduce((sum, issue) => sum + countOf(issue), 0);
  const errors = issues.slice(0, MAX_ERRORS).flatMap(toValidationIssues).slice(0, MAX_ERRORS);
  const first = errors[0];
  throw new Problem(
    'invalid-request',
    `The ${what} has ${count === 1 ? 'an error' : `${count} errors`}, first: ${first?.pointer || '(whole)'}: ${first?.detail}`,
    { errors },
  );
}

/** Parses `true` or `false` in a query string. */
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');
