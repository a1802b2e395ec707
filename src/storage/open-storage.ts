import type { Blobs } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';

/** The settings of object storage. */
export interface StorageSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
  S3_PUBLIC_ENDPOINT?: string | undefined;
}

/** The S3 client is loaded where it is used: a start without it is quicker. */
async function openBucket(bucket: string, publicEndpoint: string | undefined): Promise<Blobs> {
  const { openBucket: open } = await import('./open-bucket.ts');
  return open({ bucket, publicEndpoint });
}

/** Opens the object storage. Waits up to 30 s for an unavailable bucket; throws if it cannot be used. */
export const openStorage = (settings: StorageSettings): Promise<Blobs> =>
  settings.STORE === 's3'
    ? openBucket(settings.S3_BUCKET, settings.S3_PUBLIC_ENDPOINT)
    : createFsBlobs({ dir: settings.STORE_DIR });
