import { randomUUID } from 'node:crypto';
import {
  DeleteBucketCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRules } from '../../../infra/storage/lifecycle.ts';
import { createS3Blobs, createS3Client } from '../../../src/storage/s3-blobs.ts';
import { runProgram } from '../../support/processes.ts';
import { reportMissing } from '../../support/requirement.ts';
import { type TestS3, testS3 } from '../../support/services.ts';
import { bucketSettings } from '../../support/test-store.ts';
import { versionedBucket } from '../../support/versions.ts';

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`lifecycle of a bucket (${found})`);
} else {
  describe('lifecycle of a bucket', () => ofBucket(found));
}

function ofBucket(s3: TestS3): void {
  const Bucket = `selvage-test-${randomUUID()}`;
  let client: S3Client;
  beforeAll(async () => {
    client = createS3Client(s3);
    (await createS3Blobs({ ...s3, bucket: Bucket })).close();
  });
  afterAll(async () => {
    await client.send(new DeleteBucketCommand({ Bucket }));
    client.destroy();
    await s3.stop();
  });

  const write = async (...args: string[]): Promise<string> => {
    const running = runProgram('infra/storage/lifecycle.ts', args, {
      ...bucketSettings(s3, Bucket),
    });
    expect(await running.exited).toBe(0);
    return running.output();
  };

  /** The rules of the server: prefixes, and the days after which their objects expire. */
  const daysByPrefix = async (): Promise<Record<string, number | undefined>> => {
    const rules = await readRules(client, Bucket);
    const ours = rules.filter(({ Expiration, Status }) => Expiration && Status === 'Enabled');
    return Object.fromEntries(
      ours.map(({ Filter, Prefix, Expiration }) => [
        Filter?.Prefix ?? Prefix ?? '',
        Expiration?.Days,
      ]),
    );
  };

  test('is added to the existing rules, and writing it again changes nothing', async () => {
    const other = { ID: 'logs', Status: 'Enabled', Filter: { Prefix: 'logs/' } } as const;
    await client.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        LifecycleConfiguration: { Rules: [{ ...other, Expiration: { Days: 30 } }] },
      }),
    );
    expect(await write()).toContain('selvage-out: out/* is deleted after 16 days');
    const days = { 'sync/': 1, 'in/': 16, 'out/': 16, 'batches/': 16, 'deeds/': 1, 'logs/': 30 };
    expect(await daysByPrefix()).toEqual(days);
    const uploads = (await readRules(client, Bucket)).flatMap(
      (rule) => rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? [],
    );
    expect(uploads).toEqual([1]);
    expect((await readRules(client, Bucket)).flatMap(oldVersionDays)).toEqual([]);
    const before = await readRules(client, Bucket);
    expect(JSON.parse(await write('--json'))).toMatchObject({ bucket: Bucket });
    expect(await readRules(client, Bucket)).toEqual(before);
  });

  test('of one that keeps versions ends them a day after they were deleted or replaced', async () => {
    await versionedBucket(s3, Bucket).setVersioning('Enabled');
    expect(await write()).toContain('old versions of feeds/* are deleted after 1 day');
    const rules = await readRules(client, Bucket);
    expect(rules.flatMap(oldVersionDays)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    const markers = rules.filter(({ Expiration }) => Expiration?.ExpiredObjectDeleteMarker);
    expect(markers.map(({ ID }) => ID).sort()).toEqual([
      'selvage-feeds',
      'selvage-keys',
      'selvage-settings',
    ]);
    expect(await daysByPrefix()).toMatchObject({ 'sync/': 1, 'logs/': 30 });
  });
}

const oldVersionDays = ({ NoncurrentVersionExpiration }: LifecycleRule): number[] => {
  const days = NoncurrentVersionExpiration?.NoncurrentDays;
  return days === undefined ? [] : [days];
};

test('a file system has no rules', async () => {
  const running = runProgram('infra/storage/lifecycle.ts', ['--json'], { STORE: 'fs' });
  expect(await running.exited).toBe(0);
  expect(JSON.parse(running.output())).toEqual({ rules: [] });
});
