import { setTimeout as sleep } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { Blobs } from './blobs.ts';
import { BucketRefused, createS3Blobs, type S3BlobsOptions } from './s3-blobs.ts';

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
