import type { z } from 'zod';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

const TEXT_FORMS: Readonly<Record<string, string>> = {
  url: 'must be an http or https URL',
  datetime: 'must be a date and time such as 2026-01-31T08:00:00Z',
  date: 'must be a date such as 2026-01-31',
};

/** What a length is counted in, by the kind of value. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' };

interface Bound {
  origin: string;
  exact?: boolean | undefined;
  inclusive?: boolean | undefined;
}

function boundMessage(
  { origin, exact, inclusive = true }: Bound,
  limit: number | bigint,
  [orEqual, beyond]: readonly [orEqual: string, beyond: string],
): string {
  const unit = UNITS[origin];
  const relation = exact ? 'exactly' : inclusive ? orEqual : beyond;
  return unit ? `must have ${relation} ${limit} ${unit}` : `must be ${relation} ${limit}`;
}

/**
 * Returns what is wrong with a value in plain English, and never the value; undefined if the schema
 * has a message of its own. An `error` option for zod.
 */
export function validationMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.origin !== 'number' && Number(issue.minimum) === 1) return 'must not be empty';
      return boundMessage(issue, issue.minimum, ['at least', 'more than']);
    case 'too_big':
      return boundMessage(issue, issue.maximum, ['at most', 'less than']);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return TEXT_FORMS[issue.format] ?? 'does not have the form that the documentation shows';
    default:
      return 'is not valid';
  }
}

/** As `validationMessage`, for the parameters of a query: one that is sent twice is a list. */
export const queryMessage = (issue: z.core.$ZodRawIssue): string | undefined =>
  Array.isArray(issue.input) ? 'is sent twice; send it once' : validationMessage(issue);
