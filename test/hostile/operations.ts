import { z } from 'zod';
import { fetchDocuments } from '../support/openapi.ts';

const Documented = z.looseObject({
  requestBody: z
    .looseObject({ required: z.boolean().optional(), content: z.record(z.string(), z.unknown()) })
    .optional(),
});
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Documented)),
});

/** An endpoint in the OpenAPI documents of a running server. */
export interface Operation {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  /** Media types of the bodies it accepts. */
  bodies: readonly string[];
  needsBody: boolean;
}

/** Returns every endpoint in the OpenAPI documents of a running server. */
export async function readOperations(url: string): Promise<Operation[]> {
  const documents = await fetchDocuments(url);
  const paths = documents.flatMap(({ text }) =>
    Object.entries(Document.parse(JSON.parse(text)).paths),
  );
  const all = paths.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      // A query or a fragment tells twins apart, which take bodies of different types.
      path: path.split(/[?#]/)[0]!,
      bodies: Object.keys(requestBody?.content ?? {}),
      needsBody: requestBody?.required ?? false,
    })),
  );
  const endpoints = new Map<string, Operation>();
  for (const each of all) {
    const name = `${each.method} ${each.path}`;
    const bodies = [...(endpoints.get(name)?.bodies ?? []), ...each.bodies];
    endpoints.set(name, { ...each, bodies });
  }
  return [...endpoints.values()];
}
