import { z } from 'zod';
import { PROBLEMS, Problem, type ProblemType, type ValidationIssue } from '../platform/problem.ts';

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
const queryMessage = (issue: z.core.$ZodRawIssue): string | undefined =>
  Array.isArray(issue.input) ? 'is sent twice; send it once' : validationMessage(issue);

/** Names chosen by clients can be as long as bodies. */
const MAX_NAME_CHARS = 200;

const pointerToken = (part: PropertyKey): string =>
  String(part).slice(0, MAX_NAME_CHARS).replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns a path into a body as a JSON Pointer (RFC 6901); very long names in it are cut. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${pointerToken(part)}`).join('');

/** Errors in one response: a response listing all of them could be many times as large as the body. */
const MAX_ERRORS = 100;

const isType = (name: unknown): name is ProblemType =>
  typeof name === 'string' && Object.hasOwn(PROBLEMS, name);

type Issue = z.core.$ZodIssue;

const countOf = (issue: Issue): number =>
  issue.code === 'unrecognized_keys' ? issue.keys.length : 1;

function detailOf(issue: Issue): string {
  const advice: unknown = issue.code === 'custom' ? issue.params?.advice : undefined;
  return typeof advice === 'function' ? `${issue.message}; ${advice()}` : issue.message;
}

const isOfAnotherType = ([first]: readonly Issue[]): boolean =>
  first?.code === 'invalid_type' && first.path.length === 0;

/**
 * Returns the errors of the alternative that a value was meant as: the only one whose type it has.
 * If there is no such alternative, one error names them all.
 */
function unionErrors(issue: z.core.$ZodIssueInvalidUnion): Issue[] {
  const meant = issue.errors.filter((issues) => !isOfAnotherType(issues));
  if (meant.length === 1) {
    return meant.flat().map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
  }
  const messages = new Set(issue.errors.flatMap(([first]) => (first ? [first.message] : [])));
  return [{ code: 'custom', path: issue.path, message: [...messages].join(', or ') }];
}

/** Whether an issue is about the same value as the one before it. */
function isSequel(issue: Issue, before: Issue | undefined): boolean {
  if (!before || issue.code === 'unrecognized_keys' || before.code === 'unrecognized_keys')
    return false;
  const { path } = before;
  return path.length === issue.path.length && path.every((part, i) => part === issue.path[i]);
}

/**
 * Returns the issues without those that follow another about the same value: a value that failed one
 * check may fail the next for that reason alone.
 */
const withoutSequels = (issues: readonly Issue[]): Issue[] =>
  issues.filter((issue, at) => !isSequel(issue, issues[at - 1]));

/** A body or a part of it, whose errors have JSON Pointers, or a query, whose errors have `?name`. */
type Parsed = 'body' | 'request' | 'item' | 'query';

const pointerTo = (what: Parsed, path: readonly PropertyKey[]): string =>
  what === 'query' && path.length > 0 ? `?${String(path[0])}` : jsonPointer(path);

/** Returns one error per zod issue, and one for each unknown key. */
function toValidationIssues(issue: Issue, what: Parsed): ValidationIssue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      pointer: pointerTo(what, [...issue.path, key]),
      detail: 'is not known here',
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return unionErrors(issue).flatMap((each) => toValidationIssues(each, what));
  }
  return [{ pointer: pointerTo(what, issue.path), detail: detailOf(issue) }];
}

function summaryOf(what: Parsed, count: number, first: ValidationIssue | undefined): string {
  const { pointer, detail } = first ?? {};
  if (!pointer && count === 1) return `The ${what} ${detail}`;
  const errors = count === 1 ? 'an error' : `${count} errors, first`;
  return `The ${what} has ${errors}: ${pointer ? `${pointer}: ` : ''}${detail}`;
}

/** Returns the type that an issue names by `params.problem`: its cause outranks other errors. */
const typeOf = (issues: readonly Issue[]): ProblemType =>
  issues
    .flatMap((issue) => (issue.code === 'custom' ? [issue.params?.problem] : []))
    .find(isType) ?? 'invalid-request';

type Path = readonly PropertyKey[];

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), value);

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns where issues are about a member that is null. */
function nullsOf(value: unknown, issues: readonly Issue[], base: Path = []): Path[] {
  return issues.slice(0, MAX_ERRORS).flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_union' && valueAt(value, path) !== null) {
      return issue.errors.flatMap((each) => nullsOf(value, each, path));
    }
    const isMember = typeof path.at(-1) === 'string';
    return isMember && valueAt(value, path) === null ? [path] : [];
  });
}

/** Returns a value without these members; its parts that keep theirs are not copied. */
function withoutNulls(value: unknown, paths: readonly Path[]): unknown {
  return paths.reduce((rest, path) => withoutMember(rest, path), value);
}

function withoutMember(value: unknown, [name, ...below]: Path): unknown {
  if (!isRecord(value) || name === undefined || !Object.hasOwn(value, name)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<PropertyKey, unknown>;
  if (below.length > 0) copy[name] = withoutMember(value[name], below);
  else delete copy[name];
  return copy;
}

/**
 * Returns the value, checked and typed. A member that may not be null counts as left out if it is: responses have
 * nulls, and clients send back what they got.
 * @param what the value's name in the response
 * @throws Problem invalid-request with all errors, at most 100; of another type if an issue of the
 *   schema names one by `params.problem`
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: Parsed): T {
  const error = what === 'query' ? queryMessage : validationMessage;
  const check = (checked: unknown) => schema.safeParse(checked, { error });
  let parsed = check(value);
  if (parsed.success) return parsed.data;
  const rest = withoutNulls(value, nullsOf(value, parsed.error.issues));
  if (rest !== value) parsed = check(rest);
  if (parsed.success) return parsed.data;
  const issues = withoutSequels(parsed.error.issues);
  const count = issues.reduce((sum, issue) => sum + countOf(issue), 0);
  const errors = issues
    .slice(0, MAX_ERRORS)
    .flatMap((issue) => toValidationIssues(issue, what))
    .slice(0, MAX_ERRORS);
  throw new Problem(typeOf(issues), summaryOf(what, count, errors[0]), { errors });
}

export const queryFlag = z.enum(['true', 'false']).transform((text) => text === 'true');
