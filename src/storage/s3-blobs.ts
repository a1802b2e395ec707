import { Readable } from 'node:stream';
import {
  BucketAlreadyOwnedByYou,
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
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
import { abortable, withAbort } from './abort.ts';
import { assertFacts, assertKey, assertPrefix, UNNAMED_MEDIA_TYPE } from './blob-rules.ts';
import { BlobMissing, type Blobs, type PutOptions } from './blobs.ts';
import { putInParts } from './s3-parts.ts';

/** Where the server is. */
export interface S3Location {
  /** What is not said here comes from the SDK's own settings: `AWS_ENDPOINT_URL_S3`, … */
  endpoint?: string;
  region?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

export interface S3BlobsOptions extends S3Location {
  bucket: string;
}

/** How often and how long a call is tried before it fails. */
const PATIENCE = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 2_000,
    requestTimeout: 30_000,
    socketTimeout: 30_000,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: true, maxSockets: 128 },
    httpsAgent: { keepAlive: true, maxSockets: 128 },
  },
};

/**
 * What all S3-compatible servers understand: buckets in the path rather than the host name, and
 * checksums only where a call requires them (those of the SDK's default break streamed uploads).
 * Waiting for `100 Continue` would cost a connection and a round trip for nothing.
 */
const COMPATIBLE = {
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  expectContinueHeader: false,
} as const;

/** A client that any S3-compatible server understands, and that gives up in time. */
export const createS3Client = (where: S3Location): S3Client =>
  new S3Client({ ...PATIENCE, ...COMPATIBLE, ...where });

/**
 * Blobs in a bucket of S3, or of a server that speaks its language. The bucket is made when missing.
 * @throws where the server does not answer or refuses
 */
export async function createS3Blobs({ bucket, ...where }: S3BlobsOptions): Promise<Blobs> {
  const client = createS3Client(where);
  const Bucket = bucket;
  await makeBucket(client, Bucket);

  /** Every key is checked here, before it comes near a request. */
  function at(key: string) {
    assertKey(key);
    return { Bucket, Key: key };
  }

  async function put(
    key: string,
    body: Uint8Array | Readable,
    { mediaType = UNNAMED_MEDIA_TYPE, meta = {} }: PutOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const target = { ...at(key), ContentType: mediaType, Metadata: { ...meta } };
    assertFacts({ mediaType, meta });
    if (!(body instanceof Readable)) {
      const whole = new PutObjectCommand({ ...target, Body: body });
      await withAbort(signal, () => client.send(whole, aborting(signal)));
      return;
    }
    const stream = abortable(body, signal);
    try {
      await withAbort(signal, () => putInParts(client, target, stream, aborting(signal)));
    } finally {
      stream.destroy();
    }
  }

  async function open(key: string, signal?: AbortSignal): Promise<Readable> {
    const wanted = new GetObjectCommand(at(key));
    try {
      const { Body } = await withAbort(signal, () => client.send(wanted, aborting(signal)));
      if (!(Body instanceof Readable)) throw new TypeError('The SDK gave no stream');
      return abortable(Body, signal);
    } catch (error) {
      throw error instanceof NoSuchKey ? new BlobMissing(key, error) : error;
    }
  }

  return {
    put,
    open,

    async get(key, signal) {
      const stream = await open(key, signal);
      return Buffer.concat(await withAbort(signal, () => stream.toArray()));
    },

    async head(key, signal) {
      const wanted = new HeadObjectCommand(at(key));
      try {
        const head = await withAbort(signal, () => client.send(wanted, aborting(signal)));
        return {
          key,
          bytes: head.ContentLength ?? 0,
          modifiedAt: head.LastModified ?? new Date(0),
          mediaType: head.ContentType ?? UNNAMED_MEDIA_TYPE,
          meta: head.Metadata ?? {},
        };
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },

    async copy(from, to, signal) {
      assertKey(from);
      // No character of a key needs to be escaped.
      const wanted = new CopyObjectCommand({ ...at(to), CopySource: `${Bucket}/${from}` });
      try {
        await withAbort(signal, () => client.send(wanted, aborting(signal)));
      } catch (error) {
        throw isMissing(error) ? new BlobMissing(from, error) : error;
      }
    },

    link: async (key, expiresIn) =>
      getSignedUrl(client, new GetObjectCommand(at(key)), { expiresIn }),

    async delete(key, signal) {
      const unwanted = new DeleteObjectCommand(at(key));
      await withAbort(signal, () => client.send(unwanted, aborting(signal)));
    },

    async *list(Prefix, signal) {
      assertPrefix(Prefix);
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix }, aborting(signal));
      for (;;) {
        const { done, value: page } = await withAbort(signal, () => pages.next());
        if (done) return;
        for (const { Key: key = '', Size: bytes = 0, LastModified } of page.Contents ?? []) {
          yield { key, bytes, modifiedAt: LastModified ?? new Date(0) };
        }
      }
    },

    async check(signal) {
      const question = new HeadBucketCommand({ Bucket });
      await withAbort(signal, () => client.send(question, aborting(signal)));
    },

    close: () => client.destroy(),
  };
}

/** Of a copy, the SDK does not know the error by its class. */
const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'NoSuchKey';

const aborting = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

async function makeBucket(client: S3Client, Bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    await client.send(new CreateBucketCommand({ Bucket })).catch((refusal) => {
      // Another process made it at this moment.
      if (!(refusal instanceof BucketAlreadyOwnedByYou)) throw refusal;
    });
  }
}
