import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { ConfigError } from './config.ts';

function parseFile(setting: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new ConfigError([`${setting}: ${path} ${reason}`]);
  }
}

/**
 * Reads the JSON file that a setting names.
 * @param errorsIn what else is wrong with it, each with a pointer
 * @throws ConfigError with all errors, by pointer
 */
export function readDeclaration<T>(
  setting: string,
  path: string,
  schema: z.ZodType<T>,
  errorsIn: (declared: T) => readonly string[],
): T {
  const parsed = schema.safeParse(parseFile(setting, path));
  const errors = parsed.success
    ? errorsIn(parsed.data)
    : parsed.error.issues.map(({ path: at, message }) => `/${at.join('/')}: ${message}`);
  if (errors.length > 0 || !parsed.success) {
    throw new ConfigError(errors.map((error) => `${path}: ${error}`));
  }
  return parsed.data;
}
