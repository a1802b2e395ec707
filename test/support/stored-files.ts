import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the paths of all files in a folder and its subfolders.
 *
 * Folders that are deleted meanwhile count as empty: storage deletes a blob's empty folders while
 * the gateway runs, and `readdir` with `recursive` then fails as a whole.
 */
export async function listStoredFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(emptyIfGone);
  const lists = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listStoredFiles(path) : [path];
    }),
  );
  return lists.flat();
}

function emptyIfGone(error: NodeJS.ErrnoException): Dirent[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
