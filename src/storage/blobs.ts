import { addAbortSignal, Readable } from 'node:stream';
import type { Registry } from 'prom-client';
import { metricsIn } from '../platform/metrics/registry.ts';
import { Problem } from '../platform/problem.ts';

/** Connections to object storage of one process. */
export const MAX_STORAGE_SOCKETS = 256;

/** Metadata given when a blob is written; returned by `head`. */
export interface BlobMetadata {
  /** As in `Content-Type`; default `application/octet-stream`. */
  mediaType?: string;
  /** User metadata: names of `[a-z0-9-]`, printable ASCII values, at most 1.5 KiB in total. */
  meta?: Readonly<Record<string, string>>;
}

export interface PutOptions extends BlobMetadata {
  /**
   * `false` saves a file system the wait for its disk; a power cut may then lose the blob (whole, never in
   * part). For blobs that last no longer than their request. Default `true`.
   */
  durable?: boolean;
}

/** One blob of a listing. */
export interface BlobEntry {
  key: string;
  bytes: number;
  modifiedAt: Date;
}

export interface BlobHead extends BlobEntry {
  mediaType: string;
  meta: Readonly<Record<string, string>>;
  /** A strong entity tag, quotes included: other bytes under this key have another. */
  etag: string;
}

/** The first and the last byte of a part of a blob, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The bytes of a blob, or of a part of it, and what `head` returned when it was opened. */
export type BlobStream = Readable & { head: BlobHead };

/** A presigned URL is valid for one method. */
type LinkMethod = 'GET' | 'HEAD';

/**
 * Object storage: a blob is an object in it. A key is `segment/segment/…` of `[A-Za-z0-9._-]`, no segment
 * `.` or `..`; any other key is a programming error and throws `TypeError`. Calls reject with the reason of
 * an aborted signal, and otherwise with the errors named below or those of disk and network. `put` rejects
 * with the error of a stream unchanged.
 */
export interface Blobs {
  /** Writes the whole blob or nothing; durable when it resolves; replaces an existing blob. */
  put(
    key: string,
    body: Uint8Array | Readable,
    options?: PutOptions,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Returns all bytes. Throws `BlobMissing`. */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Returns the bytes as a stream that the caller must consume or destroy. Throws `BlobMissing`.
   * @param range only this part; throws `RangeError` if it begins beyond the end
   */
  open(key: string, signal?: AbortSignal, range?: ByteRange): Promise<BlobStream>;
  /** Returns size and metadata, or nothing if there is no such blob. */
  head(key: string, signal?: AbortSignal): Promise<BlobHead | undefined>;
  /**
   * Copies a blob with its metadata, without the bytes passing through this process; durable when it
   * resolves; replaces an existing blob. A file system may share one file between both, and then
   * `modifiedAt` is that of the original. Throws `BlobMissing`.
   * @param to must differ from `from`
   */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>;
  /**
   * Returns a presigned URL that is valid for this method and so many seconds, 1 to 604,800, or nothing if
   * clients cannot reach the storage. Does not check that the blob exists.
   */
  link(key: string, seconds: number, method?: LinkMethod): Promise<string | undefined>;
  /**
   * Deletes a blob with all versions that the storage keeps of it; resolves even if there is none. Returns how many
   * versions, or nothing if the storage keeps none.
   */
  delete(key: string, signal?: AbortSignal): Promise<number | undefined>;
  /** Deletes every blob whose key starts with `prefix`. Returns how many, or how many versions. */
  deleteAll(prefix: string, signal?: AbortSignal): Promise<number>;
  /** Why what was deleted may still be in the storage, for the operator; undefined if it is not. */
  kept(): string | undefined;
  /** Lists every blob whose key starts with `prefix`, in no particular order. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<BlobEntry>;
  /** Throws if the storage does not respond, or (a file system) cannot be written to now. */
  check(signal?: AbortSignal): Promise<void>;
  /** Frees sockets. */
  close(): void;
}

/**
 * A call failed because of the storage or the connection to it, and may succeed later. Clients get 503;
 * background work is postponed.
 */
export class StorageError extends Problem {
  constructor(operation: string, cause: unknown) {
    super('upstream-unavailable', 'The object storage does not respond; try again', {
      headers: { 'retry-after': '1' },
      cause,
    });
    this.name = 'StorageError';
    this.message = `storage, ${operation}: ${cause instanceof Error ? cause.message : cause}`;
  }
}

export class BlobMissing extends Error {
  /** To a client: what it belongs to was deleted since its record was read, or is about to be restored. */
  readonly statusCode = 503;

