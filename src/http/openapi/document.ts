import { z } from 'zod';
import type { MediaSchema, MediaSchemas, ResponseDoc, Route } from '../route.ts';
import {
  COMMON_HEADERS,
  headerComponents,
  headerParameters,
  headerRefs,
  type RequestHeader,
  type ResponseHeader,
} from './headers.ts';
import { ProblemSchema, problemResponses, share } from './problems.ts';
import { createSchemaTable, type Direction, type JsonSchema, type SchemaTable } from './schemas.ts';

/** Examples of an operation. A text is an example of a format that is not JSON. */
export interface OperationExamples {
  request?: unknown;
  /** By status. */
  successes?: Readonly<Record<string, unknown>>;
}

/** A chapter of the document: the operations whose paths begin with a prefix. */
export interface Chapter {
  prefix: string;
  name: string;
  description: string;
}

/** What the document says besides the routes. */
interface DocumentSettings {
  version: string;
  /** The base URL of clients, if the operator has set it. */
  publicUrl: string | undefined;
  /** The first whose prefix fits counts. */
  chapters: readonly Chapter[];
  /** By operation id. */
  examples: Readonly<Record<string, OperationExamples>>;
}

/** What is written into while the routes are described. */
interface Draft extends DocumentSettings {
  schemas: SchemaTable;
  responses: Record<string, object>;
  parameters: Record<string, object>;
  commonParameters: ReadonlySet<string>;
  /** By the name of the schema. */
  namedExamples: ReadonlyMap<string, object>;
}

/** Bytes, without an encoding. Swagger UI offers a file for it, and generators accept any value. */
const BINARY: JsonSchema = { contentMediaType: 'application/octet-stream' };

/** Returns the bodies a route accepts, by media type. */
function requestMedia(route: Route): MediaSchemas | undefined {
  const json = route.body ?? route.uncheckedBody;
  return route.form ?? route.imageForm ?? route.stream ?? (json && { 'application/json': json });
}

function schemaOf(
  { schemas }: Draft,
  mediaType: string,
  schema: MediaSchema,
  direction: Direction,
): JsonSchema {
  if (schema === 'binary') return BINARY;
  if (!('each' in schema)) return schemas.get(schema, direction);
  const contentSchema = schemas.get(schema.each, direction);
  return { type: 'string', contentMediaType: mediaType, contentSchema };
}

const isText = (schema: MediaSchema): boolean => schema !== 'binary' && 'each' in schema;

/** Returns the name of a schema in the document. */
const nameOf = (schema: MediaSchema): string | undefined =>
  schema === 'binary' || 'each' in schema ? undefined : z.globalRegistry.get(schema)?.id;

/** Describes bodies. The example belongs to the first media type that can have one. */
function content(draft: Draft, media: MediaSchemas, direction: Direction, example: unknown) {
  const wantsText = typeof example === 'string';
  const exampleType = Object.entries(media).find(
    ([type, schema]) => isText(schema) === wantsText && (wantsText || type.endsWith('json')),
  )?.[0];
  const exampleFor = (type: string, schema: MediaSchema): object | undefined => {
    const name = direction === 'output' ? nameOf(schema) : undefined;
    if (name && draft.namedExamples.has(name)) return { $ref: `#/components/examples/${name}` };
    return example !== undefined && type === exampleType ? { value: example } : undefined;
  };
  return Object.fromEntries(
    Object.entries(media).map(([type, schema]) => {
      const real = exampleFor(type, schema);
      // In the plural: generators copy a single example into their comments.
      const examples = real && { examples: { real } };
      return [type, { schema: schemaOf(draft, type, schema, direction), ...examples }];
    }),
  );
}

/** Returns an example for each named schema of a success: the one that shows most. */
function namedExamples(routes: readonly Route[], { examples }: DocumentSettings) {
  const found = new Map<string, object>();
  const lengthOf = (example: object | undefined) => JSON.stringify(example ?? '').length;
  for (const { operationId, responses } of routes) {
    for (const [status, { content: media = {} }] of Object.entries(responses)) {
      const example = examples[operationId]?.successes?.[status];
      const [schema] = Object.values(media);
      const name = schema && nameOf(schema);
      if (!name || typeof example !== 'object' || example === null) continue;
      if (lengthOf(example) > lengthOf(found.get(name))) found.set(name, example);
    }
  }
  return found;
}

