import type { Readable } from 'node:stream';
import { Problem } from '../platform/problem.ts';

/** What is said about a blob when it is written; read back by `head`. */
export interface BlobFacts {
  /** As in `Content-Type`; `application/octet-stream` where it is not said. */
  mediaType?: string;
  /** Small facts kept with the blob: names of `[a-z0-9-]`, printable ASCII values, 1.5 KiB in all. */
  meta?: Readonly<Record<string, string>>;
}

/** How a blob is written. */
export interface PutOptions extends BlobFacts {
  /**
   * `false` lets the blob be lost to a power cut (whole, never in part) and spares a file system
   * the wait for its disk: for what lives no longer than the request it belongs to.
   */
  durable?: boolean;
}

/** What a listing tells of a blob. */
export interface BlobEntry {
  key: string;
  bytes: number;
  modifiedAt: Date;
}

export interface BlobHead extends BlobEntry {
  mediaType: string;
  meta: Readonly<Record<string, string>>;
}

/**
 * Object storage. A key is `segment/segment/…` of `[A-Za-z0-9._-]`, no segment `.` or `..`; another
 * key is a programming error and throws. Every call takes the caller's signal and gives up with its
 * reason. Beside what is named below, calls throw what disk or network threw; a stream's own error
 * comes out of `put` as it went in.
 */
export interface Blobs {
  /** Writes the whole blob or nothing; durable when it returns; replaces what was there. */
  put(
    key: string,
    body: Uint8Array | Readable,
    options?: PutOptions,
    signal?: AbortSignal,
  ): Promise<void>;
  /** All bytes. Throws `BlobMissing`. */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The bytes as a stream the caller must consume or destroy. Throws `BlobMissing`. */
  open(key: string, signal?: AbortSignal): Promise<Readable>;
  /** What is known of a blob, or nothing where there is none. */
  head(key: string, signal?: AbortSignal): Promise<BlobHead | undefined>;
  /**
   * Makes a blob what another is, bytes and facts, without the bytes passing through this process;
   * durable when it returns; replaces what was there. A file system may keep one copy for both, and
   * then `modifiedAt` is that of the first. Throws `BlobMissing`.
   * @param to not `from`
   */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>;
  /**
   * An address at which whoever has it finds the blob for so many seconds, 1 to 604,800; nothing
   * where the store has none to give. It is not asked whether there is such a blob.
   */
  link(key: string, seconds: number): Promise<string | undefined>;
  /** Deletes; a blob that is not there is no error. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Every blob whose key starts with `prefix`, in no given order. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<BlobEntry>;
  /** Throws when the store does not answer, or (a file system) cannot be written to now. */
  check(signal?: AbortSignal): Promise<void>;
  /** Frees sockets. */
  close(): void;
}

/**
 * The store did not do what it was asked, by a fault of its own or of the way to it: later it may. To
 * clients it is 503; work that nobody waits for is put off.
 */
export class StorageError extends Problem {
  constructor(operation: string, cause: unknown) {
    super('upstream-unavailable', 'The store does not answer; try again', {
      headers: { 'retry-after': '1' },
      cause,
    });
    this.name = 'StoreFault';
    this.message = `store, ${operation}: ${cause instanceof Error ? cause.message : cause}`;
  }
}

/** There is no blob under this key. */
export class BlobMissing extends Error {
  constructor(key: string, cause?: unknown) {
    super(`No blob under ${key}`, { cause });
    this.name = 'BlobMissing';
  }
}
