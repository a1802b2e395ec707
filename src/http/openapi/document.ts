import { z } from 'zod';
import type {
  DescribedRoute,
  MediaSchema,
  MediaSchemas,
  OperationDoc,
  ResponseDoc,
  Route,
} from '../route.ts';
import { COMMON_HEADERS, headerComponents, headerRefs, type ResponseHeader } from './headers.ts';
import { ParameterTable } from './parameters.ts';
import parts from './parts.json' with { type: 'json' };
import { ProblemSchema, problemResponses } from './problems.ts';
import { type Direction, type JsonSchema, SchemaTable, share } from './schemas.ts';

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

interface DocumentSettings {
  title: string;
  description: string;
  version: string;
  /** The base URL of clients, if the operator has set it. */
  publicUrl: string | undefined;
  /** The first whose prefix fits counts. */
  chapters: readonly Chapter[];
  /** By operation id. */
  operations: ReadonlyMap<string, OperationDoc>;
  /** By operation id. */
  examples: Readonly<Record<string, OperationExamples>>;
  /** The body of what is sent to the URLs of clients. */
  event?: z.ZodType;
}

/** What is written into while the routes are described. */
interface Draft extends DocumentSettings {
  schemas: SchemaTable;
  responses: Record<string, object>;
  parameters: ParameterTable;
}

function requestMedia(route: Route): MediaSchemas | undefined {
  const json = route.body ?? route.uncheckedBody;
  return route.form ?? route.imageForm ?? route.stream ?? (json && { 'application/json': json });
}

function schemaOf(
  { schemas }: Pick<Draft, 'schemas'>,
  mediaType: string,
  schema: Exclude<MediaSchema, 'binary'>,
  direction: Direction,
): JsonSchema {
  if (!('each' in schema)) return schemas.get(schema, direction);
  const contentSchema = schemas.get(schema.each, direction);
  return { type: 'string', contentMediaType: mediaType, contentSchema };
}

/** Bytes, without an encoding. Swagger UI offers a file for it, and generators accept any value, or a Blob. */
const FILE: JsonSchema = { contentMediaType: 'application/octet-stream' };

const isText = (schema: MediaSchema): boolean => schema !== 'binary' && 'each' in schema;

/** Returns the name of a schema in the document. */
const nameOf = (schema: MediaSchema): string | undefined =>
  schema === 'binary' || 'each' in schema ? undefined : z.globalRegistry.get(schema)?.id;

/** Generators send the first media type: it should be that of lines, whose schema is known, else of any file. */
function likeliestFirst(media: MediaSchemas): [type: string, schema: MediaSchema][] {
  const rankOf = (type: string, schema: MediaSchema): number =>
    isText(schema) ? 0 : Number(type !== 'application/octet-stream') + 1;
  return Object.entries(media).sort((a, b) => rankOf(...a) - rankOf(...b));
}

/** Describes bodies. The example belongs to the first media type that can have one. */
function content(draft: Draft, media: MediaSchemas, direction: Direction, example: unknown) {
  const wantsText = typeof example === 'string';
  const exampleType = Object.entries(media).find(
    ([type, schema]) => isText(schema) === wantsText && (wantsText || type.endsWith('json')),
  )?.[0];
  return Object.fromEntries(
    likeliestFirst(media).map(([type, schema], at) => {
      // Generators take the type of a file from the first of its media types; bytes need no schema (OpenAPI 3.1).
      if (schema === 'binary') return [type, at === 0 ? { schema: FILE } : {}];
      // In the plural: generators copy a single example into their comments.
      const hasExample = example !== undefined && type === exampleType;
      const examples = hasExample && { examples: { real: { value: example } } };
      return [type, { schema: schemaOf(draft, type, schema, direction), ...examples }];
    }),
  );
}

function sharedName(status: number, { content = {}, name }: ResponseDoc): string | undefined {
  if (status === 304) return 'NotModified';
  if (name) return name;
  const [schema, ...others] = Object.values(content);
  return schema && others.length === 0 ? nameOf(schema) : undefined;
}

/** Longer examples of responses are left to the pages of the docs: they are much of a document. */
const MAX_EXAMPLE_CHARS = 300;

