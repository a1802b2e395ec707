import { PROBLEMS, Problem, type ProblemType } from '../../platform/problem.ts';
import { PROBLEM_MEDIA_TYPE } from '../problem-response.ts';
import type { Route } from '../route.ts';
import { headerRefs, LIMIT_HEADERS, type ResponseHeader } from './headers.ts';
import type { JsonSchema, SchemaTable } from './schemas.ts';
import { share } from './share.ts';

/** The body of every problem response (RFC 9457). */
export const ProblemSchema: JsonSchema = {
  type: 'object',
  description: 'Problem Details (RFC 9457). A type may have members beyond these.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'requestId'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description:
        'One of the types at /problems, relative or below the base that the operator set',
      examples: Object.keys(PROBLEMS),
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong and what to do' },
    instance: { type: 'string', format: 'uri-reference' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      description: 'The fields to blame',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'A JSON Pointer into the body, or `?name` for a query parameter',
          },
          detail: { type: 'string' },
        },
      },
    },
  },
};

/** The headers that a problem's response has beside the common ones. */
const PROBLEM_HEADERS: Partial<Record<ProblemType, readonly ResponseHeader[]>> = {
  'method-not-allowed': ['Allow'],
  unauthorized: ['WWW-Authenticate'],
  'insufficient-scope': ['WWW-Authenticate'],
  conflict: ['Retry-After'],
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

/** Those of every address that needs a key, and whose work is paid for. */
const KEYED_PROBLEMS: readonly ProblemType[] = [
  'insufficient-scope',
  'foreign-origin',
  'rate-limit-exceeded',
];

/** What the operations that are paid for list by status, as clients of them handle each. */
const PAID_PROBLEMS: readonly ProblemType[] = [
  'invalid-request',
  'insufficient-scope',
  'payload-too-large',
  'unsupported-media-type',
  'rate-limit-exceeded',
  'upstream-unavailable',
];

/** What a route can respond with because of its kind: its `default`, which many routes share. */
const kindProblems = ({ scope, quota }: Route): ProblemType[] => [
  ...COMMON_PROBLEMS,
  ...(scope === 'keyless' ? [] : KEYED_PROBLEMS),
  ...(quota ? (['quota-exceeded'] as const) : []),
];

/**
 * Returns the problems a route lists by status: those its row names, those of what is paid for, all others of their
 * statuses, and one that every route of its kind has, so that each lists an error.
 */
function ownProblems(route: Route): ProblemType[] {
  const { scope, quota, problems = [] } = route;
  const named: ProblemType[] = [
    scope === 'keyless' ? 'invalid-request' : 'unauthorized',
    ...(quota ? PAID_PROBLEMS : []),
    ...(problems as ProblemType[]),
    ...kindProblems(route).filter((type) => statusOf(route, type) !== PROBLEMS[type].status),
  ];
  const statuses = new Set(named.map((type) => statusOf(route, type)));
  const siblings = kindProblems(route).filter((type) => statuses.has(statusOf(route, type)));
  return [...new Set([...siblings, ...named])];
}

const problemOf = (type: ProblemType) => new Problem(type, 'What is wrong and what to do');

const describe = (types: readonly ProblemType[]): string =>
  types.map((type) => `\`${type}\``).join(', ');

/** What responses are named after. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'TooLarge',
  415: 'MediaType',
  422: 'Unprocessable',
  429: 'TooMany',
  502: 'BadGateway',
  503: 'Unavailable',
};

const headersOf = (types: readonly ProblemType[]) =>
  headerRefs(types.flatMap((type) => PROBLEM_HEADERS[type] ?? []));

const statusOf = (route: Route, type: ProblemType): number =>
  route.problemReply?.(problemOf(type)).status ?? PROBLEMS[type].status;

/** Describes a response by the types that share its status. */
const problemResponse = (types: readonly ProblemType[]) => ({
  description: describe(types),
  headers: headersOf(types),
  content: {
    [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
  },
});

type ByStatus = Map<number, ProblemType[]>;

/** Groups the problems of a route by the status that it responds with. */
function byStatus(route: Route): ByStatus {
  const groups: ByStatus = new Map();
  for (const type of ownProblems(route)) {
    const status = statusOf(route, type);
    groups.set(status, [...(groups.get(status) ?? []), type]);
  }
  return groups;
}

/** The same for a route with a format of its own. */
const ownResponse = (route: Route, schemas: SchemaTable, types: readonly ProblemType[]) => ({
  description: describe(types),
  headers: headersOf(types),
  content: {
    'application/json': {
      schema: route.problemSchema ? schemas.get(route.problemSchema, 'output') : {},
    },
  },
});

/**
 * Describes the problem responses of a route by status, and those of every address.
 * @param components gets the responses
 */
export function problemResponses(
  route: Route,
  schemas: SchemaTable,
  components: Record<string, object>,
) {
  const shareProblem = (name: string, types: readonly ProblemType[]) =>
    route.problemReply
      ? share('responses', components, `Own${name}`, ownResponse(route, schemas, types))
      : share('responses', components, name, problemResponse(types));
  const described = [...byStatus(route)].map(
    ([status, types]) => [status, shareProblem(STATUS_NAMES[status] ?? 'Other', types)] as const,
  );
  return { ...Object.fromEntries(described), default: shareProblem('Other', kindProblems(route)) };
}
