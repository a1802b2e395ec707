import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { z } from 'zod';
import { PROBLEMS, type ProblemType } from '../../../src/platform/problem.ts';
import { fetchDocuments, type PublishedDocument } from '../../support/openapi.ts';

// The types of this CommonJS module describe its default export as a namespace.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

const Ref = z.object({ $ref: z.string() });
const Media = z.looseObject({
  /** Bytes have none. */
  schema: z.record(z.string(), z.unknown()).default({}),
  examples: z.record(z.string(), z.looseObject({})).optional(),
});
export type Media = z.infer<typeof Media>;
const Content = z.record(z.string(), Media);
const Response = z.looseObject({
  description: z.string(),
  headers: z.record(z.string(), Ref).optional(),
  content: Content.optional(),
});
export type Response = z.infer<typeof Response>;
const Parameter = z.looseObject({ name: z.string(), in: z.string(), schema: z.looseObject({}) });
const Security = z.array(z.record(z.string(), z.array(z.string())));
const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  security: Security.optional(),
  parameters: z.array(z.union([Ref, Parameter])),
  requestBody: z.looseObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.union([Ref, Response])),
});
const Document = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ description: z.string() }),
  security: Security,
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  webhooks: z.record(z.string(), z.record(z.string(), Operation.partial())).optional(),
  components: z.looseObject({
    schemas: z.record(z.string(), z.looseObject({})),
    responses: z.record(z.string(), Response),
    parameters: z.record(z.string(), Parameter),
  }),
});

/** An operation of the document, with its shared parts in place. */
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: z.infer<typeof Parameter>[];
  requestBody?: { required: boolean; content: Record<string, Media> } | undefined;
  method: string;
  path: string;
  responses: Record<string, Response>;
}

/** The path of an operation without the query or fragment that tells it from its twin. */
export const pathOf = ({ path }: Pick<Operation, 'path'>): string => path.split(/[?#]/)[0]!;

export interface ApiDocument {
  /** `/openapi.json` is the first. */
  documents: readonly (PublishedDocument & { json: z.infer<typeof Document> })[];
  /** Of all documents. */
  operations: readonly Operation[];
  /** Returns the operation that a request is for: of twins, one that has such an answer. */
  find(
    method: string,
    path: string,
    answer?: { status: number; mediaType: string },
  ): Operation | undefined;
  /** Compiles a schema of the document. */
  validator(schema: object): ValidateFunction;
}

const lastOf = (ref: string): string => ref.split('/').at(-1)!;

const addressOf = (path: string): string => `https://selvage.example${path}`;

/** Returns the operations of a document, whose references to schemas work outside of it. */
function operationsOf({ path: document, text }: PublishedDocument): Operation[] {
  const absolute = text.replaceAll('"$ref":"#/', `"$ref":"${addressOf(document)}#/`);
  const json = Document.parse(JSON.parse(absolute));
  const { responses: shared, parameters } = json.components;
  return Object.entries(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const described = Object.entries(operation.responses);
      return {
        ...operation,
        security: operation.security ?? json.security,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters.map((each) =>
          Parameter.parse('$ref' in each ? parameters[lastOf(String(each.$ref))] : each),
        ),
        responses: Object.fromEntries(
          described.map(([status, response]) => [
            status,
            Response.parse('$ref' in response ? shared[lastOf(String(response.$ref))] : response),
          ]),
        ),
      };
    }),
  );
}

/** Reads the documents of a running server. */
export async function readDocument(url: string): Promise<ApiDocument> {
  const published = await fetchDocuments(url);
  const operations = published.flatMap(operationsOf);
  const patterns = operations.map((operation) => ({
    operation,
    pattern: new RegExp(`^${pathOf(operation).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  for (const { path, text } of published)
    ajv.addSchema({ ...JSON.parse(text), $id: addressOf(path) });
  return {
    documents: published.map((each) => ({ ...each, json: Document.parse(JSON.parse(each.text)) })),
    operations,
    find(method, path, answer) {
      const found = patterns
        .filter(({ operation, pattern }) => operation.method === method && pattern.test(path))
        .map(({ operation }) => operation);
      const hasAnswer = (operation: Operation): boolean =>
        answer !== undefined &&
        answer.mediaType in (responseFor(operation, answer.status)?.content ?? {});
      return found.find(hasAnswer) ?? found[0];
    },
    validator: (schema) => ajv.compile(schema),
  };
}

/**
 * Returns every status that an operation documents: those it lists, and those of the types in its
 * `default`.
 */
export function documentedStatuses(operation: Operation): Set<number> {
  const listed = Object.keys(operation.responses)
    .filter((status) => status !== 'default')
    .map(Number);
  const types = operation.responses.default?.description.matchAll(/`([\w-]+)`/g) ?? [];
  const others = [...types].map(([, type]) => PROBLEMS[type as ProblemType].status);
  return new Set([...listed, ...others]);
}

/** Returns the response that describes a status. */
export const responseFor = (operation: Operation, status: number): Response | undefined =>
  operation.responses[status] ?? operation.responses.default;
