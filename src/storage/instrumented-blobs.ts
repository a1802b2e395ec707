import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BlobMissing, type Blobs, StorageError } from './blobs.ts';

/** Hears of every call that was made of the store. */
export interface BlobObserver {
  /** A call that succeeded. */
  done(operation: string, millis: number): void;
  /** A call that failed by the store's fault. */
  failed(operation: string): void;
}

/** A missing blob is an answer, and a key that is none the caller's error. */
const isAnswer = (error: unknown): boolean =>
  error instanceof BlobMissing || error instanceof TypeError;

/**
 * The store, watched: the same calls, and what came of them.
 * @throws StoreFault where the store is to blame; else as the store does
 */
export function instrumentBlobs(blobs: Blobs, watch: BlobObserver): Blobs {
  async function seen<T>(
    operation: string,
    call: Promise<T>,
    signal: AbortSignal | undefined,
    isCallers: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await call;
      watch.done(operation, performance.now() - startedAt);
      return result;
    } catch (error) {
      if (isAnswer(error) || signal?.aborted || isCallers(error)) throw error;
      watch.failed(operation);
      throw new StorageError(operation, error);
    }
  }
  return {
    put: (key, body, options, signal) =>
      seen('put', blobs.put(key, body, options, signal), signal, (error) =>
        // An upload that breaks off comes out of `put` as it went in.
        body instanceof Readable ? body.errored === error : false,
      ),
    get: (key, signal) => seen('get', blobs.get(key, signal), signal),
    open: (key, signal) => seen('open', blobs.open(key, signal), signal),
    head: (key, signal) => seen('head', blobs.head(key, signal), signal),
    copy: (from, to, signal) => seen('copy', blobs.copy(from, to, signal), signal),
    delete: (key, signal) => seen('delete', blobs.delete(key, signal), signal),
    check: (signal) => seen('check', blobs.check(signal), signal),
    link: blobs.link,
    async *list(prefix, signal) {
      try {
        yield* blobs.list(prefix, signal); // its time is that of whoever reads it
      } catch (error) {
        if (isAnswer(error) || signal?.aborted) throw error;
        watch.failed('list');
        throw new StorageError('list', error);
      }
    },
    close: blobs.close,
  };
}

/** Room on the disk a folder is on, bytes: as left to this user, and in all. */
export async function diskSpace(dir: string) {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
