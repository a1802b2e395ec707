import type { z } from 'zod';
import type { DescribedRoute, Route } from '../route.ts';
import { headerParameters, type RequestHeader } from './headers.ts';
import { type JsonSchema, type SchemaTable, share } from './schemas.ts';

/** `true` and `false` in a query are a boolean to those who call it. */
const isFlag = ({ enum: values = [] }: JsonSchema): boolean =>
  Array.isArray(values) &&
  values.length === 2 &&
  ['true', 'false'].every((text) => values.includes(text));

/** A list is one parameter, with commas. */
const asList = ({ type }: JsonSchema) => type === 'array' && { style: 'form', explode: false };

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
  const namedBy = ({ $ref }: JsonSchema): JsonSchema | undefined =>
    typeof $ref === 'string' ? schemas.components[$ref.split('/').at(-1)!] : undefined;
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const named = namedBy(schema);
    const text = description ?? named?.description;
    return {
      name,
      in: 'query',
      ...(required.includes(name) && { required: true }),
      ...(text !== undefined && { description: text }),
      ...asList(named ?? schema),
      schema: isFlag(schema) ? { type: 'boolean' } : schema,
    };
  });
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
function commonParameters(
  schemas: SchemaTable,
  routes: readonly DescribedRoute[],
): ReadonlySet<string> {
  const all = routes.flatMap((each) => ownParameters(schemas, each)).map((p) => JSON.stringify(p));
  return new Set(all.filter((parameter, at) => all.indexOf(parameter) < at));
}

/** Returns the headers that change what a route does. The one that every route reads is listed where a success costs quota. */
function requestHeaders({ requestHeaders, responses, quota }: DescribedRoute): RequestHeader[] {
  const isStream = Object.keys(responses[200]?.content ?? {}).includes('text/event-stream');
  return [
    ...requestHeaders,
    ...(responses[304] ? (['If-None-Match'] as const) : []),
    ...(isStream ? (['Last-Event-ID'] as const) : []),
    ...(quota ? (['X-Request-Id'] as const) : []),
  ];
}

/** The parameters of all routes. */
export class ParameterTable {
  /** Headers, and what several operations have. */
  readonly components: Record<string, object>;
  readonly #byRoute: ReadonlyMap<DescribedRoute, object[]>;

  constructor(schemas: SchemaTable, routes: readonly DescribedRoute[]) {
    const common = commonParameters(schemas, routes);
    this.components = headerParameters(routes.flatMap(requestHeaders));
    const shared = (parameter: Parameter) =>
      common.has(JSON.stringify(parameter))
        ? share('parameters', this.components, parameter.name, parameter)
        : parameter;
    this.#byRoute = new Map(
      routes.map((route) => {
        const headers = requestHeaders(route).map((name) => ({
          $ref: `#/components/parameters/${name}`,
        }));
        return [route, [...ownParameters(schemas, route).map(shared), ...headers]];
      }),
    );
  }

  /** Returns the parameters of a route; those of `components` as references. */
  of(route: DescribedRoute): object[] {
    return this.#byRoute.get(route) ?? [];
  }
}
