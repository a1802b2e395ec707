import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BucketAlreadyOwnedByYou,
  CopyObjectCommand,
  CreateBucketCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import {
  abortable,
  assertKey,
  assertMetadata,
  assertPrefix,
  type BlobHead,
  BlobMissing,
  type BlobStream,
  type Blobs,
  type ByteRange,
  DEFAULT_MEDIA_TYPE,
  deleteListed,
  MAX_STORAGE_SOCKETS,
  type PutOptions,
  withAbort,
} from './blobs.ts';
import { type Found, S3Reader, uploadStream } from './s3-transfer.ts';
import { S3Deletion } from './s3-versions.ts';

interface S3Location {
  /** What is not given comes from the SDK's own settings: `AWS_ENDPOINT_URL_S3`, … */
  endpoint?: string;
  region?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

interface S3BlobsOptions extends S3Location {
  bucket: string;
  /** The origin at which clients reach the server. Without it there are no links. */
  publicEndpoint?: string | undefined;
}

/** Retries and timeouts. */
const LIMITS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 2_000,
    requestTimeout: 30_000,
    socketTimeout: 30_000,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: true, maxSockets: MAX_STORAGE_SOCKETS },
    httpsAgent: { keepAlive: true, maxSockets: MAX_STORAGE_SOCKETS },
  },
};

/**
 * Settings that all S3-compatible servers support: buckets in the path, not the host name, and checksums
 * only if a call requires them (the SDK's default breaks streamed uploads). Waiting for `100 Continue` would
 * cost a connection and a round trip without benefit.
 */
const COMPATIBLE = {
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  expectContinueHeader: false,
} as const;

/** Returns a client with timeouts for any S3-compatible server. */
export const createS3Client = (location: S3Location): S3Client =>
  new S3Client({ ...LIMITS, ...COMPATIBLE, ...location });

/**
 * Blobs in a bucket of S3 or of an S3-compatible server. Creates a missing bucket.
 * @throws if the server does not respond or rejects the request
 */
export async function createS3Blobs(options: S3BlobsOptions): Promise<Blobs> {
  const { bucket, publicEndpoint, ...location } = options;
  const client = createS3Client(location);
  const publicClient = publicEndpoint && createS3Client({ ...location, endpoint: publicEndpoint });
  const Bucket = bucket;
  await createBucket(client, Bucket);
  const reader = new S3Reader(client, Bucket);
  const deletion = new S3Deletion(client, Bucket);
  await deletion.detect();

  /** Every key is validated here, before it becomes part of a request. */
  function locate(key: string) {
    assertKey(key);
    return { Bucket, Key: key };
  }

  async function put(
    key: string,
    body: Uint8Array | Readable,
    { mediaType = DEFAULT_MEDIA_TYPE, meta = {} }: PutOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const target = { ...locate(key), ContentType: mediaType, Metadata: { ...meta } };
    assertMetadata({ mediaType, meta });
    if (!(body instanceof Readable)) {
      const command = new PutObjectCommand({ ...target, Body: body });
      await withAbort(signal, () => client.send(command, sendOptions(signal)));
      return;
    }
    const stream = abortable(body, signal);
    try {
      await withAbort(signal, () => uploadStream(client, target, stream, sendOptions(signal)));
    } finally {
      stream.destroy();
    }
  }

  async function open(key: string, signal?: AbortSignal, range?: ByteRange): Promise<BlobStream> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ ...locate(key), Range });
    try {
      const found = await withAbort(
        signal,
        async () =>
          (await reader.read('GET', key, signal, Range)) ??
          client.send(command, sendOptions(signal)),
      );
      if (found === 'absent' || !(found.Body instanceof Readable))
        throw new TypeError('The SDK returned no stream');
      return Object.assign(abortable(found.Body, signal), { head: headOf(key, found) });
    } catch (error) {
      if (hasName(error, 'InvalidRange')) throw new RangeError('The blob is shorter');
      throw error instanceof NoSuchKey ? new BlobMissing(key, error) : error;
    }
  }

  const blobs: Blobs = {
    put,
    open,

    async get(key, signal) {
      const stream = await open(key, signal);
      return Buffer.concat(await withAbort(signal, () => stream.toArray()));
    },

    async head(key, signal) {
      const command = new HeadObjectCommand(locate(key));
      try {
        const found = await withAbort(
          signal,
          async () =>
            (await reader.read('HEAD', key, signal)) ?? client.send(command, sendOptions(signal)),
        );
        return found === 'absent' ? undefined : headOf(key, found);
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },

    async copy(from, to, signal) {
      assertKey(from);
      // No character of a key needs escaping.
      const command = new CopyObjectCommand({ ...locate(to), CopySource: `${Bucket}/${from}` });
      try {
        await withAbort(signal, () => client.send(command, sendOptions(signal)));
      } catch (error) {
        // For copies the SDK has no class of this error.
        throw hasName(error, 'NoSuchKey') ? new BlobMissing(from, error) : error;
      }
    },

    async link(key, expiresIn, method = 'GET') {
      const target = locate(key);
      if (!publicClient) return undefined;
      const Command = method === 'HEAD' ? HeadObjectCommand : GetObjectCommand;
      return getSignedUrl(publicClient, new Command(target), { expiresIn });
    },

    async delete(key, signal) {
      assertKey(key);
      return withAbort(signal, () => deletion.delete(key, sendOptions(signal)));
    },

    async deleteAll(prefix, signal) {
      assertPrefix(prefix);
      const options = sendOptions(signal);
      const erased = await withAbort(signal, () => deletion.deleteAll(prefix, options));
      return erased ?? deleteListed(blobs, prefix, signal);
    },

    kept: () => deletion.kept,

    async *list(Prefix, signal) {
      assertPrefix(Prefix);
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix }, sendOptions(signal));
      for (;;) {
        const { done, value: page } = await withAbort(signal, () => pages.next());
        if (done) return;
        for (const { Key: key = '', Size: bytes = 0, LastModified } of page.Contents ?? []) {
          yield { key, bytes, modifiedAt: LastModified ?? new Date(0) };
        }
      }
    },

    async check(signal) {
      const command = new HeadBucketCommand({ Bucket });
      await withAbort(signal, () => client.send(command, sendOptions(signal)));
    },

    close() {
      client.destroy();
      if (publicClient) publicClient.destroy();
    },
  };
  return blobs;
}

