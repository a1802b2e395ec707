import type { Readable } from 'node:stream';
import { PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

/** Size of a part. S3 allows 10,000 parts: 78 GiB in total. */
const PART_BYTES = 8 * 2 ** 20;

interface S3Target {
  Bucket: string;
  Key: string;
  ContentType: string;
  Metadata: Record<string, string>;
}

/**
 * Uploads a stream of unknown length, part by part; two parts at most are in memory. The blob is invisible before the
 * last part, and nothing is left on the server if the upload fails. A stream that fits in one part is uploaded with one
 * call.
 * @param body ends with an error when the upload is to be aborted
 */
export async function uploadStream(
  client: S3Client,
  target: S3Target,
  body: Readable,
  options: { abortSignal?: AbortSignal },
): Promise<void> {
  // `Upload` passes no signal on, and its own abort does not wait until the parts are deleted. Create and complete
  // ignore the signal: an upload whose id is lost could never be aborted, and one whose completion is aborted might
  // exist all the same.
  const abortable: S3Client = Object.create(client, {
    send: {
      value: (command: Parameters<S3Client['send']>[0]) =>
        client.send(
          command,
          command instanceof UploadPartCommand || command instanceof PutObjectCommand
            ? options
            : {},
        ),
    },
  });
  const params = { ...target, Body: body };
  await new Upload({ client: abortable, params, partSize: PART_BYTES, queueSize: 1 }).done();
}
