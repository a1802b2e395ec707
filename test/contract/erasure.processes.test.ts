import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { segment } from '../../src/storage/blob-keys.ts';
import { selvage } from '../cli/command.ts';
import { batchClient, uploadedRow } from '../support/batches.ts';
import { postImage } from '../support/client.ts';
import { feedClient } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient } from '../support/intake.ts';
import { testS3 } from '../support/services.ts';
import { startStack } from '../support/stack.ts';
import { bucketSettings, storeKind } from '../support/test-store.ts';
import { useCatalogue } from '../support/use-stack.ts';
import { versionedBucket } from '../support/versions.ts';

const { stack, shop } = await useCatalogue();
const shirt = await drawnShirt({ width: 230, height: 280, format: 'jpeg' });

test('nothing of a client is stored after all it has sent was deleted, in no version', async () => {
  const { key, record } = await stack.key({ client: 'erased' });
  const ofClient = () => stack.stored(`/${segment(record.client)}/`);
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
  await expect.poll(ofClient).toEqual([]);

  const intake = intakeClient(stack, key);
  const batches = batchClient(stack, key);
  const feeds = feedClient(stack, key);
  const job = await intake.done(shirt);
  const batch = await batches.open();
  await batches.send(batch, uploadedRow('a', shirt));
  await batches.seal(batch);
  const image = shop.put('/erased.jpg', { body: shirt, type: 'image/jpeg' });
  const body = `id,title,image_link\r\n1,Shirt,${image}\r\n`;
  const url = shop.put('/erased.csv', { body, type: 'text/csv' });
  const { feed } = await feeds.completed({ url });
  await feeds.runAgain(feed.id);
  await batches.until(batch, 'completed');
  expect((await ofClient()).length).toBeGreaterThan(8);

  for (const path of [`/jobs/${job.id}`, `/batches/${batch}`, `/feeds/${feed.id}`]) {
    const receipt = await (await intake.ask('DELETE', path)).json();
    expect(receipt).toMatchObject({ erasedAt: expect.any(String), blobs: expect.any(Number) });
    expect(receipt).not.toHaveProperty('incomplete');
  }
  await expect.poll(ofClient).toEqual([]);
});

test.skipIf(storeKind() !== 's3')(
  'where versions may not be deleted, start, doctor and receipts say so',
  async () => {
    const s3 = await testS3();
    if (typeof s3 === 'string') throw new Error(s3);
    const name = `selvage-test-${randomUUID()}`;
    const bucket = versionedBucket(s3, name);
    await bucket.create();
    onTestFinished(async () => {
      await bucket.allow();
      await bucket.remove();
      await s3.stop();
    });
    await bucket.setVersioning('Enabled');
    await bucket.deny('s3:ListBucketVersions');
    const settings = bucketSettings(s3, name);
    const stack = await startStack(settings, 'fs');
    onTestFinished(() => stack.stop());
    for (const { output } of [stack.gateway, stack.worker]) {
      expect(output()).toContain('deletion is not complete');
    }
    const intake = intakeClient(stack, (await stack.key()).key);
    const { id } = await intake.done(shirt);
    const receipt = await (await intake.erase(id)).json();
    expect(receipt).toMatchObject({ id, incomplete: true });
    expect(await (await intake.erase(id)).json()).toEqual(receipt);
    const { stdout } = await selvage(['doctor', '--json'], {
      ...settings,
      SELVAGE_HOME: stack.home,
    });
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({
        name: 'erasure',
        status: 'warn',
        detail: expect.stringContaining('s3:ListBucketVersions'),
      }),
    );
  },
);