function describeSuccess(draft: Draft, route: Route, status: number, doc: ResponseDoc): object {
  const { request, successes } = examplesOf(draft, route) ?? {};
  const example = successes?.[status];
  const isShown = request === undefined && JSON.stringify(example)?.length <= MAX_EXAMPLE_CHARS;
  const headers = headerRefs([...(route.quota ? COMMON_HEADERS : []), ...(doc.headers ?? [])]);
  return {
    description: doc.description,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(doc.content && {
      content: content(draft, doc.content, 'output', isShown ? example : undefined),
    }),
  };
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

/** Describes the successes of all routes: those that several have as references. */
function successTable(draft: Draft, routes: readonly Route[]) {
  const all = routes.flatMap((route) =>
    successDocs(route).map(([status, doc]) => {
      const name = sharedName(status, doc);
      const response = describeSuccess(draft, route, status, doc);
      return { route, status, name, response, text: JSON.stringify(response) };
    }),
  );
  const texts = all.map(({ text }) => text);
  const repeated = new Set(texts.filter((text, at) => texts.indexOf(text) < at));
  const table = new Map<Route, Record<number, object>>();
  for (const { route, status, name, response, text } of all) {
    const isShared = name !== undefined && repeated.has(text);
    const described = isShared ? share('responses', draft.responses, name, response) : response;
    table.set(route, { ...table.get(route), [status]: described });
  }
  return table;
}

function requestBody(draft: Draft, route: Route) {
  const media = requestMedia(route);
  if (!media) return undefined;
  const example = examplesOf(draft, route)?.request;
  const required = !route.optionalBody;
  return { requestBody: { required, content: content(draft, media, 'input', example) } };
}

const chapterOf = ({ chapters }: DocumentSettings, { path }: Route): string[] => {
  const chapter = chapters.find(({ prefix }) => path.startsWith(prefix));
  return chapter ? [chapter.name] : [];
};

function operation(draft: Draft, route: DescribedRoute, successes: object | undefined) {
  return {
    operationId: route.operationId,
    tags: chapterOf(draft, route),
    summary: route.summary,
    description: route.description,
    ...(route.sunset && { deprecated: true }),
    ...((route.scope !== 'any-key' || route.keyHeader) && {
      security: security(route),
    }),
    parameters: draft.parameters.of(route),
    ...requestBody(draft, route),
    responses: {
      ...successes,
      ...problemResponses(route, draft.schemas, draft.responses),
    },
  };
}

const zodSchemas = (media: MediaSchemas | undefined): z.ZodType[] =>
  Object.values(media ?? {}).flatMap((schema) => {
    if (schema === 'binary') return [];
    return 'each' in schema ? schema.each : schema;
  });

function schemasOf(
  routes: readonly Route[],
  { event }: DocumentSettings,
): Record<Direction, ReadonlySet<z.ZodType>> {
  const input = routes.flatMap((route) => [
    ...(route.query ? [route.query] : []),
    ...zodSchemas(requestMedia(route)),
  ]);
  const output = routes.flatMap(({ responses, problemSchema }) => [
    ...(problemSchema ? [problemSchema] : []),
    ...Object.values(responses).flatMap((doc) => zodSchemas(doc.content)),
  ]);
  if (event) output.push(event);
  return { input: new Set(input), output: new Set(output) };
}

/** Returns the names of one kind of component that the document refers to. */
function used<Name extends string>(document: object, kind: string): Name[] {
  const refs = JSON.stringify(document).matchAll(new RegExp(`"#/components/${kind}/([^"]+)"`, 'g'));
  return [...new Set([...refs].map(([, name]) => name as Name))];
}

const JSON_TYPE = 'application/json';
const TWIN_SUFFIX = /As(Json|Form)$/;

/**
 * Returns a route whose body may be JSON or a file in two parts. Generators call only one of several media types: JSON,
 * if it is there, and some none. The path of the second part has the query that it needs, or a fragment, which no client
 * sends; so it takes no other query.
 */
function singleMedia(route: DescribedRoute): DescribedRoute[] {
  const { path, operationId, jsonQuery, imageForm, stream, query, ...rest } = route;
  const kind = imageForm ? 'imageForm' : 'stream';
  const { [JSON_TYPE]: json, ...files } = imageForm ?? stream ?? {};
  if (!json) return [route];
  const isJsonFirst = Object.keys(imageForm ?? stream ?? {})[0] === JSON_TYPE;
  const [own, second] = isJsonFirst
    ? [{ [JSON_TYPE]: json }, files]
    : [files, { [JSON_TYPE]: json }];
  const name = isJsonFirst ? 'Form' : 'Json';
  const twin = {
    ...rest,
    path: jsonQuery ? `${path}?${jsonQuery}` : `${path}#${name.toLowerCase()}`,
    operationId: `${operationId}As${name}`,
    description: `As \`${operationId}\`, with a body of another media type.`,
    [kind]: second,
  };
  if (!jsonQuery) return [{ ...route, [kind]: own }, twin];
  return [
    { ...route, [kind]: own, responses: withMedia(route, (type) => type !== JSON_TYPE) },
    { ...twin, responses: withMedia(route, (type) => type === JSON_TYPE) },
  ];
}

/** Returns the responses of a route, and of the media types of its 200 those that are wanted. */
function withMedia({ responses }: Route, isWanted: (type: string) => boolean): Route['responses'] {
  const { content = {}, ...success } = responses[200] ?? { description: '' };
  const wanted = Object.entries(content).filter(([type]) => isWanted(type));
  return { ...responses, 200: { ...success, content: Object.fromEntries(wanted) } };
}

/** @throws Error for a route of which nothing is said */
function describe({ operations }: DocumentSettings, route: Route): DescribedRoute {
  const said = operations.get(route.operationId);
  if (said) return { ...route, ...said };
  throw new Error(`Nothing is said of the operation ${route.operationId}`);
}

/** Operations of batches and of runs have the same description: the first has it, the others refer to it. */
function describedOnce(routes: readonly DescribedRoute[]): DescribedRoute[] {
  const first = new Map<string, string>();
  return routes.map((route) => {
    const known = first.get(route.description);
    if (known) return { ...route, description: `As \`${known}\`.` };
    first.set(route.description, route.operationId);
    return route;
  });
}

/** Returns the examples of a route, which are those of its twin, too. */
const examplesOf = ({ examples }: Pick<Draft, 'examples'>, { operationId }: Route) =>
  examples[operationId.replace(TWIN_SUFFIX, '')];

/** Describes what clients are sent: one request, whose body tells the kind of event. */
const webhooks = (schema: JsonSchema) => {
  const { responses, ...post } = parts.event;
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  return { event: { post: { ...post, requestBody, responses } } };
};

/** Returns the OpenAPI 3.1 document, generated from the schemas that parse requests. */
export function openApiDocument(table: readonly Route[], settings: DocumentSettings) {
  const { title, version, description } = settings;
  const described = table.map((route) => describe(settings, route));
  const routes = describedOnce(described.flatMap(singleMedia));
  const schemas = new SchemaTable(schemasOf(routes, settings));
  const responses: Draft['responses'] = {};
  const parameters = new ParameterTable(schemas, routes);
  const draft: Draft = { ...settings, schemas, responses, parameters };
  const successes = successTable(draft, routes);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(draft, route, successes.get(route)),
    };
  }
  const operations = { paths, responses };
  const hasProblem = used(operations, 'schemas').includes('Problem');
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: settings.publicUrl ?? '/', description: 'This installation' }],
    // Of operations that say nothing else: a key with any scope.
    security: security({ scope: 'any-key' }),
    tags: settings.chapters.map(({ name, description }) => ({ name, description })),
    paths,
    ...(settings.event && { webhooks: webhooks(schemas.get(settings.event, 'output')) }),
    components: {
      schemas: { ...schemas.components, ...(hasProblem && { Problem: ProblemSchema }) },
      responses,
      parameters: parameters.components,
      headers: headerComponents(used<ResponseHeader>(operations, 'headers')),
      securitySchemes: securitySchemes(routes),
    },
  };
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

const securitySchemes = (routes: readonly Route[]) => ({
  ...parts.securitySchemes,
  ...Object.fromEntries(
    routes.flatMap(({ keyHeader: name }) =>
      name ? [[name, { type: 'apiKey', in: 'header', name, description: 'An API key' }]] : [],
    ),
  ),
});
