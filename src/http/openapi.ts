import { z } from 'zod';
import { PROBLEMS, Problem, type ProblemType } from '../platform/problem.ts';
import { PROBLEM_MEDIA_TYPE } from './problem-response.ts';
import type { MediaSchemas, ResponseDoc, Route } from './route.ts';

const ProblemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri-reference', examples: ['invalid-request'] },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong and what to do' },
    instance: { type: 'string', format: 'uri-reference' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

/** Returns the problems a route can respond with: those of its kind, and those its row names. */
function problemsOf(route: Route): ProblemType[] {
  const body = requestMedia(route) !== undefined;
  const keyed = route.scope !== 'keyless';
  const types: (ProblemType | false)[] = [
    (body || Boolean(route.query)) && 'invalid-request',
    keyed && 'unauthorized',
    keyed && 'insufficient-scope',
    body && 'payload-too-large',
    body && 'unsupported-media-type',
    body && 'request-timeout',
    keyed && 'rate-limit-exceeded',
    Boolean(route.quota) && 'quota-exceeded',
    'internal-error',
    keyed && 'upstream-unavailable',
    ...((route.problems ?? []) as ProblemType[]),
  ];
  return [...new Set(types.filter((type) => type !== false))];
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const content = (media: MediaSchemas, io: 'input' | 'output') =>
  Object.fromEntries(
    Object.entries(media).map(([type, schema]) => [
      type,
      {
        schema: schema === 'binary' ? { type: 'string', format: 'binary' } : jsonSchema(schema, io),
      },
    ]),
  );

const HEADERS: Readonly<Record<string, string>> = {
  'X-Request-Id': 'Identifies this request; keep it in your logs',
  'RateLimit-Limit': 'Requests per window',
  'RateLimit-Remaining': 'Requests left in this window',
};

const headerDocs = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { description: HEADERS[name] ?? name, schema: { type: 'string' } }]),
  );

function successResponse(route: Route, doc: ResponseDoc) {
  const limits = route.scope === 'keyless' ? [] : ['RateLimit-Limit', 'RateLimit-Remaining'];
  return {
    description: doc.description,
    headers: headerDocs(['X-Request-Id', ...limits, ...(doc.headers ?? [])]),
    ...(doc.content && { content: content(doc.content, 'output') }),
  };
}

const PROBLEM_CONTENT = {
  [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
};

/** Describes a problem response of a route: by an example if the route has a format of its own. */
function problemResponse(route: Route, type: ProblemType): { status: number; content: object } {
  const { status } = PROBLEMS[type];
  const own = route.problemReply?.(new Problem(type, 'What is wrong and what to do'));
  return own
    ? { status: own.status ?? status, content: { 'application/json': { example: own.body } } }
    : { status, content: PROBLEM_CONTENT };
}

/** Describes the problem responses of a route by status; several types may share one. */
function problemResponses(route: Route) {
  const responses: Record<number, { description: string; content: object }> = {};
  for (const type of problemsOf(route)) {
    const { status, content: shape } = problemResponse(route, type);
    const line = `\`${type}\`: ${PROBLEMS[type].title}`;
    const known = responses[status];
    responses[status] = {
      description: known ? `${known.description}; ${line}` : line,
      content: shape,
    };
  }
  return responses;
}

function queryParameters(query: z.ZodType | undefined) {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

/** Returns the bodies a route accepts, by media type. */
function requestMedia(route: Route): MediaSchemas | undefined {
  const json = route.body ?? route.uncheckedBody;
  return route.form ?? route.imageForm ?? route.stream ?? (json && { 'application/json': json });
}

function requestBody(route: Route) {
  const media = requestMedia(route);
  const required = !route.optionalBody;
  return media && { requestBody: { required, content: content(media, 'input') } };
}

/** `/look/v1/targets` belongs to `look`; paths without an area are about the service itself. */
const areaOf = (path: string) => /^\/(\w+)\//.exec(path)?.[1] ?? 'service';

function operation(route: Route) {
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^A-Za-z0-9]+(\w)?/g, (_, c: string | undefined) => (c ?? '').toUpperCase())}`,
    tags: [areaOf(route.path)],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: route.scope === 'keyless' ? [] : [{ apiKey: [] }],
    ...(route.scope !== 'keyless' && { 'x-scope': route.scope }),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...requestBody(route),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, doc]) => [
          status,
          successResponse(route, doc),
        ]),
      ),
      ...problemResponses(route),
    },
  };
}

/** Returns the OpenAPI 3.1 document, generated from the schemas that parse requests. */
export function openApiDocument(routes: readonly Route[], version: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Selvage',
      version,
      description: 'Garment cut-outs, garment words and outfits that are warm enough.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      schemas: { Problem: ProblemSchema },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: Bearer slv_…' },
      },
    },
  };
}
