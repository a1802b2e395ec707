import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFile,
  link,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../platform/system-error.ts';

/**
 * A folder is removed each time its last file is deleted, by this process or another, which may happen just before a
 * rename, or while its parents are being created: mkdir then fails with ENOENT, or with ENOTDIR if a parent
 * vanishes between two of its own steps.
 */
const RENAME_ATTEMPTS = 100;
const VANISHED_CODES = ['ENOENT', 'ENOTDIR'];

/** Makes the names in a folder survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its parents; if durable, syncs each parent that gained a name, from the top down: a folder that
 * vanishes below leaves those above it synced.
 */
export async function createFolder(folder: string, durable: boolean): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstCreated === undefined || !durable) return;
  const parents: string[] = [];
  for (let created = folder; created.length >= firstCreated.length; created = dirname(created)) {
    parents.unshift(dirname(created));
  }
  for (const parent of parents) await syncFolder(parent);
}

/** Renames a finished file to its path, atomically; creates missing folders. */
export async function renameIntoPlace(file: string, path: string, durable: boolean): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (attempt > 1) await createFolder(dirname(path), durable);
      await rename(file, path);
      break;
    } catch (error) {
      if (!hasCode(error, ...VANISHED_CODES) || attempt === RENAME_ATTEMPTS) throw error;
    }
  }
  if (durable) await syncFolder(dirname(path));
}

/** Errors of file systems that cannot create this hard link. */
const NO_LINK_CODES = ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Creates a hard link to a file, or a durable copy if the file system cannot link it. */
export async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!hasCode(error, ...NO_LINK_CODES)) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    const handle = await open(to, 'r');
    await handle.datasync().finally(() => handle.close());
  }
}

/** Deletes a file, if it is there. `rm` with `force` would look at it first. */
export async function deleteFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, ...VANISHED_CODES)) throw error;
  }
}

/** Removes a folder and its parents while they are empty; stops below `root`. */
export async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  for (let empty = folder; empty !== root; empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return;
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/** Yields the relative path of every file below a folder. Concurrent changes may or may not be seen. */
export async function* filesUnder(folder: string, below = ''): AsyncGenerator<string> {
  const entries = await opendir(join(folder, below)).catch((error) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  for await (const entry of entries) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* filesUnder(folder, path);
    else yield path;
  }
}

/** Returns the time by which the disk of a folder sets modification times: it may be another machine's. */
async function diskTimeMillis(folder: string): Promise<number> {
  const file = join(folder, randomUUID());
  const handle = await open(file, 'wx', 0o600);
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
    await deleteFile(file);
  }
}

/** Deletes files in a folder that were not modified for so long, by the time of its disk. */
export async function deleteOldFiles(folder: string, maxAgeMillis: number): Promise<void> {
  const names = await readdir(folder);
  if (names.length === 0) return;
  const oldestMillis = (await diskTimeMillis(folder)) - maxAgeMillis;
  for (const name of names) {
    const file = join(folder, name);
    const stats = await stat(file).catch(() => undefined); // renamed at this moment
    if (stats && stats.mtimeMs < oldestMillis) await deleteFile(file);
  }
}
