import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { codeOf } from '../../platform/system-error.ts';
import { abortable, withAbort } from '../blobs.ts';
import { createS3Client } from '../s3-blobs.ts';
import { type ListedObject, type Location, LocationUnavailable, ObjectGone } from './location.ts';

/** A prefix of a bucket. What is not given comes from the SDK's own settings. */
interface S3Place {
  bucket: string;
  prefix: string;
  endpoint?: string | undefined;
  region?: string | undefined;
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
}

/** Metadata of results: they are never taken for photos, by whatever name of the bucket they are read. */
const RESULT_MARK = { 'selvage-result': '1' };

/** Names the error without what it says about hosts and accounts. */
function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException) {
    // A HEAD has no body that could name the error.
    const name = error.name === 'Unknown' ? '' : error.name;
    return `the bucket answers ${error.$metadata.httpStatusCode ?? ''} ${name}`.trim();
  }
  const name = error instanceof Error ? error.name : 'error';
  return `the bucket does not respond (${codeOf(error) || name})`;
}

/** Runs a request; what fails it is the location. */
async function request<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await withAbort(signal, work);
  } catch (error) {
    signal.throwIfAborted();
    throw new LocationUnavailable(reasonOf(error), error);
  }
}

/** Collects a body of known length. @throws ObjectGone if it is longer */
async function collect(body: Readable, { name, bytes }: ListedObject): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytes) throw new ObjectGone(name);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Opens a prefix of a bucket; sends nothing yet. */
export function s3Location({
  bucket: Bucket,
  prefix,
  endpoint,
  region,
  credentials,
}: S3Place): Location {
  const client = createS3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
  });
  const locate = (name: string) => ({ Bucket, Key: prefix + name });

  async function* list(below: string, abortSignal: AbortSignal): AsyncGenerator<ListedObject[]> {
    const target = { Bucket, Prefix: prefix + below };
    const pages = paginateListObjectsV2({ client }, target, { abortSignal });
    for (;;) {
      const { done, value: page } = await request(abortSignal, () => pages.next());
      if (done) return;
      yield (page.Contents ?? [])
        .map(({ Key = '', ETag = '', Size = 0 }) => ({
          name: Key.slice(prefix.length),
          version: ETag,
          bytes: Size,
        }))
        // Consoles create empty objects for folders.
        .filter(({ name }) => name !== '' && !name.endsWith('/'));
    }
  }

  return {
    list,

    head: (name, abortSignal) =>
      request(abortSignal, async () => {
        try {
          const head = await client.send(new HeadObjectCommand(locate(name)), { abortSignal });
          return { name, version: head.ETag ?? '', bytes: head.ContentLength ?? 0 };
        } catch (error) {
          if (error instanceof NotFound) return undefined;
          throw error;
        }
      }),

    async read(object, abortSignal) {
      const command = new GetObjectCommand(locate(object.name));
      const found = await request(abortSignal, () =>
        client.send(command, { abortSignal }).catch((error) => {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }),
      );
      if (!(found?.Body instanceof Readable)) throw new ObjectGone(object.name);
      const body = abortable(found.Body, abortSignal);
      if (found.ETag !== object.version) {
        body.destroy();
        throw new ObjectGone(object.name);
      }
      const isResult = found.Metadata?.['selvage-result'] !== undefined;
      const bytes = await collect(body, object).catch((error) => {
        abortSignal.throwIfAborted();
        throw error instanceof ObjectGone ? error : new LocationUnavailable(reasonOf(error), error);
      });
      return { bytes, isResult };
    },

    async write(name, Body, ContentType, abortSignal) {
      const target = { ...locate(name), Body, ContentType, Metadata: RESULT_MARK };
      await request(abortSignal, () => client.send(new PutObjectCommand(target), { abortSignal }));
    },

    close: () => client.destroy(),
  };
}
