import { z } from 'zod';
import type { Contract, Schema } from './client-types.ts';

const SchemaField = z.custom<Schema>((value) => typeof value === 'object' && value !== null);
const Ref = z.object({ $ref: z.string() });
const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  description: z.string().optional(),
  schema: SchemaField,
});
const Operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.union([Ref, Parameter])),
  requestBody: z.unknown().optional(),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), SchemaField),
    parameters: z.record(z.string(), Parameter),
  }),
});

/** Returns the names of the schemas that something refers to, directly or by others. */
function reachedFrom(part: unknown, schemas: Contract['schemas']): Set<string> {
  const reached = new Set<string>();
  const open = [part];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const [, name = ''] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (!reached.has(name)) {
        reached.add(name);
        open.push(schemas[name]);
      }
  return reached;
}

/** Returns what a document has for types. */
function partOf(document: unknown): Contract {
  const { paths, components } = Document.parse(document);
  const { schemas } = components;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const queryOf = ({ parameters }: z.infer<typeof Operation>): Schema => {
    const all = parameters.map((each) =>
      '$ref' in each ? components.parameters[each.$ref.split('/').at(-1)!]! : each,
    );
    const properties = all
      .filter((each) => each.in === 'query')
      .map(({ name, description, schema }) => [
        name,
        { ...(description && { description }), ...schema },
      ]);
    return { type: 'object', properties: Object.fromEntries(properties) };
  };
  const queries = Object.fromEntries(operations.map((each) => [each.operationId, queryOf(each)]));
  const sent = [operations.map(({ requestBody }) => requestBody ?? {}), queries];
  return { schemas, queries, sent: reachedFrom(sent, schemas) };
}

/** Returns what types are written from. A schema that several documents have is that of the first. */
export function contractOf(documents: readonly unknown[]): Contract {
  const parts = documents.map(partOf).reverse();
  return {
    schemas: Object.assign({}, ...parts.map(({ schemas }) => schemas)),
    queries: Object.assign({}, ...parts.map(({ queries }) => queries)),
    sent: new Set(parts.flatMap(({ sent }) => [...sent])),
  };
}