  constructor(key: string, cause?: unknown) {
    super(`No blob under ${key}`, { cause });
    this.name = 'BlobMissing';
  }
}

/** Buckets from a cached file to a slow upload. */
const STORAGE_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** A missing blob is a result; a malformed key, or a part that it has not, is the caller's error. */
const isCallerError = (error: unknown): boolean =>
  [BlobMissing, TypeError, RangeError].some((kind) => error instanceof kind);

/**
 * Wraps object storage so that every call is in the metrics.
 * @throws StorageError if the storage or the connection to it failed; else as the storage throws
 */
export function instrumentBlobs(blobs: Blobs, registry: Registry): Blobs {
  const { counter, histogram } = metricsIn(registry);
  const seconds = histogram(
    'selvage_store_seconds',
    'Time of one successful call to object storage',
    STORAGE_BUCKETS_SECONDS,
    'operation',
  );
  const errors = counter(
    'selvage_store_errors_total',
    'Failed calls to object storage; a missing blob or a canceled call is not a failure',
    'operation',
  );
  function toFailure(operation: string, error: unknown, signal?: AbortSignal): unknown {
    if (isCallerError(error) || signal?.aborted) return error;
    errors.inc({ operation });
    return new StorageError(operation, error);
  }
  async function observe<T>(
    operation: string,
    call: Promise<T>,
    signal: AbortSignal | undefined,
    body?: unknown,
  ): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await call;
      seconds.observe({ operation }, (performance.now() - startedAt) / 1000);
      return result;
    } catch (error) {
      // The error of an interrupted upload passes unchanged.
      if (body instanceof Readable && body.errored === error) throw error;
      throw toFailure(operation, error, signal);
    }
  }
  return {
    ...blobs,
    put: (key, body, options, signal) =>
      observe('put', blobs.put(key, body, options, signal), signal, body),
    get: (key, signal) => observe('get', blobs.get(key, signal), signal),
    open: (key, signal, range) => observe('open', blobs.open(key, signal, range), signal),
    head: (key, signal) => observe('head', blobs.head(key, signal), signal),
    copy: (from, to, signal) => observe('copy', blobs.copy(from, to, signal), signal),
    delete: (key, signal) => observe('delete', blobs.delete(key, signal), signal),
    deleteAll: (prefix, signal) => observe('delete-all', blobs.deleteAll(prefix, signal), signal),
    check: (signal) => observe('check', blobs.check(signal), signal),
    async *list(prefix, signal) {
      try {
        yield* blobs.list(prefix, signal); // not timed: its duration depends on the reader
      } catch (error) {
        throw toFailure('list', error, signal);
      }
    },
  };
}

export const ifPresent = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error) => {
    if (error instanceof BlobMissing) return undefined;
    throw error;
  });

/** Copies a blob; returns false if it does not exist any more. */
export const copyIfPresent = async (
  blobs: Pick<Blobs, 'copy'>,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<boolean> => (await ifPresent(blobs.copy(from, to, signal).then(() => true))) ?? false;

const SEGMENT = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,250}';
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const PREFIX = new RegExp(`^(?:${SEGMENT}/)*[A-Za-z0-9._-]{0,250}$`);
const MAX_KEY_CHARS = 1024;
const META_NAME = /^[a-z0-9-]+$/;
const META_VALUE = /^$|^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const MAX_META_CHARS = 1536;
const MEDIA_TYPE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/** Throws unless the key is safe as a path, an S3 key and part of a URL. */
export function assertKey(key: string): void {
  if (key.length > MAX_KEY_CHARS || !KEY.test(key)) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key.slice(0, 80))}`);
  }
}

/** Throws unless keys can start with the prefix; the empty prefix matches every key. */
export function assertPrefix(prefix: string): void {
  if (prefix.length > MAX_KEY_CHARS || !PREFIX.test(prefix)) {
    throw new TypeError(`Not a prefix of blob keys: ${JSON.stringify(prefix.slice(0, 80))}`);
  }
}

/** Throws on metadata that would not come back unchanged: S3 sends it as HTTP headers. */
export function assertMetadata({ mediaType, meta = {} }: BlobMetadata): void {
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType)) {
    throw new TypeError(`Not a media type: ${JSON.stringify(mediaType.slice(0, 80))}`);
  }
  for (const [name, value] of Object.entries(meta)) {
    if (!META_NAME.test(name) || !META_VALUE.test(value)) {
      throw new TypeError(`Not allowed as metadata of a blob: ${JSON.stringify(name)}`);
    }
  }
  const chars = Object.entries(meta).flat().join('').length;
  if (chars > MAX_META_CHARS) {
    throw new TypeError(`${chars} characters of metadata; at most ${MAX_META_CHARS}`);
  }
}

/**
 * Runs the work unless the signal is aborted. Once it is aborted, rejects with its reason instead of the
 * error that the abort caused.
 */
export async function withAbort<T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Destroys a stream when a signal is aborted. Adds an `error` listener: an error before the first read would
 * otherwise end the process. The reader of the stream still gets it.
 */
export function abortable(stream: Readable, signal: AbortSignal | undefined): Readable {
  stream.on('error', () => {});
  return signal ? addAbortSignal(signal, stream) : stream;
}

/** The part of object storage that deletes blobs and counts the deleted ones. */
export type BlobEraser = Pick<Blobs, 'head' | 'delete' | 'deleteAll' | 'kept'>;

/** Deletes a blob. Returns how many versions, or of a storage without versions 1 if it existed, else 0. */
export async function deleteBlob(
  blobs: Pick<Blobs, 'head' | 'delete'>,
  key: string,
): Promise<number> {
  const head = await blobs.head(key);
  return (await blobs.delete(key)) ?? (head === undefined ? 0 : 1);
}

/** Deletes every blob under a prefix, one by one. Returns how many. */
export async function deleteListed(
  blobs: Pick<Blobs, 'list' | 'delete'>,
  prefix: string,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for await (const { key } of blobs.list(prefix, signal)) {
    deleted += (await blobs.delete(key, signal)) ?? 1;
  }
  return deleted;
}

/** Deletes the blobs with a prefix that were last written at an instant or before it. Returns how many. */
export async function deleteOlder(
  blobs: Pick<Blobs, 'list' | 'delete'>,
  prefix: string,
  untilMillis: number,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for await (const { key, modifiedAt } of blobs.list(prefix, signal)) {
    if (modifiedAt.getTime() > untilMillis) continue;
    await blobs.delete(key, signal);
    deleted++;
  }
  return deleted;
}

/** Returns JSON in printable ASCII, the only characters that the metadata of a blob may have. */
export const toAsciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
