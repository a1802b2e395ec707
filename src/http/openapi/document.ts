import { z } from 'zod';
import type { MediaSchema, MediaSchemas, ResponseDoc, Route } from '../route.ts';
import { COMMON_HEADERS, headerComponents, headerRefs, type ResponseHeader } from './headers.ts';
import { createParameterTable, type ParameterTable } from './parameters.ts';
import { ProblemSchema, problemResponses } from './problems.ts';
import { createSchemaTable, type Direction, type JsonSchema, type SchemaTable } from './schemas.ts';
import { security, securitySchemes } from './security.ts';
import { share } from './share.ts';

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
  parameters: ParameterTable;
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

function requestBody(draft: Draft, route: Route) {
  const media = requestMedia(route);
  if (!media) return undefined;
  const example = draft.examples[route.operationId]?.request;
  const required = !route.optionalBody;
  return { requestBody: { required, content: content(draft, media, 'input', example) } };
}

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
    ...(route.sunset && { deprecated: true }),
    ...((route.scope !== 'any-key' || route.keyHeader) && {
      security: security(route),
    }),
    parameters: draft.parameters.of(route),
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
    parameters: createParameterTable(schemas, routes),
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
        'Garment cut-outs, garment words and outfits that are warm enough. Every response has `X-Request-Id`, your own if the request brings one; every response to a key has `RateLimit-Limit` and `RateLimit-Remaining`.',
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
      parameters: draft.parameters.components,
      headers: headerComponents(used<ResponseHeader>(described, 'headers')),
      securitySchemes: securitySchemes(routes),
    },
  };
}
