// @ts-check
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** An error that the user can fix: its message is printed without a stack trace; exit code 1. */
export class StartError extends Error {}

/** How whoever reads a message starts and stops Selvage: from the installed package, or in the repository. */
const isInstalled = /[/\\]node_modules[/\\]/.test(import.meta.dirname);
export const START = isInstalled ? 'selvage start' : 'npm start';
export const STOP = isInstalled ? 'selvage stop' : 'npm run -s selvage -- stop';

/** What to do about an error of the system, by its code. */
const ADVICE = new Map([
  ['ENOSPC', 'Free some space on that disk'],
  ['EDQUOT', 'Free some space: the quota of this user is used up'],
  ['EROFS', 'That disk is read-only: set SELVAGE_HOME to a folder on another'],
  ['ENOTDIR', 'Part of that path is a file: set SELVAGE_HOME to a folder'],
  ['EEXIST', 'There is a file of that name: set SELVAGE_HOME to a folder'],
]);
const NOT_ALLOWED = ['EACCES', 'EPERM'];

/**
 * @param {unknown} error
 * @returns {error is NodeJS.ErrnoException}
 */
export const isSystemError = (error) =>
  error instanceof Error && 'code' in error && 'syscall' in error;

/**
 * Returns the message for an error of the system, which names path and reason itself, and what to do.
 * @param {NodeJS.ErrnoException} error
 */
export function systemErrorText({ code = '', message, path }) {
  const advice = NOT_ALLOWED.includes(code) && path ? ownerText(path) : ADVICE.get(code);
  return [message, advice].filter(Boolean).join('.\n');
}

/**
 * Says to whom a path belongs, or the folder in which it would be.
 * @param {string} path
 * @returns {string}
 */
function ownerText(path) {
  try {
    const { uid } = statSync(path);
    return `${path} belongs to user ${uid}, and this is user ${process.getuid?.()}: start as that user, or set SELVAGE_HOME to a folder of your own`;
  } catch {
    return ownerText(dirname(path)); // ends at the root folder, which exists
  }
}
