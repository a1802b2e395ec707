import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3';
import { createS3Client } from '../../src/storage/s3-blobs.ts';
import type { TestS3 } from './services.ts';

/** Opens a bucket of its own as an operator would, beside the service. */
export function versionedBucket(s3: Omit<TestS3, 'stop'>, Bucket: string) {
  const client = createS3Client(s3);

  /** Every version and delete marker. */
  async function versions() {
    const all: { key: string; id: string | undefined; isMarker: boolean }[] = [];
    let position = {};
    for (;;) {
      const page = await client.send(new ListObjectVersionsCommand({ Bucket, ...position }));
      for (const [found, isMarker] of [
        [page.Versions, false],
        [page.DeleteMarkers, true],
      ] as const) {
        for (const { Key = '', VersionId: id } of found ?? []) all.push({ key: Key, id, isMarker });
      }
      if (!page.IsTruncated) return all;
      position = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
  }

  const setVersioning = (Status: 'Enabled' | 'Suspended') =>
    client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));

  return {
    name: Bucket,
    client,
    versions,
    setVersioning,
    create: (ObjectLockEnabledForBucket = false) =>
      client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket })),

    /** Denies actions to everyone, the bucket's owner too. */
    async deny(...Action: string[]): Promise<void> {
      const arn = `arn:aws:s3:::${Bucket}`;
      const Resource = [arn, `${arn}/*`];
      const Statement = [{ Effect: 'Deny', Principal: '*', Action, Resource }];
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
      await client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    },
    allow: () => client.send(new DeleteBucketPolicyCommand({ Bucket })),

    /** Deletes the bucket and all that is in it. */
    async remove(): Promise<void> {
      const all = await versions();
      for (let at = 0; at < all.length; at += 1000) {
        const Objects = all
          .slice(at, at + 1000)
          .map(({ key, id }) => ({ Key: key, VersionId: id }));
        await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      }
      await client.send(new DeleteBucketCommand({ Bucket }));
      client.destroy();
    },
  };
}
