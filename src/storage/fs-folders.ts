import {
  constants,
  copyFile,
  link,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A folder can vanish under a move as often as its last file is deleted at that moment. */
const PLACE_ATTEMPTS = 100;

/** Whether a system call failed with one of these codes. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** Makes a folder's names outlast a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folder and those above it; durably, each that gained a name is synced too. */
async function makeFolder(folder: string, durable: boolean): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined || !durable) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

/** Moves a finished file to its place, at once, with the folders that needs. */
export async function placeFile(file: string, path: string, durable: boolean): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(file, path);
      break;
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || attempt === PLACE_ATTEMPTS) throw error;
      await makeFolder(dirname(path), durable);
    }
  }
  if (durable) await syncFolder(dirname(path));
}

/** What a file system says that has no second names for files, or no more of them, or not there. */
const NO_LINK = ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file a second name, or where that cannot be a durable copy under it. */
export async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!hasCode(error, ...NO_LINK)) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    const handle = await open(to, 'r');
    await handle.datasync().finally(() => handle.close());
  }
}

/** Removes the folder and those above it while they are empty; stops below `root`. */
export async function tidyFolders(folder: string, root: string): Promise<void> {
  for (let empty = folder; empty !== root; empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return;
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/** Every file below a folder, by its path from there, as they stand while they are walked. */
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

/** Deletes the files in a folder that nobody has written to for so long. */
export async function sweepFolder(folder: string, maxAgeMillis: number): Promise<void> {
  const oldest = Date.now() - maxAgeMillis;
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const left = await stat(file).catch(() => undefined); // moved away at this moment
    if (left && left.mtimeMs < oldest) await rm(file, { force: true });
  }
}
