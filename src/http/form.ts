import { fieldProblem } from '../platform/problem.ts';
import { collect, isJson, JsonParts, type Part, partProblem } from './image-body.ts';
import { membersOf } from './json-body.ts';

/** A form with any field names. */
export interface Form {
  /** Text in a multipart or URL-encoded form, any value in JSON. */
  fields: Readonly<Record<string, unknown>>;
  /** The bytes of its files. */
  files: Readonly<Record<string, Uint8Array>>;
}

/**
 * Reads a multipart form.
 * @param maxFileBytes the parser's limit of a file, for the error's text
 * @param maxTextBytes limit of all fields together
 * @throws Problem invalid-request, payload-too-large
 */
export async function readFormParts(
  parts: AsyncIterable<Part>,
  maxFileBytes: number,
  maxTextBytes: number,
): Promise<Form> {
  let textBytes = 0;
  const jsonParts = new JsonParts();
  const fields: Record<string, unknown> = Object.create(null);
  const files: Record<string, Uint8Array> = Object.create(null);
  for await (const part of parts) {
    const name = part.fieldname;
    if (name in fields || name in files) {
      if (part.type === 'file') part.file.resume();
      throw partProblem('invalid-request', name, 'is sent twice', 'send one');
    }
    if (part.type === 'file' && part.filename === undefined && isJson(part)) {
      fields[name] = await jsonParts.read(part);
      continue;
    }
    if (part.type === 'file') {
      files[name] = await collect(part.file, maxFileBytes, name);
      continue;
    }
    textBytes += Buffer.byteLength(String(part.value));
    if (part.valueTruncated || textBytes > maxTextBytes) {
      throw partProblem('payload-too-large', name, 'is too long');
    }
    fields[name] = part.value;
  }
  return { fields, files };
}

/**
 * Returns the form in a URL-encoded or JSON body, which has no files.
 * @throws Problem invalid-request, payload-too-large
 */
export function readFormBody(body: unknown): Form {
  const fields = membersOf(body);
  if (fields) return { fields, files: {} };
  const detail = 'The body must be a form or a JSON object';
  throw fieldProblem('invalid-request', '', 'must be a form or a JSON object', detail);
}
