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

/** What is held in memory of a stream. S3 takes 10,000 parts: 78 GiB in all. */
const PART_BYTES = 8 * 2 ** 20;

/** Where a blob goes, and what is said about it. */
export interface S3Target {
  Bucket: string;
  Key: string;
  ContentType: string;
  Metadata: Record<string, string>;
}

/**
 * Uploads a stream of unknown length, one part after the other: nothing of it is to be seen before
 * the last part, and nothing is left on the server when it fails. What fits in one part is put in
 * one call.
 */
export async function putInParts(
  client: S3Client,
  target: S3Target,
  body: Readable,
  options: { abortSignal?: AbortSignal },
): Promise<void> {
  const parts = inParts(body);
  const { value: first = Buffer.alloc(0) } = await parts.next();
  if (first.length === PART_BYTES) return upload(client, target, first, parts, options);
  await client.send(new PutObjectCommand({ ...target, Body: first }), options);
}

async function upload(
  client: S3Client,
  target: S3Target,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  options: { abortSignal?: AbortSignal },
): Promise<void> {
  // Begin and end heed no signal: a begun upload whose id is lost could never be cleared away, and
  // one given up at its end might be there all the same.
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  const begun = { Bucket: target.Bucket, Key: target.Key, UploadId };
  const done: CompletedPart[] = [];
  const send = async (Body: Buffer) => {
    const PartNumber = done.length + 1;
    const part = new UploadPartCommand({ ...begun, PartNumber, Body });
    done.push({ ETag: (await client.send(part, options)).ETag, PartNumber });
  };
  try {
    await send(first);
    for await (const part of rest) if (part.length > 0) await send(part);
    await client.send(
      new CompleteMultipartUploadCommand({ ...begun, MultipartUpload: { Parts: done } }),
    );
  } catch (error) {
    // Where this fails too, the bucket's rule for incomplete uploads clears it away.
    await client.send(new AbortMultipartUploadCommand(begun)).catch(() => {});
    throw error;
  }
}

/** The stream in parts of `PART_BYTES`, then a shorter one, which may be empty. */
async function* inParts(body: Readable): AsyncGenerator<Buffer, undefined> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of body) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < PART_BYTES) continue;
    let all = Buffer.concat(held);
    for (; all.length >= PART_BYTES; all = all.subarray(PART_BYTES)) {
      yield all.subarray(0, PART_BYTES);
    }
    held = [all];
    heldBytes = all.length;
  }
  yield Buffer.concat(held);
}
