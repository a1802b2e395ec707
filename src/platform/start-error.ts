import { inspect } from 'node:util';
import { fileErrorText } from './system-error.ts';

/** Why a process cannot start, in words for its operator: printed without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Returns what to print when a process cannot start: an error of the system names its reason, others have a stack. */
function startErrorText(error: unknown): string {
  if (error instanceof StartError) return error.message;
  const isSystemError = error instanceof Error && 'syscall' in error;
  return isSystemError ? fileErrorText(error) : inspect(error);
}

/** Prints why a process cannot start, and ends it. */
export function endStart(error: unknown): never {
  console.error(startErrorText(error));
  process.exit(1);
}
