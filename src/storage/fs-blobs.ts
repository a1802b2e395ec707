import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFile,
  type FileHandle,
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
import { Readable } from 'node:stream';
import { z } from 'zod';
import { hasCode } from '../platform/system-error.ts';
import {
  abortable,
  assertKey,
  assertMetadata,
  assertPrefix,
  type BlobEntry,
  type BlobHead,
  type BlobMetadata,
  BlobMissing,
  type Blobs,
  DEFAULT_MEDIA_TYPE,
  deleteListed,
  ifPresent,
  type PutOptions,
  withAbort,
} from './blobs.ts';

/**
 * The trailer of a blob's file: its metadata as JSON, the length of that in bytes (32 bits, little-endian),
 * and a magic number. Image viewers ignore it; a file without it is incomplete.
 */
const MAGIC = Buffer.from('SLVG');
const TAIL_BYTES = 4 + MAGIC.length;

/** Enough for 1.5 KiB of metadata with names of one character each, and a long media type. */
const TRAILER_MAX_BYTES = 8192;

const Metadata = z.object({ mediaType: z.string(), meta: z.record(z.string(), z.string()) });

/** Returns the bytes that follow those of the blob in its file. */
function writeTrailer({ mediaType = DEFAULT_MEDIA_TYPE, meta = {} }: BlobMetadata): Buffer {
  const json = Buffer.from(JSON.stringify({ mediaType, meta } satisfies z.infer<typeof Metadata>));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([json, length, MAGIC]);
}

/**
 * Reads the trailer of a file. One cut short by a power cut counts as missing.
 * @param end the file, or at least its last `TRAILER_MAX_BYTES`
 * @returns the metadata and how many bytes of `end` precede it
 */
function readTrailer(key: string, end: Buffer) {
  try {
    const tailAt = end.length - TAIL_BYTES;
    const bodyBytes = tailAt - end.readUInt32LE(tailAt);
    if (bodyBytes < 0 || !end.subarray(tailAt + 4).equals(MAGIC)) throw new Error('no trailer');
    return {
      bodyBytes,
      metadata: Metadata.parse(JSON.parse(end.toString('utf8', bodyBytes, tailAt))),
    };
  } catch {
    throw new BlobMissing(key, new Error('its file is incomplete'));
  }
}

/** No put takes this long: an older unfinished file belongs to a dead process. */
const UNFINISHED_MAX_AGE_MILLIS = 3_600_000;
const SWEEP_MILLIS = 3_600_000;

/** Folder names end with a character that no key has, so that `a` and `a/b` can both be blobs. */
const toPath = (keyOrPrefix: string): string => keyOrPrefix.replaceAll('/', '~/');
const toKey = (path: string): string => path.replaceAll('~/', '/');

/**
 * Blobs as files under `dir`, for one machine. A blob is one file with its metadata after its bytes, so that
 * both appear, change and disappear at once. It is written elsewhere and renamed into place. Unfinished files of
 * dead processes are deleted now and every hour.
 * @param dir created if missing, readable by this user only
 */
