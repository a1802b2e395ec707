import { z } from 'zod';

const Documented = z.looseObject({
  requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
});
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Documented)),
});

/** An endpoint that a running server says it has. */
export interface Operation {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  /** Media types of the bodies it takes. */
  bodies: readonly string[];
}

/** Every endpoint of a running server, by its own OpenAPI document. */
export async function readOperations(url: string): Promise<Operation[]> {
  const { paths } = Document.parse(await (await fetch(`${url}/openapi.json`)).json());
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      bodies: Object.keys(requestBody?.content ?? {}),
    })),
  );
}
