import { z } from 'zod';
import { Problem, type ValidationIssue } from '../platform/problem.ts';

/** Names that clients make up can be as long as bodies. */
const MOST_NAME_CHARS = 200;

const pointerPart = (part: PropertyKey): string =>
  String(part).slice(0, MOST_NAME_CHARS).replaceAll('~', '~0').replaceAll('/', '~1');

/** A path into a body as a JSON Pointer (RFC 6901), names in it cut where they are very long. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${pointerPart(part)}`).join('');

/** As many are told in one answer: for a body of nothing but faults it would be many times as large. */
const MOST_FAULTS = 100;

const countOf = (issue: z.core.$ZodIssue): number =>
  issue.code === 'unrecognized_keys' ? issue.keys.length : 1;

/** One fault for each thing zod found wrong; each unknown key is a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue): ValidationIssue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MOST_FAULTS).map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'This field is not known here',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: issue.message }];
}

/**
 * The value, checked and typed; or a Problem that names every fault at once, a hundred of them at most.
 * @param what how the value is called in the answer, such as `body` or `query`
 * @throws Problem invalid-request
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const count = issues.reduce((sum, issue) => sum + countOf(issue), 0);
  const errors = issues.slice(0, MOST_FAULTS).flatMap(faultsOf).slice(0, MOST_FAULTS);
  const first = errors[0];
  throw new Problem(
    'invalid-request',
    `The ${what} has ${count === 1 ? 'a fault' : `${count} faults`}, first: ${first?.pointer || '(whole)'}: ${first?.detail}`,
    { errors },
  );
}

/** The text `true` or `false`, as query strings carry it. */
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');