export async function createFsBlobs({ dir }: { dir: string }): Promise<Blobs> {
  const root = join(dir, 'blobs');
  const unfinished = join(dir, 'unfinished');
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const sweepUnfinished = () => deleteOldFiles(unfinished, UNFINISHED_MAX_AGE_MILLIS);
  await sweepUnfinished();
  // A sweep that fails is repeated in an hour; the checks of the storage report a broken disk.
  const sweeps = setInterval(() => void sweepUnfinished().catch(() => {}), SWEEP_MILLIS).unref();

  /** Every key is validated here, before it becomes a path. */
  function pathOf(key: string): string {
    assertKey(key);
    return join(root, toPath(key));
  }

  async function put(
    key: string,
    body: Uint8Array | Readable,
    { durable = true, ...metadata }: PutOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const path = pathOf(key);
    assertMetadata(metadata);
    const content = body instanceof Readable ? abortable(body, signal) : body;
    const trailer = writeTrailer(metadata);
    const file = join(unfinished, randomUUID());
    try {
      await withAbort(signal, () =>
        Promise.all([
          writeFile(file, content, trailer, durable),
          // Meanwhile: that of a request is new. If it fails, it is tried again below.
          durable || createFolder(dirname(path), durable).catch(() => {}),
        ]),
      );
      signal?.throwIfAborted();
      await renameIntoPlace(file, path, durable);
    } catch (error) {
      await deleteFile(file);
      if (body instanceof Readable) body.destroy();
      throw error;
    }
  }

  async function get(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    const path = pathOf(key);
    const file = await withAbort(signal, () => readWhole(path)).catch((error) => {
      throw toBlobMissing(key, error);
    });
    signal?.throwIfAborted();
    return file.subarray(0, readTrailer(key, file).bodyBytes);
  }

  /** Opens a file and reads its trailer. Throws `BlobMissing`. */
  async function openFile(key: string) {
    const handle = await open(pathOf(key), 'r').catch((error) => {
      throw toBlobMissing(key, error);
    });
    try {
      const { size, mtime, mtimeMs, ino } = await handle.stat();
      const end = Buffer.alloc(Math.min(size, TRAILER_MAX_BYTES));
      await handle.read(end, 0, end.length, size - end.length);
      const { bodyBytes, metadata } = readTrailer(key, end);
      const bytes = size - end.length + bodyBytes;
      // A put writes a new file: two within one tick of the clock differ by their inodes.
      const etag = `"${[ino, mtimeMs, bytes].map((part) => part.toString(36)).join('-')}"`;
      const blob: BlobHead = { key, bytes, modifiedAt: mtime, etag, ...metadata };
      return { handle, blob };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function head(key: string, signal?: AbortSignal) {
    signal?.throwIfAborted();
    const opened = await ifPresent(openFile(key));
    await opened?.handle.close();
    return opened?.blob;
  }

  /** A damaged file is listed with 0 bytes, though it cannot be read: sweeps then find and delete it. */
  async function toEntry(key: string): Promise<BlobEntry | undefined> {
    const whole = await head(key);
    if (whole) return { key, bytes: whole.bytes, modifiedAt: whole.modifiedAt };
    const damaged = await stat(pathOf(key)).catch(() => undefined); // deleted at this moment
    return damaged && { key, bytes: 0, modifiedAt: damaged.mtime };
  }

  /** Files are never modified, so both keys may be hard links to one file; if that fails, it is copied. */
  async function copy(from: string, to: string, signal?: AbortSignal): Promise<void> {
    const path = pathOf(to);
    signal?.throwIfAborted();
    const { handle } = await openFile(from); // throws if it is damaged
    const file = join(unfinished, randomUUID());
    try {
      await linkFile(pathOf(from), file).catch((error) => {
        throw toBlobMissing(from, error); // deleted at this moment
      });
      await handle.datasync();
      await renameIntoPlace(file, path, true);
    } finally {
      await handle.close();
      // A rename onto another hard link of the same file has no effect, and leaves this one behind.
      await deleteFile(file);
    }
  }

  const blobs: Blobs = {
    put,
    get,
    head,
    copy,

    async open(key, signal, range) {
      signal?.throwIfAborted();
      const { handle, blob } = await openFile(key);
      const start = range?.start ?? 0;
      const end = Math.min(range?.end ?? blob.bytes, blob.bytes - 1);
      if (start <= end) {
        const stream = handle.createReadStream({ start, end });
        return Object.assign(abortable(stream, signal), { head: blob });
      }
      await handle.close();
      if (range) throw new RangeError(`The blob has ${blob.bytes} bytes`);
      return Object.assign(Readable.from([]), { head: blob });
    },

    async link(key) {
      assertKey(key);
      return undefined;
    },

    async delete(key, signal) {
      const path = pathOf(key);
      signal?.throwIfAborted();
      await deleteFile(path);
      await removeEmptyFolders(dirname(path), root);
      return undefined;
    },

    deleteAll: (prefix, signal) => deleteListed(blobs, prefix, signal),

    kept: () => undefined,

    async *list(prefix, signal) {
      assertPrefix(prefix);
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      for await (const path of filesUnder(join(root, toPath(folder)))) {
        signal?.throwIfAborted();
        const key = folder + toKey(path);
        const entry = key.startsWith(prefix) ? await toEntry(key) : undefined;
        if (entry) yield entry;
      }
    },

    async check(signal) {
      const file = join(unfinished, randomUUID());
      try {
        await withAbort(signal, () => writeFile(file, Buffer.alloc(4096), Buffer.alloc(0), false));
      } finally {
        await deleteFile(file);
      }
    },

    close: () => clearInterval(sweeps),
  };
  return blobs;
}

const toBlobMissing = (key: string, error: unknown): unknown =>
  hasCode(error, 'ENOENT') ? new BlobMissing(key, error) : error;

/** Reads a file. It is closed when its bytes are there already: nobody waits for that. */
async function readWhole(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await handle.read(bytes, offset, size - offset, offset);
      if (bytesRead === 0) return bytes.subarray(0, offset);
      offset += bytesRead;
    }
    return bytes;
  } finally {
    handle.close().catch(() => {});
  }
}

async function writeFile(
  file: string,
  content: Uint8Array | Readable,
  trailer: Uint8Array,
  durable: boolean,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    if (content instanceof Readable) {
      for await (const chunk of content) await handle.writeFile(chunk);
      await handle.writeFile(trailer);
    } else await writeAll(handle, [content, trailer]);
    if (durable) await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Writes buffers with one call, or more if the system takes only a part of them. */
async function writeAll(handle: FileHandle, buffers: Uint8Array[]): Promise<void> {
  const { bytesWritten } = await handle.writev(buffers);
  const all = buffers.reduce((bytes, { length }) => bytes + length, 0);
  if (bytesWritten < all) await handle.writeFile(Buffer.concat(buffers).subarray(bytesWritten));
}

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
async function createFolder(folder: string, durable: boolean): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstCreated === undefined || !durable) return;
  const parents: string[] = [];
  for (let created = folder; created.length >= firstCreated.length; created = dirname(created)) {
    parents.unshift(dirname(created));
  }
  for (const parent of parents) await syncFolder(parent);
}

/** Renames a finished file to its path, atomically; creates missing folders. */
async function renameIntoPlace(file: string, path: string, durable: boolean): Promise<void> {
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
async function deleteFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, ...VANISHED_CODES)) throw error;
  }
}

/** Removes a folder and its parents while they are empty; stops below `root`. */
async function removeEmptyFolders(folder: string, root: string): Promise<void> {
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
async function* filesUnder(folder: string, below = ''): AsyncGenerator<string> {
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
async function deleteOldFiles(folder: string, maxAgeMillis: number): Promise<void> {
  const names = await readdir(folder);
  if (names.length === 0) return;
  const oldestMillis = (await diskTimeMillis(folder)) - maxAgeMillis;
  for (const name of names) {
    const file = join(folder, name);
    const stats = await stat(file).catch(() => undefined); // renamed at this moment
    if (stats && stats.mtimeMs < oldestMillis) await deleteFile(file);
  }
}
