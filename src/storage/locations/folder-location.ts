import { randomUUID } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hostClock } from '../../platform/clock.ts';
import { pagesOf } from '../../platform/pages.ts';
import { codeOf, hasCode } from '../../platform/system-error.ts';
import { type ListedObject, type Location, LocationUnavailable, ObjectGone } from './location.ts';

/** A folder that has this file holds results: it is never listed, under whatever name it is reached. */
const RESULT_MARK = '.selvage-results';
/** Of files that are being written, in the folder of results. */
const PARTS = '.selvage-parts';
/** A file in `PARTS` of this age belongs to a process that has died. */
const DEAD_PART_MILLIS = 3_600_000;
/** A file that was changed later may still be written. */
const SETTLED_MILLIS = 2000;
const MAX_DEPTH = 64;

/** What the codes of errors say about one file. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no rights',
  EPERM: 'no rights',
  EEXIST: 'a file has the name of a folder',
  EISDIR: 'a folder has this name',
  ENOTDIR: 'a file has the name of a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
};

const unavailable = (what: string, error: unknown): LocationUnavailable => {
  const code = codeOf(error) || 'error';
  const reason = REASONS[code];
  return new LocationUnavailable(`${what} (${reason ? `${code}, ${reason}` : code})`, error);
};
const CANNOT_LIST = 'the folder cannot be used';
const CANNOT_READ = 'the file cannot be read';
const CANNOT_WRITE = 'the result cannot be written';

const toObject = (name: string, { size, mtimeNs }: BigIntStats): ListedObject => ({
  name,
  version: `${size}-${mtimeNs}`,
  bytes: Number(size),
});

const isSettled = ({ mtimeMs }: BigIntStats): boolean => {
  const ageMillis = hostClock() - Number(mtimeMs);
  return ageMillis >= SETTLED_MILLIS || ageMillis < 0; // a file server's clock may be ahead
};

/** Passes on what is not about a file that has been deleted meanwhile. */
function unlessGone(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Opens a folder; touches nothing yet. @param path absolute */
export function folderLocation(path: string): Location {
  /** Yields the files below a folder. A folder in it that cannot be read is yielded as an unreadable object. */
  async function* walk(
    below: string,
    depth: number,
    signal: AbortSignal,
  ): AsyncGenerator<ListedObject> {
    const folder = join(path, below);
    if (await exists(join(folder, RESULT_MARK))) return;
    try {
      for await (const entry of await opendir(folder)) {
        signal.throwIfAborted();
        const name = below + entry.name;
        if (entry.name.startsWith('.')) continue;
        if (entry.isDirectory() && depth < MAX_DEPTH) yield* walk(`${name}/`, depth + 1, signal);
        if (!entry.isFile()) continue;
        const found = await lstat(join(path, name), { bigint: true }).catch(unlessGone);
        if (found?.isFile() && isSettled(found)) yield toObject(name, found);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (depth === 0) throw unavailable(CANNOT_LIST, error);
      // A folder below may be deleted while it is read.
      if (hasCode(error, 'ENOENT')) return;
      const unreadable = unavailable(CANNOT_LIST, error).message;
      yield { name: below, version: '', bytes: 0, unreadable };
    }
  }

  /** Returns the files of the one flat folder of manifests. */
  async function* listFolder(folder: string): AsyncGenerator<ListedObject> {
    const names = await readdir(join(path, folder)).catch((error) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw unavailable(CANNOT_LIST, error);
    });
    for (const name of names) {
      const found = await lstat(join(path, folder, name), { bigint: true }).catch(() => undefined);
      if (found?.isFile()) yield toObject(folder + name, found);
    }
  }

  /** @throws ObjectGone if a link leads out of the folder */
  async function insidePath(name: string): Promise<string> {
    const root = await realpath(path);
    const file = await realpath(join(root, name));
    if (file.startsWith(root + sep)) return file;
    throw new ObjectGone(name);
  }

  /** Creates the folder of a file, through no link. Returns the real path of the location. */
  async function prepare(name: string): Promise<string> {
    const root = await realpath(path);
    const mark = join(root, RESULT_MARK);
    if (!(await exists(mark))) await writeFile(mark, '');
    await mkdir(join(root, PARTS), { recursive: true });
    let folder = root;
    for (const segment of name.split('/').slice(0, -1)) {
      folder = join(folder, segment);
      await mkdir(folder, { recursive: true });
      if (!(await lstat(folder)).isDirectory()) {
        throw new LocationUnavailable('there is a link or a file in the way of a result');
      }
    }
    return root;
  }

  async function removeDeadParts(root: string): Promise<void> {
    for (const name of await readdir(join(root, PARTS))) {
      const part = join(root, PARTS, name);
      const found = await stat(part).catch(() => undefined);
      if (found && hostClock() - found.mtimeMs > DEAD_PART_MILLIS) await rm(part, { force: true });
    }
  }

  return {
    list: (prefix, signal) => pagesOf(prefix === '' ? walk('', 0, signal) : listFolder(prefix)),

    async head(name) {
      const found = await lstat(join(path, name), { bigint: true }).catch((error) => {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
        throw unavailable(CANNOT_READ, error);
      });
      return found?.isFile() ? toObject(name, found) : undefined;
    },

    async read(object, signal) {
      const { name, bytes: length, version } = object;
      signal.throwIfAborted();
      try {
        const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
        const handle = await open(await insidePath(name), flags);
        try {
          const bytes = Buffer.alloc(length);
          const { bytesRead } = await handle.read(bytes, 0, length, 0);
          const after = toObject(name, await handle.stat({ bigint: true }));
          if (after.version !== version || bytesRead !== length) throw new ObjectGone(name);
          return { bytes, isResult: false };
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (error instanceof ObjectGone) throw error;
        // Without its folder, the whole location may be away.
        if (hasCode(error, 'ENOENT', 'ELOOP') && (await exists(path))) throw new ObjectGone(name);
        throw unavailable(CANNOT_READ, error);
      }
    },

    async write(name, bytes, _mediaType, signal) {
      signal.throwIfAborted();
      try {
        const root = await prepare(name);
        const part = join(root, PARTS, randomUUID());
        const handle = await open(part, 'wx');
        try {
          await handle.writeFile(bytes);
          await handle.datasync();
        } finally {
          await handle.close();
        }
        await rename(part, join(root, name)).catch(async (error) => {
          await rm(part, { force: true });
          throw error;
        });
        await removeDeadParts(root);
      } catch (error) {
        throw error instanceof LocationUnavailable ? error : unavailable(CANNOT_WRITE, error);
      }
    },

    close() {},
  };
}
