import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileErrorText, hasCode } from '../../platform/file-error.ts';
import { usageError } from './exit.ts';

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** Reads a JSON file. @throws CliError if it does not exist, is not JSON or does not match the schema */
export async function readJsonFile<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw usageError(hasCode(error, 'ENOENT') ? `There is no file ${file}` : fileErrorText(error));
  });
  const parsed = schema.safeParse(parseJson(text, file));
  if (parsed.success) return parsed.data;
  throw usageError(`${file}: ${z.prettifyError(parsed.error)}`);
}
