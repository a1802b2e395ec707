import { statfs } from 'node:fs/promises';
import type { Blobs } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';

/** Returns the free space for this user and the size of a folder's disk, bytes. */
export async function diskSpace(dir: string) {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

export interface StorageSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
  S3_PUBLIC_ENDPOINT?: string | undefined;
}

/** Opens the object storage. Waits up to 30 s for an unavailable bucket; throws if it cannot be used. */
export async function openStorage(settings: StorageSettings): Promise<Blobs> {
  const { STORE, STORE_DIR: dir, S3_BUCKET: bucket, S3_PUBLIC_ENDPOINT: publicEndpoint } = settings;
  if (STORE === 'fs') return createFsBlobs({ dir });
  // The S3 client is loaded where it is used: a start without it is quicker.
  const { openBucket } = await import('./s3-blobs.ts');
  return openBucket({ bucket, publicEndpoint });
}
