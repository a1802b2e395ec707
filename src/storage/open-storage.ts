import type { Blobs } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';

/** The settings of object storage. */
export interface StorageSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
}

/** The S3 client is loaded where it is used: a start without it is quicker. */
async function openBucket(bucket: string): Promise<Blobs> {
  const { openBucket: open } = await import('./open-bucket.ts');
  return open(bucket);
}

/** Opens the object storage. Waits up to 30 s for an unavailable bucket; throws if it cannot be used. */
export const openStorage = ({ STORE, STORE_DIR, S3_BUCKET }: StorageSettings): Promise<Blobs> =>
  STORE === 's3' ? openBucket(S3_BUCKET) : createFsBlobs({ dir: STORE_DIR });