function successResponse(draft: Draft, route: Route, doc: ResponseDoc, example: unknown) {
  const common = route.quota ? COMMON_HEADERS : [];
  return {
    description: doc.description,
    headers: headerRefs([...common, ...(doc.headers ?? [])]),
    ...(doc.content && { content: content(draft, doc.content, 'output', example) }),
  };
}

/** Returns the name of a response that operations share: its own, that of its schema or status. */
function sharedName(status: number, { content = {}, name }: ResponseDoc): string | undefined {
  if (status === 304) return 'NotModified';
  if (name) return name;
  const [schema, ...others] = Object.values(content);
  return schema && others.length === 0 ? nameOf(schema) : undefined;
}

function describeSuccess(draft: Draft, route: Route, status: number, doc: ResponseDoc): object {
  const example = draft.examples[route.operationId]?.successes?.[status];
  const name = sharedName(status, doc);
  const response = successResponse(draft, route, doc, example);
  return name ? share('responses', draft.responses, name, response) : response;
}

/** Headers of a success that its 304 has, too (RFC 9110, 15.4.5). */
const REVALIDATED: readonly ResponseHeader[] = ['ETag', 'Cache-Control', 'Content-Language'];

/** Returns the successes of a route, with what a 304 repeats of the 200. */
function successDocs({ responses }: Route): [status: number, doc: ResponseDoc][] {
  const repeated = responses[200]?.headers?.filter((name) => REVALIDATED.includes(name)) ?? [];
  return Object.entries(responses).map(([status, doc]) => [
    Number(status),
    status === '304' ? { ...doc, headers: repeated } : doc,
  ]);
}

const successResponses = (draft: Draft, route: Route) =>
  Object.fromEntries(
    successDocs(route).map(([status, doc]) => [status, describeSuccess(draft, route, status, doc)]),
  );

/** A list is one parameter, with commas. */
const asList = ({ type }: JsonSchema) => type === 'array' && { style: 'form', explode: false };

/** A parameter of a path or query. */
interface Parameter {
  name: string;
  in: string;
  [keyword: string]: unknown;
}

function queryParameters(schemas: SchemaTable, query: z.ZodType | undefined): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.get(query, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    ...asList(schema),
    schema,
  }));
}

const pathParameters = (path: string): Parameter[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const ownParameters = (schemas: SchemaTable, { path, query }: Route): Parameter[] => [
  ...pathParameters(path),
  ...queryParameters(schemas, query),
];

/** Returns the parameters, as JSON, that several operations have. */
function commonParameters(schemas: SchemaTable, routes: readonly Route[]): ReadonlySet<string> {
  const all = routes.flatMap((each) => ownParameters(schemas, each)).map((p) => JSON.stringify(p));
  return new Set(all.filter((parameter, at) => all.indexOf(parameter) < at));
}

/** Describes the parameters of a route; those that several operations have are references. */
function parameters(draft: Draft, route: Route): object[] {
  const own = ownParameters(draft.schemas, route).map((parameter) =>
    draft.commonParameters.has(JSON.stringify(parameter))
      ? share('parameters', draft.parameters, parameter.name, parameter)
      : parameter,
  );
  const headers = requestHeaders(route).map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }));
  return [...own, ...headers];
}

/** Returns the headers that change what a route does, and the one that every route reads. */
function requestHeaders({ requestHeaders = [], responses }: Route): RequestHeader[] {
  const isStream = Object.keys(responses[200]?.content ?? {}).includes('text/event-stream');
  return [
    ...requestHeaders,
    ...(responses[304] ? (['If-None-Match'] as const) : []),
    ...(isStream ? (['Last-Event-ID'] as const) : []),
    'X-Request-Id',
  ];
}

function requestBody(draft: Draft, route: Route) {
  const media = requestMedia(route);
  if (!media) return undefined;
  const example = draft.examples[route.operationId]?.request;
  const required = !route.optionalBody;
  return { requestBody: { required, content: content(draft, media, 'input', example) } };
}

