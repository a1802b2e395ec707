import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { usageError } from './exit.ts';

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** A file of JSON. @throws CliError where there is none, or it is another thing */
export async function readJsonFile<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw usageError(`There is no file ${file}`);
  });
  const parsed = schema.safeParse(parseJson(text, file));
  if (parsed.success) return parsed.data;
  throw usageError(`${file}: ${z.prettifyError(parsed.error)}`);
}
