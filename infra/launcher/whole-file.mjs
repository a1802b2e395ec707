// @ts-check
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { isSystemError } from './start-error.mjs';

/**
 * Writes a file whole or not at all, readable by this user alone: under another name, to the disk, then in place.
 * @param {string} file
 * @param {string} text
 * @param {(draft: string, file: string) => void} [place] `linkSync` fails with EEXIST where `renameSync` replaces
 */
export function writeWhole(file, text, place = renameSync) {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    place(draft, file);
  } catch (error) {
    // That of a write names no path.
    if (isSystemError(error) && !error.path) {
      throw Object.assign(error, { path: file, message: `${error.message} '${file}'` });
    }
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
