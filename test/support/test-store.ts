import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
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

/** Returns the keys of all that is stored; in a bucket also of what can be read by its version only. */
export async function storedKeys({ home, settings }: StorePlace): Promise<string[]> {
  const { S3_BUCKET, AWS_ENDPOINT_URL_S3: endpoint = '', AWS_REGION: region = '' } = settings;
  if (S3_BUCKET === undefined) {
    const root = join(home, 'store', 'blobs');
    const files = await listStoredFiles(root);
    return files.map((file) => relative(root, file).replaceAll('~/', '/'));
  }
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = settings;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const { client, versions } = versionedBucket({ endpoint, region, credentials }, S3_BUCKET);
  try {
    return [...new Set((await versions()).map(({ key }) => key))];
  } finally {
    client.destroy();
  }
}
