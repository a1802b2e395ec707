import { PROBLEMS, Problem, type ProblemType } from '../../platform/problem.ts';
import { PROBLEM_MEDIA_TYPE } from '../problem-response.ts';
import type { DescribedRoute, Route } from '../route.ts';
import { headerRefs, LIMIT_HEADERS, type ResponseHeader } from './headers.ts';
import parts from './parts.json' with { type: 'json' };
import { type JsonSchema, type SchemaTable, share } from './schemas.ts';

const { problem } = parts;

/** The body of every problem response (RFC 9457). */
export const ProblemSchema: JsonSchema = {
  ...problem,
  properties: {
    ...problem.properties,
    type: { ...problem.properties.type, examples: Object.keys(PROBLEMS) },
  },
};

/** The headers that a problem's response has beside the common ones. */
const PROBLEM_HEADERS: Partial<Record<ProblemType, readonly ResponseHeader[]>> = {
  'method-not-allowed': ['Allow'],
  unauthorized: ['WWW-Authenticate'],
  'insufficient-scope': ['WWW-Authenticate'],
  conflict: ['Retry-After', 'Idempotency-Replayed'],
  'rate-limit-exceeded': ['Retry-After', ...LIMIT_HEADERS],
  'quota-exceeded': ['Retry-After', ...LIMIT_HEADERS],
  'upstream-unavailable': ['Retry-After'],
};

/** The problems of every address, whatever a request to it is about. */
const COMMON_PROBLEMS: readonly ProblemType[] = [
  'invalid-request',
  'method-not-allowed',
  'request-timeout',
  'payload-too-large',
  'unsupported-media-type',
  'headers-too-large',
  'internal-error',
  'upstream-unavailable',
];

/** Those of every address that needs a key. */
const KEYED_PROBLEMS: readonly ProblemType[] = [
  'unauthorized',
  'insufficient-scope',
  'foreign-origin',
  'rate-limit-exceeded',
];

/** What a route can respond with because of its kind: its `default`, which many routes share. */
const kindProblems = ({ scope }: Route): readonly ProblemType[] =>
  scope === 'keyless' ? COMMON_PROBLEMS : [...COMMON_PROBLEMS, ...KEYED_PROBLEMS];

/**
 * Returns the problems a route lists by status: those its row names, those of quota and `Idempotency-Key`, and one that
 * every route of its kind has where there is no other, so that each lists an error.
 */
function ownProblems(route: DescribedRoute): ProblemType[] {
  const { scope, quota, requestHeaders, problems } = route;
  const fallback = scope === 'keyless' ? 'invalid-request' : 'unauthorized';
  const named: ProblemType[] = [
    ...(quota ? ['quota-exceeded' as const] : []),
    ...(requestHeaders.includes('Idempotency-Key') ? ['idempotency-mismatch' as const] : []),
    ...problems,
  ];
  const others = kindProblems(route).filter(
    (type) => statusOf(route, type) !== PROBLEMS[type].status,
  );
  const isError = (type: ProblemType) => Math.floor(statusOf(route, type) / 100) === 4;
  return [...(named.some(isError) ? [] : ([fallback] as const)), ...named, ...others];
}

const problemOf = (type: ProblemType) => new Problem(type, 'What is wrong and what to do');

const describe = (types: readonly ProblemType[]): string =>
  types.map((type) => `\`${type}\``).join(', ');

/** What responses are named after, by status. */
const STATUS_NAMES: Readonly<Record<string, string>> = parts.statusNames;

const statusOf = (route: Route, type: ProblemType): number =>
  route.problemReply?.(problemOf(type)).status ?? PROBLEMS[type].status;

const problemResponse = (types: readonly ProblemType[], content: object) => ({
  description: describe(types),
  headers: headerRefs(types.flatMap((type) => PROBLEM_HEADERS[type] ?? [])),
  content,
});

const PROBLEM_CONTENT = {
  [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
};

/** The problems of a status, whichever operation has them. */
const typesOf = (status: number): ProblemType[] =>
  (Object.keys(PROBLEMS) as ProblemType[]).filter((type) => PROBLEMS[type].status === status);

/** The problems of a route with a format of its own are one response, whatever their status. */
function ownResponses(
  route: DescribedRoute,
  schemas: SchemaTable,
  components: Record<string, object>,
) {
  const schema = route.problemSchema ? schemas.get(route.problemSchema, 'output') : {};
  const name = String(schema.$ref).split('/').at(-1)!;
  const types = [...new Set([...kindProblems(route), 'quota-exceeded' as const])];
  const part = problemResponse(types, { 'application/json': { schema } });
  const shared = share('responses', components, name, part);
  const statuses = ownProblems(route).map((type) => [statusOf(route, type), shared] as const);
  return { ...Object.fromEntries(statuses), default: shared };
}

/**
 * Describes the problem responses of a route by status, and those of every address.
 * @param components gets the responses
 */
export function problemResponses(
  route: DescribedRoute,
  schemas: SchemaTable,
  components: Record<string, object>,
) {
  if (route.problemReply) return ownResponses(route, schemas, components);
  const shareProblem = (name: string, types: readonly ProblemType[]) =>
    share('responses', components, name, problemResponse(types, PROBLEM_CONTENT));
  const described = ownProblems(route).map((type) => {
    const { status } = PROBLEMS[type];
    return [status, shareProblem(STATUS_NAMES[status] ?? 'Failed', typesOf(status))] as const;
  });
  const name = route.scope === 'keyless' ? 'KeylessProblem' : 'Problem';
  return { ...Object.fromEntries(described), default: shareProblem(name, kindProblems(route)) };
}
