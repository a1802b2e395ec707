import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** Size of a part, which is held in memory. S3 allows 10,000 parts: 78 GiB in total. */
const PART_BYTES = 8 * 2 ** 20;

/** Bucket, key and metadata of a blob. */
interface S3Target {
  Bucket: string;
  Key: string;
  ContentType: string;
  Metadata: Record<string, string>;
}

/**
 * Uploads a stream of unknown length, part by part. The blob is invisible before the last part, and nothing
 * is left on the server if the upload fails. A stream that fits in one part is uploaded with one call.
 */
export async function uploadStream(
  client: S3Client,
  target: S3Target,
  body: Readable,
  options: { abortSignal?: AbortSignal },
): Promise<void> {
  const parts = splitIntoParts(body);
  const { value: first = Buffer.alloc(0) } = await parts.next();
  if (first.length === PART_BYTES) return uploadParts(client, target, first, parts, options);
  await client.send(new PutObjectCommand({ ...target, Body: first }), options);
}

async function uploadParts(
  client: S3Client,
  target: S3Target,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  options: { abortSignal?: AbortSignal },
): Promise<void> {
  // Create and complete ignore the signal: an upload whose id is lost could never be aborted, and one whose
  // completion is aborted might exist all the same.
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  const upload = { Bucket: target.Bucket, Key: target.Key, UploadId };
  const completed: CompletedPart[] = [];
  const send = async (Body: Buffer) => {
    const PartNumber = completed.length + 1;
    const part = new UploadPartCommand({ ...upload, PartNumber, Body });
    completed.push({ ETag: (await client.send(part, options)).ETag, PartNumber });
  };
  try {
    await send(first);
    for await (const part of rest) if (part.length > 0) await send(part);
    await client.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: completed } }),
    );
  } catch (error) {
    // If this fails too, the bucket's lifecycle rule for incomplete uploads deletes it.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

/** Yields parts of `PART_BYTES`, then a shorter one, which may be empty. */
async function* splitIntoParts(body: Readable): AsyncGenerator<Buffer, undefined> {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  for await (const chunk of body) {
    buffered.push(chunk);
    bufferedBytes += chunk.length;
    if (bufferedBytes < PART_BYTES) continue;
    let rest = Buffer.concat(buffered);
    for (; rest.length >= PART_BYTES; rest = rest.subarray(PART_BYTES)) {
      yield rest.subarray(0, PART_BYTES);
    }
    buffered = [rest];
    bufferedBytes = rest.length;
  }
  yield Buffer.concat(buffered);
}
