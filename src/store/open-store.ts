import type { Blobs } from './blobs.ts';
import { createFsBlobs } from './fs-blobs.ts';
import { createS3Blobs } from './s3-blobs.ts';

/** The settings that say where blobs are kept. */
export interface StoreSettings {
  STORE: 'fs' | 's3';
  STORE_DIR: string;
  S3_BUCKET: string;
}

/** Opens the store the settings name. Throws where it cannot be used. */
export const openStore = ({ STORE, STORE_DIR, S3_BUCKET }: StoreSettings): Promise<Blobs> =>
  STORE === 's3' ? createS3Blobs({ bucket: S3_BUCKET }) : createFsBlobs({ dir: STORE_DIR });
