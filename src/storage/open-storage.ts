import { setTimeout as sleep } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { Blobs } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';
import { createS3Blobs } from './s3-blobs.ts';

/** The settings of object storage. */
export interface StorageSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
}

const OPEN_TIMEOUT_MILLIS = 30_000;
const RETRY_MILLIS = 1000;

/** A server that rejects the request will reject it again; one that fails or is unreachable may recover. */
const isRetryable = (error: unknown): boolean =>
  !(error instanceof S3ServiceException) || (error.$metadata.httpStatusCode ?? 500) >= 500;

async function openBucket(bucket: string): Promise<Blobs> {
  const deadline = performance.now() + OPEN_TIMEOUT_MILLIS;
  for (;;) {
    try {
      return await createS3Blobs({ bucket });
    } catch (error) {
      if (!isRetryable(error) || performance.now() > deadline) throw error;
      await sleep(RETRY_MILLIS);
    }
  }
}

/** Opens the object storage. Waits up to 30 s for an unavailable bucket; throws if it cannot be used. */
export const openStorage = ({ STORE, STORE_DIR, S3_BUCKET }: StorageSettings): Promise<Blobs> =>
  STORE === 's3' ? openBucket(S3_BUCKET) : createFsBlobs({ dir: STORE_DIR });
