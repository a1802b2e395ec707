import type { Readable } from 'node:stream';

/** What is said about a blob when it is written; read back by `list` and `head`. */
export interface BlobFacts {
  mediaType?: string;
  /** Small facts kept with the blob: lower-case names, ASCII values, 1 KiB in all. */
  meta?: Readonly<Record<string, string>>;
}

export interface BlobHead extends BlobFacts {
  key: string;
  bytes: number;
  modifiedAt: Date;
}

/**
 * Object storage. A key is `segment/segment/…` of `[A-Za-z0-9._-]`, no segment `.` or `..`; another
 * key is a programming error and throws. Every call takes the caller's signal and gives up with it.
 */
export interface Blobs {
  /** Writes the whole blob or nothing; durable when it returns; replaces what was there. */
  put(
    key: string,
    body: Uint8Array | Readable,
    facts?: BlobFacts,
    signal?: AbortSignal,
  ): Promise<void>;
  /** All bytes. Throws `BlobMissing`. */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The bytes as a stream the caller must consume or destroy. Throws `BlobMissing`. */
  open(key: string, signal?: AbortSignal): Promise<Readable>;
  /** What is known of a blob, or nothing where there is none. */
  head(key: string, signal?: AbortSignal): Promise<BlobHead | undefined>;
  /** Deletes; a blob that is not there is no error. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Every blob whose key starts with `prefix`, in no given order. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<BlobHead>;
  /** Throws when the store cannot be written to now. */
  check(signal?: AbortSignal): Promise<void>;
  /** Frees sockets. */
  close(): void;
}

/** There is no blob under this key. */
export class BlobMissing extends Error {
  constructor(key: string) {
    super(`No blob under ${key}`);
    this.name = 'BlobMissing';
  }
}
