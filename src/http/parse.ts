import { z } from 'zod';
import { type Fault, Problem } from '../problem.ts';

const pointerPart = (part: PropertyKey): string =>
  String(part).replaceAll('~', '~0').replaceAll('/', '~1');

/** A path into a body as a JSON Pointer (RFC 6901). */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${pointerPart(part)}`).join('');

/** One fault for each thing zod found wrong; each unknown key is a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'This field is not known here',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: issue.message }];
}

/**
 * The value, checked and typed; or a Problem that names every fault at once.
 * @param what how the value is called in the answer, such as `body` or `query`
 * @throws Problem invalid-request
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap(faultsOf);
  const first = errors[0];
  throw new Problem(
    'invalid-request',
    `The ${what} has ${errors.length === 1 ? 'a fault' : `${errors.length} faults`}, first: ${first?.pointer || '(whole)'}: ${first?.detail}`,
    { errors },
  );
}

/** The text `true` or `false`, as query strings carry it. */
export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');
