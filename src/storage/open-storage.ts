import { setTimeout as pause } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { Blobs } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';
import { createS3Blobs } from './s3-blobs.ts';

/** The settings that say where blobs are kept. */
export interface StorageSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
}

const OPEN_MILLIS = 30_000;
const AGAIN_MILLIS = 1000;

/** A server that refuses will refuse again; one that fails or is not there may yet come. */
const mayCome = (error: unknown): boolean =>
  !(error instanceof S3ServiceException) || (error.$metadata.httpStatusCode ?? 500) >= 500;

async function openBucket(bucket: string): Promise<Blobs> {
  const until = performance.now() + OPEN_MILLIS;
  for (;;) {
    try {
      return await createS3Blobs({ bucket });
    } catch (error) {
      if (!mayCome(error) || performance.now() > until) throw error;
      await pause(AGAIN_MILLIS);
    }
  }
}

/** Opens the store the settings name; one that is away is waited for. Throws where it cannot be used. */
export const openStorage = ({ STORE, STORE_DIR, S3_BUCKET }: StorageSettings): Promise<Blobs> =>
  STORE === 's3' ? openBucket(S3_BUCKET) : createFsBlobs({ dir: STORE_DIR });
