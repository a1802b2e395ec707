import { randomUUID } from 'node:crypto';
import { DeleteBucketCommand } from '@aws-sdk/client-s3';
import { createS3Blobs, createS3Client } from '../../src/storage/s3-blobs.ts';
import type { TestS3 } from './services.ts';
import { type Stack, startStack } from './stack.ts';

/** Deletes a bucket with all it holds. */
export async function removeBucket(
  { endpoint, region, credentials }: Omit<TestS3, 'stop'>,
  bucket: string,
): Promise<void> {
  const location = { endpoint, region, credentials };
  const blobs = await createS3Blobs({ ...location, bucket });
  await blobs.deleteAll('');
  blobs.close();
  const client = createS3Client(location);
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
}

/** Starts a stack with a bucket of its own, which is deleted when the stack stops. */
export async function startS3Stack(
  { endpoint, region, credentials }: TestS3,
  env: NodeJS.ProcessEnv = {},
  bucket = `selvage-test-${randomUUID()}`,
): Promise<Stack> {
  const stack = await startStack({
    STORE: 's3',
    S3_BUCKET: bucket,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...env,
  });
  return {
    ...stack,
    async stop() {
      await stack.stop();
      await removeBucket({ endpoint, region, credentials }, bucket);
    },
  };
}