const hasName = (error: unknown, name: string): boolean =>
  error instanceof S3ServiceException && error.name === name;

/** What a response says about a blob. The length of a part is not that of the blob. */
function headOf(key: string, found: Omit<Found, 'Body'>): BlobHead {
  return {
    key,
    bytes: Number(found.ContentRange?.split('/')[1] ?? found.ContentLength ?? 0),
    modifiedAt: found.LastModified ?? new Date(0),
    mediaType: found.ContentType ?? DEFAULT_MEDIA_TYPE,
    meta: found.Metadata ?? {},
    etag: found.ETag ?? '""',
  };
}

const sendOptions = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

/** The server refuses the bucket, and will refuse it again. */
class BucketRefused extends Error {
  constructor(bucket: string, what: string, { name, $metadata }: S3ServiceException) {
    const why = [$metadata.httpStatusCode, /^[A-Z]\w+$/.test(name) ? name : ''].join(' ').trim();
    super(`The bucket ${bucket} ${what} (${why})`);
    this.name = 'BucketRefused';
  }
}

/** Throws what a server refuses as `BucketRefused`, and everything else unchanged. */
const refused = (bucket: string, what: string) => (error: unknown) => {
  const isRefused =
    error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500;
  throw isRefused ? new BucketRefused(bucket, what, error) : error;
};

async function createBucket(client: S3Client, Bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
  } catch (error) {
    if (!(error instanceof NotFound)) {
      const what = 'cannot be used: check S3_BUCKET, the credentials and their rights';
      return refused(Bucket, what)(error);
    }
    const what = 'does not exist and cannot be created: create it, or grant s3:CreateBucket';
    await client.send(new CreateBucketCommand({ Bucket })).catch((createError) => {
      // Another process has created it at this moment.
      if (!(createError instanceof BucketAlreadyOwnedByYou)) refused(Bucket, what)(createError);
    });
  }
}

const OPEN_TIMEOUT_MILLIS = 30_000;
const RETRY_MILLIS = 1000;

/** A server that rejects the request will reject it again; one that fails or is unreachable may recover. */
const isRetryable = (error: unknown): boolean =>
  !(error instanceof BucketRefused) &&
  (!(error instanceof S3ServiceException) || (error.$metadata.httpStatusCode ?? 500) >= 500);

/** Opens a bucket. Waits up to 30 s for an unavailable one. */
export async function openBucket(
  options: Pick<S3BlobsOptions, 'bucket' | 'publicEndpoint'>,
): Promise<Blobs> {
  const deadline = performance.now() + OPEN_TIMEOUT_MILLIS;
  for (;;) {
    try {
      return await createS3Blobs(options);
    } catch (error) {
      if (!isRetryable(error) || performance.now() > deadline) throw error;
      await sleep(RETRY_MILLIS);
    }
  }
}