/** A key with the scope, in any place that it may be sent, or a session of the console. */
function security({
  scope,
  keyHeader,
}: Pick<Route, 'scope' | 'keyHeader'>): Record<string, string[]>[] {
  if (scope === 'keyless') return [];
  const scopes = scope === 'any-key' ? [] : [scope];
  return [
    { apiKey: scopes },
    ...(keyHeader ? [{ [keyHeader]: scopes }] : []),
    { consoleSession: scopes, consoleRequest: [] },
  ];
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `Bearer slv_…`. The listed names are the scopes that it needs.',
  },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'selvage-console',
    description: 'The session of a page of the console, created by `POST /console/session`.',
  },
  consoleRequest: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Selvage-Console',
    description: '`1`, with the session: another site cannot send this header.',
  },
};

const keyHeaderSchemes = (routes: readonly Route[]) =>
  Object.fromEntries(
    routes.flatMap(({ keyHeader }) =>
      keyHeader
        ? [
            [
              keyHeader,
              { type: 'apiKey', in: 'header', name: keyHeader, description: 'An API key' },
            ],
          ]
        : [],
    ),
  );

const chapterOf = ({ chapters }: DocumentSettings, { path }: Route): string[] => {
  const chapter = chapters.find(({ prefix }) => path.startsWith(prefix));
  return chapter ? [chapter.name] : [];
};

function operation(draft: Draft, route: Route) {
  return {
    operationId: route.operationId,
    tags: chapterOf(draft, route),
    summary: route.summary,
    description: route.description,
    ...((route.scope !== 'any-key' || route.keyHeader) && { security: security(route) }),
    parameters: parameters(draft, route),
    ...requestBody(draft, route),
    responses: {
      ...successResponses(draft, route),
      ...problemResponses(route, draft.schemas, draft.responses),
    },
  };
}

const zodSchemas = (media: MediaSchemas | undefined): z.ZodType[] =>
  Object.values(media ?? {}).flatMap((schema) => {
    if (schema === 'binary') return [];
    return 'each' in schema ? schema.each : schema;
  });

/** Returns every schema of the routes, by what it describes. */
function schemasOf(routes: readonly Route[]): Record<Direction, ReadonlySet<z.ZodType>> {
  const input = routes.flatMap((route) => [
    ...(route.query ? [route.query] : []),
    ...zodSchemas(requestMedia(route)),
  ]);
  const output = routes.flatMap(({ responses, problemSchema }) => [
    ...(problemSchema ? [problemSchema] : []),
    ...Object.values(responses).flatMap((doc) => zodSchemas(doc.content)),
  ]);
  return { input: new Set(input), output: new Set(output) };
}

/** Returns the names of one kind of component that the document refers to. */
function used<Name extends string>(document: object, kind: string): Name[] {
  const refs = JSON.stringify(document).matchAll(new RegExp(`"#/components/${kind}/([^"]+)"`, 'g'));
  return [...new Set([...refs].map(([, name]) => name as Name))];
}

/** Returns the OpenAPI 3.1 document, generated from the schemas that parse requests. */
export function openApiDocument(routes: readonly Route[], settings: DocumentSettings) {
  const schemas = createSchemaTable(schemasOf(routes));
  const responses: Draft['responses'] = {};
  const draft: Draft = {
    ...settings,
    schemas,
    responses,
    namedExamples: namedExamples(routes, settings),
    parameters: {},
    commonParameters: commonParameters(schemas, routes),
  };
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(draft, route) };
  }
  const described = { paths, responses };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Selvage',
      version: settings.version,
      description:
        'Garment cut-outs, garment words and outfits that are warm enough. Every response has `X-Request-Id`; every response to a key has `RateLimit-Limit` and `RateLimit-Remaining`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: settings.publicUrl ?? '/', description: 'This installation' }],
    // Of operations that say nothing else: a key with any scope.
    security: security({ scope: 'any-key' }),
    tags: settings.chapters.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { ...schemas.components, Problem: ProblemSchema },
      responses,
      examples: Object.fromEntries(
        [...draft.namedExamples].map(([name, value]) => [name, { value }]),
      ),
      parameters: {
        ...headerParameters(routes.flatMap(requestHeaders)),
        ...draft.parameters,
      },
      headers: headerComponents(used<ResponseHeader>(described, 'headers')),
      securitySchemes: { ...SECURITY_SCHEMES, ...keyHeaderSchemes(routes) },
    },
  };
}
