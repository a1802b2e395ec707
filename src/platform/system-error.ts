import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns the code of an error of the system or a library; empty for others. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code ? String(error.code) : '';

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes(codeOf(error));

/** Says to whom a path belongs, or the folder in which it would be. */
function ownerText(path: string): string {
  try {
    return `${path} belongs to user ${statSync(path).uid}, this process to user ${process.getuid?.()}`;
  } catch {
    return ownerText(dirname(path)); // ends at the root folder, which exists
  }
}

/** Formats an error of the file system, which names path and reason itself; without rights, with the owner. */
export function fileErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isDenied = hasCode(error, 'EACCES', 'EPERM') && 'path' in error;
  return isDenied ? `${error.message}: ${ownerText(String(error.path))}` : error.message;
}
