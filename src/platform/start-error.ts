import { inspect } from 'node:util';
import { ConfigError } from './config.ts';
import { fileErrorText } from './file-error.ts';

/** Returns what to print when a process cannot start: an error of the system names its reason, others have a stack. */
export function startErrorText(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const isSystemError = error instanceof Error && 'syscall' in error;
  return isSystemError ? fileErrorText(error) : inspect(error);
}
