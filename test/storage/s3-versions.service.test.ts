import { randomUUID } from 'node:crypto';
import { PutObjectLegalHoldCommand } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Blobs, deleteBlob } from '../../src/storage/blobs.ts';
import { createS3Blobs } from '../../src/storage/s3-blobs.ts';
import { startStoreGate } from '../faults/store-gate.ts';
import { reportMissing } from '../support/requirement.ts';
import { type TestS3, testS3 } from '../support/services.ts';
import { versionedBucket } from '../support/versions.ts';

const found = await testS3();
if (typeof found === 'string') {
  reportMissing('s3', found);
  test.skip(`a bucket that keeps versions (${found})`);
} else {
  describe('a bucket that keeps versions', () => withVersions(found));
}

function withVersions(s3: TestS3): void {
  afterAll(() => s3.stop());

  /** A bucket that is removed after the test; not yet opened by the service. */
  async function freshBucket({ isLocked = false } = {}) {
    const bucket = `selvage-test-${randomUUID()}`;
    const operator = versionedBucket(s3, bucket);
    await operator.create(isLocked);
    onTestFinished(() => operator.remove());
    const open = async (endpoint = s3.endpoint): Promise<Blobs> => {
      const blobs = await createS3Blobs({ ...s3, endpoint, bucket });
      onTestFinished(() => blobs.close());
      return blobs;
    };
    return { ...operator, open };
  }

  const put = async (blobs: Blobs, key: string, ...bodies: string[]): Promise<void> => {
    for (const body of bodies) await blobs.put(key, Buffer.from(body));
  };

  const STATUSES = ['Enabled', 'Suspended'] as const;
  test.each(STATUSES)('%s: nothing of a deleted blob is left', async (status) => {
    const bucket = await freshBucket();
    // Written before the bucket kept versions, and deleted by a release that left them.
    const before = await bucket.open();
    await put(before, 'in/a/old', 'before');
    await bucket.setVersioning('Enabled');
    await put(before, 'in/a/job_1', 'first', 'second');
    await put(before, 'in/a/job_1.background', 'beside it');
    if (status === 'Suspended') await bucket.setVersioning(status);
    const blobs = await bucket.open();
    expect(blobs.kept()).toBeUndefined();
    await put(blobs, 'in/a/job_1', 'third');
    expect(await deleteBlob(blobs, 'in/a/job_1')).toBe(3);
    expect(await deleteBlob(blobs, 'in/a/job_1')).toBe(0);
    const expected = ['in/a/job_1.background', 'in/a/old'];
    expect((await bucket.versions()).map(({ key }) => key).sort()).toEqual(expected);
    expect(await blobs.deleteAll('in/a/')).toBe(2);
    expect(await bucket.versions()).toEqual([]);
  });

  test('versioning turned on under a running service is noticed', async () => {
    const bucket = await freshBucket();
    const blobs = await bucket.open();
    await bucket.setVersioning('Enabled');
    await put(blobs, 'in/a/1', 'first', 'second');
    expect(await deleteBlob(blobs, 'in/a/1')).toBe(2);
    expect(await bucket.versions()).toEqual([]);
  });

  test('more versions than one page has are deleted, of one key and of many', async () => {
    const bucket = await freshBucket();
    await bucket.setVersioning('Enabled');
    const blobs = await bucket.open();
    const bodies = Array.from({ length: 1_050 }, (_, i) => String(i));
    for (let at = 0; at < bodies.length; at += 50) {
      await Promise.all(
        bodies
          .slice(at, at + 50)
          .flatMap((body) => [put(blobs, 'out/a/one', body), put(blobs, `out/b/${body}`, body)]),
      );
    }
    expect(await deleteBlob(blobs, 'out/a/one')).toBe(bodies.length);
    expect(await blobs.deleteAll('out/b/')).toBe(bodies.length);
    expect(await bucket.versions()).toEqual([]);
  });

  test.each([
    { action: 's3:ListBucketVersions', says: /may not list and delete/ },
    { action: 's3:DeleteObjectVersion', says: /may not list and delete/ },
  ])('without $action deletion hides a blob, and says what is left', async ({ action, says }) => {
    const bucket = await freshBucket();
    await bucket.setVersioning('Enabled');
    await bucket.deny(action);
    onTestFinished(() => void bucket.allow());
    const blobs = await bucket.open();
    expect(blobs.kept()).toMatch(says);
    await put(blobs, 'out/a/1', 'first', 'second');
    await put(blobs, 'out/b/1', 'first');
    expect(await deleteBlob(blobs, 'out/a/1')).toBe(1);
    expect(await blobs.deleteAll('out/b/')).toBe(1);
    expect(await blobs.head('out/a/1')).toBeUndefined();
    expect(await blobs.head('out/b/1')).toBeUndefined();
    await bucket.allow();
    const left = (await bucket.versions()).filter(({ isMarker }) => !isMarker);
    expect(left.map(({ key }) => key).sort()).toEqual(['out/a/1', 'out/a/1', 'out/b/1']);
    // Once it is allowed, all that was left can be deleted.
    const allowed = await bucket.open();
    expect(allowed.kept()).toBeUndefined();
    expect(await allowed.deleteAll('out/')).toBe(3);
  });

  test('rights that are taken away meanwhile do not keep a blob readable', async () => {
    const bucket = await freshBucket();
    await bucket.setVersioning('Enabled');
    const blobs = await bucket.open();
    await put(blobs, 'out/a/1', 'first');
    await bucket.deny('s3:DeleteObjectVersion');
    onTestFinished(() => void bucket.allow());
    await deleteBlob(blobs, 'out/a/1');
    expect(await blobs.head('out/a/1')).toBeUndefined();
    expect(blobs.kept()).toBeDefined();
    await bucket.allow();
  });

  test('an object lock is named; what it does not protect is deleted, the rest hidden', async () => {
    const bucket = await freshBucket({ isLocked: true });
    const blobs = await bucket.open();
    expect(blobs.kept()).toMatch(/object lock/);
    await put(blobs, 'out/a/free', 'x');
    await put(blobs, 'out/a/held', 'x');
    const hold = (Status: 'ON' | 'OFF', VersionId?: string) =>
      bucket.client.send(
        new PutObjectLegalHoldCommand({
          Bucket: bucket.name,
          Key: 'out/a/held',
          VersionId,
          LegalHold: { Status },
        }),
      );
    await hold('ON');
    expect(await blobs.deleteAll('out/a/')).toBe(1);
    expect(await blobs.head('out/a/held')).toBeUndefined();
    const [held, ...others] = (await bucket.versions()).filter(({ isMarker }) => !isMarker);
    expect([held?.key, others]).toEqual(['out/a/held', []]);
    await hold('OFF', held?.id);
    expect(await blobs.deleteAll('out/a/')).toBe(1);
    expect(await bucket.versions()).toEqual([]);
  });

  test('a bucket without versions is sent one request for a deletion', async () => {
    const bucket = await freshBucket();
    const gate = await startStoreGate(s3.endpoint);
    onTestFinished(() => gate.close());
    const blobs = await bucket.open(gate.endpoint);
    await put(blobs, 'out/a/1', 'x');
    const requests: string[] = [];
    gate.spoil(({ method }) => void requests.push(method));
    await blobs.delete('out/a/1');
    expect(requests).toEqual(['DELETE']);
  });
}
