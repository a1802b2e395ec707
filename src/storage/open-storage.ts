import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BlobMissing, type Blobs, StorageError } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';

/** Observes every call to object storage. */
interface BlobObserver {
  /** A call succeeded. */
  done(operation: string, millis: number): void;
  /** A call failed because of the storage or the connection to it. */
  failed(operation: string): void;
}

/** A missing blob is a result; a malformed key, or a part that it has not, is the caller's error. */
const isCallerError = (error: unknown): boolean =>
  [BlobMissing, TypeError, RangeError].some((kind) => error instanceof kind);

/**
 * Wraps object storage so that every call is observed.
 * @throws StorageError if the storage or the connection to it failed; else as the storage throws
 */
export function instrumentBlobs(blobs: Blobs, observer: BlobObserver): Blobs {
  async function observe<T>(
    operation: string,
    call: Promise<T>,
    signal: AbortSignal | undefined,
    isInputError: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await call;
      observer.done(operation, performance.now() - startedAt);
      return result;
    } catch (error) {
      if (isCallerError(error) || signal?.aborted || isInputError(error)) throw error;
      observer.failed(operation);
      throw new StorageError(operation, error);
    }
  }
  return {
    put: (key, body, options, signal) =>
      observe('put', blobs.put(key, body, options, signal), signal, (error) =>
        // The error of an interrupted upload passes unchanged.
        body instanceof Readable ? body.errored === error : false,
      ),
    get: (key, signal) => observe('get', blobs.get(key, signal), signal),
    open: (key, signal, range) => observe('open', blobs.open(key, signal, range), signal),
    head: (key, signal) => observe('head', blobs.head(key, signal), signal),
    copy: (from, to, signal) => observe('copy', blobs.copy(from, to, signal), signal),
    delete: (key, signal) => observe('delete', blobs.delete(key, signal), signal),
    deleteAll: (prefix, signal) => observe('delete-all', blobs.deleteAll(prefix, signal), signal),
    kept: blobs.kept,
    check: (signal) => observe('check', blobs.check(signal), signal),
    link: blobs.link,
    async *list(prefix, signal) {
      try {
        yield* blobs.list(prefix, signal); // not timed: its duration depends on the reader
      } catch (error) {
        if (isCallerError(error) || signal?.aborted) throw error;
        observer.failed('list');
        throw new StorageError('list', error);
      }
    },
    close: blobs.close,
  };
}

/** Returns the free space for this user and the size of a folder's disk, bytes. */
export async function diskSpace(dir: string) {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

export interface StorageSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
  S3_PUBLIC_ENDPOINT?: string | undefined;
}

/** Opens the object storage. Waits up to 30 s for an unavailable bucket; throws if it cannot be used. */
export async function openStorage(settings: StorageSettings): Promise<Blobs> {
  const { STORE, STORE_DIR: dir, S3_BUCKET: bucket, S3_PUBLIC_ENDPOINT: publicEndpoint } = settings;
  if (STORE === 'fs') return createFsBlobs({ dir });
  // The S3 client is loaded where it is used: a start without it is quicker.
  const { openBucket } = await import('./s3-blobs.ts');
  return openBucket({ bucket, publicEndpoint });
}
