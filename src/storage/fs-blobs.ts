import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { abortable, withAbort } from './abort.ts';
import { assertFacts, assertKey, assertPrefix } from './blob-rules.ts';
import { type BlobEntry, BlobMissing, type Blobs, type PutOptions } from './blobs.ts';
import {
  filesUnder,
  hasCode,
  linkFile,
  placeFile,
  sweepFolder,
  tidyFolders,
} from './fs-folders.ts';
import { readTrailer, TRAILER_MAX_BYTES, writeTrailer } from './fs-trailer.ts';

/** No put takes this long: an older file among the unfinished ones is a dead process's. */
const UNFINISHED_MAX_AGE_MILLIS = 3_600_000;

/** Folders are marked, by a character no key has, so that `a` and `a/b` can both be blobs. */
const toPath = (keyOrPrefix: string): string => keyOrPrefix.replaceAll('/', '~/');
const toKey = (path: string): string => path.replaceAll('~/', '/');

/**
 * Blobs as files under `dir`, for one machine. A blob is one file, its facts behind its bytes, so
 * that both appear, change and vanish at once; it is written aside and renamed into its place.
 * @param dir made when missing, for this user alone
 */
export async function createFsBlobs({ dir }: { dir: string }): Promise<Blobs> {
  const root = join(dir, 'blobs');
  const unfinished = join(dir, 'unfinished');
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await sweepFolder(unfinished, UNFINISHED_MAX_AGE_MILLIS);

  /** Every key is checked here, before it comes near a path. */
  function pathOf(key: string): string {
    assertKey(key);
    return join(root, toPath(key));
  }

  async function put(
    key: string,
    body: Uint8Array | Readable,
    { durable = true, ...facts }: PutOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const path = pathOf(key);
    assertFacts(facts);
    const parts = [body instanceof Readable ? abortable(body, signal) : body, writeTrailer(facts)];
    const file = join(unfinished, randomUUID());
    try {
      await withAbort(signal, () => writeFile(file, parts, durable, signal));
      await placeFile(file, path, durable);
    } catch (error) {
      await rm(file, { force: true });
      if (body instanceof Readable) body.destroy();
      throw error;
    }
  }

  async function get(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    const path = pathOf(key);
    const file = await withAbort(signal, () => readFile(path, { signal })).catch((error) => {
      throw asMissing(key, error);
    });
    return file.subarray(0, trailerOf(key, file).bodyBytes);
  }

  /** An open file and what its end says. Throws `BlobMissing`. */
  async function openFile(key: string) {
    const handle = await open(pathOf(key), 'r').catch((error) => {
      throw asMissing(key, error);
    });
    try {
      const { size, mtime } = await handle.stat();
      const end = Buffer.alloc(Math.min(size, TRAILER_MAX_BYTES));
      await handle.read(end, 0, end.length, size - end.length);
      const { bodyBytes, facts } = trailerOf(key, end);
      return { handle, facts, bytes: size - end.length + bodyBytes, modifiedAt: mtime };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function head(key: string, signal?: AbortSignal) {
    signal?.throwIfAborted();
    try {
      const { handle, facts, bytes, modifiedAt } = await openFile(key);
      await handle.close();
      return { key, bytes, modifiedAt, ...facts };
    } catch (error) {
      if (error instanceof BlobMissing) return undefined;
      throw error;
    }
  }

  /** A damaged file is listed, as 0 bytes, though nobody can read it: so a sweep finds it. */
  async function entryOf(key: string): Promise<BlobEntry | undefined> {
    const whole = await head(key);
    if (whole) return { key, bytes: whole.bytes, modifiedAt: whole.modifiedAt };
    const damaged = await stat(pathOf(key)).catch(() => undefined); // deleted at this moment
    return damaged && { key, bytes: 0, modifiedAt: damaged.mtime };
  }

  /** The file is never written to again, so one may have two names; where it cannot, it is copied. */
  async function copy(from: string, to: string, signal?: AbortSignal): Promise<void> {
    const path = pathOf(to);
    signal?.throwIfAborted();
    const { handle } = await openFile(from); // refuses a damaged one
    const file = join(unfinished, randomUUID());
    try {
      await linkFile(pathOf(from), file).catch((error) => {
        throw asMissing(from, error); // deleted at this moment
      });
      await handle.datasync();
      await placeFile(file, path, true);
    } finally {
      await handle.close();
      // A move onto another name of the same file is none, and leaves the one it should have taken.
      await rm(file, { force: true });
    }
  }

  return {
    put,
    get,
    head,
    copy,

    async open(key, signal) {
      signal?.throwIfAborted();
      const { handle, bytes } = await openFile(key);
      if (bytes === 0) {
        await handle.close();
        return Readable.from([]);
      }
      const stream = handle.createReadStream({ start: 0, end: bytes - 1 });
      return abortable(stream, signal);
    },

    async link(key) {
      assertKey(key);
      return undefined;
    },

    async delete(key, signal) {
      const path = pathOf(key);
      signal?.throwIfAborted();
      await rm(path, { force: true });
      await tidyFolders(dirname(path), root);
    },

    async *list(prefix, signal) {
      assertPrefix(prefix);
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      for await (const path of filesUnder(join(root, toPath(folder)))) {
        signal?.throwIfAborted();
        const key = folder + toKey(path);
        const entry = key.startsWith(prefix) ? await entryOf(key) : undefined;
        if (entry) yield entry;
      }
    },

    async check(signal) {
      const file = join(unfinished, randomUUID());
      try {
        await withAbort(signal, () => writeFile(file, [Buffer.alloc(4096)], false, signal));
      } finally {
        await rm(file, { force: true });
      }
    },

    close() {},
  };
}

const asMissing = (key: string, error: unknown): unknown =>
  hasCode(error, 'ENOENT') ? new BlobMissing(key, error) : error;

/** What the end of a file says. A file cut short by a power cut counts as no blob. */
function trailerOf(key: string, end: Buffer) {
  const trailer = readTrailer(end);
  if (!trailer) throw new BlobMissing(key, new Error('its file was not written to the end'));
  return trailer;
}

async function writeFile(
  file: string,
  parts: readonly (Uint8Array | Readable)[],
  durable: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for (const part of parts) {
      if (part instanceof Readable) for await (const chunk of part) await handle.writeFile(chunk);
      else await handle.writeFile(part, { signal });
    }
    if (durable) await handle.datasync();
  } finally {
    await handle.close();
  }
}
