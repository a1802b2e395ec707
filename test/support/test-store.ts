import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { createS3Blobs } from '../../src/storage/s3-blobs.ts';
import { type TestS3, testS3 } from './services.ts';
import { listStoredFiles } from './stored-files.ts';
import { versionedBucket } from './versions.ts';

/** The object storage of a stack: a folder, or a bucket that keeps versions, so that tests see what deletion leaves. */
export type StoreKind = 'fs' | 's3';

/** Returns the store that the Vitest project is about. */
export const storeKind = (): StoreKind => (process.env.TEST_STORE === 's3' ? 's3' : 'fs');

/** Returns the settings of the service for a bucket. */
export const bucketSettings = (
  { endpoint, region, credentials }: TestS3,
  bucket: string,
): NodeJS.ProcessEnv => ({
  STORE: 's3',
  S3_BUCKET: bucket,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  NODE_NO_WARNINGS: '1', // the SDK warns about the version of Node
});

/** What a test needs to look into a store: its settings are enough. */
export interface StorePlace {
  home: string;
  settings: NodeJS.ProcessEnv;
}

/** Creates an empty store. */
export async function createStore(kind: StoreKind) {
  if (kind === 'fs') return { settings: {}, remove: async () => {} };
  const s3 = await testS3();
  if (typeof s3 === 'string') throw new Error(s3);
  const name = `selvage-test-${randomUUID()}`;
  const bucket = versionedBucket(s3, name);
  await bucket.create();
  await bucket.setVersioning('Enabled');
  const remove = async () => {
    await bucket.remove();
    await s3.stop();
  };
  return { settings: bucketSettings(s3, name), remove };
}

/** The bucket of a stack. */
function bucketOf({ settings }: StorePlace) {
  const { S3_BUCKET, AWS_ENDPOINT_URL_S3: endpoint = '', AWS_REGION: region = '' } = settings;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = settings;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  return S3_BUCKET === undefined ? undefined : { bucket: S3_BUCKET, endpoint, region, credentials };
}

/** Opens the store of a stack, to plant what no request can. */
export const openStore = (place: StorePlace): Promise<Blobs> => {
  const bucket = bucketOf(place);
  return bucket ? createS3Blobs(bucket) : createFsBlobs({ dir: join(place.home, 'store') });
};

/** Keys of all that is stored; in a bucket also of what can be read by its version only. */
async function allKeys(place: StorePlace): Promise<string[]> {
  const bucket = bucketOf(place);
  if (bucket === undefined) {
    const root = join(place.home, 'store', 'blobs');
    const files = await listStoredFiles(root);
    return files.map((file) => relative(root, file).replaceAll('~/', '/'));
  }
  const { client, versions } = versionedBucket(bucket, bucket.bucket);
  try {
    return [...new Set((await versions()).map(({ key }) => key))];
  } finally {
    client.destroy();
  }
}

/** Returns the keys of what is stored that contain each of the words. */
export const storedKeys = async (place: StorePlace, ...words: string[]): Promise<string[]> =>
  (await allKeys(place)).filter((key) => words.every((word) => key.includes(word)));
