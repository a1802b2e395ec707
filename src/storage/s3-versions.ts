import { randomUUID } from 'node:crypto';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsOutput,
  type ListObjectVersionsRequest,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { SYNC_PREFIX } from './blob-keys.ts';

/** The key of no blob. Each process has its own: Ceph reports the marker to one of concurrent deletions only. */
const probeKey = (): string => `${SYNC_PREFIX}deletion-probe/${randomUUID()}`;

const DENIED =
  'the bucket keeps versions, and these credentials may not list and delete them (s3:ListBucketVersions, s3:DeleteObjectVersion)';
const LOCKED = 'the bucket has an object lock, which keeps versions from being deleted';

interface SendOptions {
  abortSignal?: AbortSignal;
}

type VersionRange = Omit<ListObjectVersionsRequest, 'Bucket'>;

/** A version of an object, or the marker that one deletion has left. */
interface StoredVersion {
  Key: string;
  VersionId: string | undefined;
  isMarker: boolean;
}

const toStored = (
  { Key = '', VersionId }: { Key?: string | undefined; VersionId?: string | undefined },
  isMarker: boolean,
): StoredVersion => ({ Key, VersionId, isMarker });

const isDenied = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403;

/** Returns nothing where the server refuses or does not know the request. */
async function ifAnswered<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status !== undefined && (status < 500 || status === 501)) return undefined;
    throw error;
  }
}

/**
 * Deletes objects of a bucket for good. A bucket that keeps versions, or kept them before, would only hide a deleted
 * object: its versions and delete markers are deleted by their ids. Other buckets need no further request.
 */
export class S3Deletion {
  readonly #client: S3Client;
  readonly #bucket: string;
  #erasesVersions = false;
  #kept: string | undefined;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  /** Why deleted objects may still be read by their versions; undefined if they cannot. For the operator. */
  get kept(): string | undefined {
    return this.#kept;
  }

  /** Finds out whether the bucket keeps versions, and whether they can be deleted. */
  async detect(): Promise<void> {
    const Bucket = this.#bucket;
    // Where versions are kept this leaves a delete marker, whose deletion shows what these credentials may do.
    await ifAnswered(this.delete(probeKey(), {}));
    if (this.#kept) this.#erasesVersions = false;
    const settings = await ifAnswered(
      this.#client.send(new GetBucketVersioningCommand({ Bucket })),
    );
    if (settings?.Status && !this.#kept) this.#erasesVersions = true;
    if (!this.#erasesVersions) return;
    const lock = new GetObjectLockConfigurationCommand({ Bucket });
    const locked = await ifAnswered(this.#client.send(lock));
    if (locked?.ObjectLockConfiguration?.ObjectLockEnabled) this.#kept = LOCKED;
  }

  /** Deletes an object. Returns how many versions of it, or nothing if the bucket keeps none. */
  async delete(key: string, options: SendOptions): Promise<number | undefined> {
    if (!this.#erasesVersions) {
      const isKept = await this.#hide(key, options);
      if (!isKept || this.#kept) return undefined;
      this.#erasesVersions = true;
    }
    const erased = await this.#erase(key, true, options);
    // Not erased, it is not read by its key at least.
    if (erased === undefined) await this.#hide(key, options);
    return erased;
  }

  /** Deletes all versions under a prefix. Returns how many, or nothing if that must be done object by object. */
  async deleteAll(prefix: string, options: SendOptions): Promise<number | undefined> {
    return this.#erasesVersions ? this.#erase(prefix, false, options) : undefined;
  }

  /** Deletes the current version. Returns whether the bucket keeps it. */
  async #hide(Key: string, options: SendOptions): Promise<boolean> {
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key });
    const { DeleteMarker, VersionId } = await this.#client.send(command, options);
    return DeleteMarker === true || VersionId !== undefined;
  }

  /** Deletes versions by their ids. Returns how many, or nothing if it is not allowed. */
  async #erase(prefix: string, isKey: boolean, options: SendOptions): Promise<number | undefined> {
    let erased = 0;
    try {
      for await (const page of this.#pages(prefix, isKey, options)) {
        erased += await this.#erasePage(page, options);
      }
      return erased;
    } catch (error) {
      if (!isDenied(error)) throw error;
      this.#kept = DENIED;
      this.#erasesVersions = false;
      return undefined;
    }
  }

  #list(range: VersionRange, options: SendOptions): Promise<ListObjectVersionsOutput> {
    const command = new ListObjectVersionsCommand({ Bucket: this.#bucket, ...range });
    return this.#client.send(command, options);
  }

  /** Yields what is under a prefix, or has this key: other keys that start with it are sorted behind it. */
  async *#pages(
    Prefix: string,
    isKey: boolean,
    options: SendOptions,
  ): AsyncGenerator<StoredVersion[]> {
    let page = await this.#list({ Prefix }, options);
    for (;;) {
      const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker } = page;
      const all = [
        ...Versions.map((version) => toStored(version, false)),
        ...DeleteMarkers.map((marker) => toStored(marker, true)),
      ];
      const wanted = isKey ? all.filter(({ Key }) => Key === Prefix) : all;
      const range = { Prefix, KeyMarker: NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
      // Before this page is deleted: a position of what is gone may be refused.
      const next =
        IsTruncated && wanted.length === all.length ? await this.#list(range, options) : undefined;
      yield wanted;
      if (!next) return;
      page = next;
    }
  }

  async #erasePage(page: readonly StoredVersion[], options: SendOptions): Promise<number> {
    if (page.length === 0) return 0;
    const Objects = page.map(({ Key, VersionId }) => ({ Key, VersionId }));
    const command = new DeleteObjectsCommand({
      Bucket: this.#bucket,
      Delete: { Objects, Quiet: true },
    });
    const { Errors = [] } = await this.#client.send(command, options);
    const failed = Errors.find(({ Code }) => Code !== 'AccessDenied');
    if (failed) throw new Error(`a version was not deleted: ${failed.Code} ${failed.Message}`);
    if (Errors.length > 0) this.#kept ??= DENIED;
    // Not deleted, they are not read by their keys at least.
    for (const key of new Set(Errors.map(({ Key = '' }) => Key))) await this.#hide(key, options);
    const kept = new Set(Errors.map(({ Key, VersionId }) => `${Key} ${VersionId}`));
    return page.filter(
      ({ Key, VersionId, isMarker }) => !isMarker && !kept.has(`${Key} ${VersionId}`),
    ).length;
  }
}
