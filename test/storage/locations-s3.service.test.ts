import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3Location } from '../../src/storage/locations/s3-location.ts';
import { reportMissing } from '../support/requirement.ts';
import { type TestS3, testS3 } from '../support/services.ts';
import { listAll, locationContract } from './locations.contract.ts';

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`places of sources in S3 (${found})`);
} else {
  describe('on a real S3 server', () => againstServer(found));
}

async function fiftyAtOnce(names: readonly string[], act: (name: string) => Promise<void>) {
  for (let i = 0; i < names.length; i += 50) await Promise.all(names.slice(i, i + 50).map(act));
}

function againstServer(s3: TestS3): void {
  const { signal } = new AbortController();
  const client = new S3Client({ ...s3, forcePathStyle: true });
  const Bucket = `selvage-test-${randomUUID()}`;
  const place = (prefix: string) => s3Location({ ...s3, bucket: Bucket, prefix });
  const put = async (Key: string, content: string) =>
    void (await client.send(new PutObjectCommand({ Bucket, Key, Body: content })));
  const remove = async (Key: string) =>
    void (await client.send(new DeleteObjectCommand({ Bucket, Key })));

  beforeAll(async () => void (await client.send(new CreateBucketCommand({ Bucket }))));
  afterAll(async () => {
    const names = (await listAll(place(''))).map(({ name }) => name);
    await fiftyAtOnce(names, (name) => remove(name));
    await client.send(new DeleteBucketCommand({ Bucket }));
    client.destroy();
    await s3.stop();
  });

  locationContract('a bucket', async () => ({
    location: place('same/'),
    put: (name, content) => put(`same/${name}`, content),
    remove: (name) => remove(`same/${name}`),
  }));

  test('lists all of its pages, and marks results', async () => {
    const names = Array.from({ length: 1100 }, (_, i) => `many/${i}`);
    await fiftyAtOnce(names, (name) => put(name, 'x'));
    const location = place('many/');
    expect(await listAll(location)).toHaveLength(1100);
    await location.write('made/result.png', Buffer.from('cut'), 'image/png', signal);
    const made = await location.head('made/result.png', signal);
    if (!made) throw new Error('nothing written');
    expect((await location.read(made, signal)).isResult).toBe(true);
  });
}
