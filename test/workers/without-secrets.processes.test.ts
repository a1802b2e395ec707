import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { postImage } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useFolder } from '../support/use-folder.ts';
import { useStack } from '../support/use-stack.ts';

/**
 * A worker as it is deployed: with Redis and object storage, and with nothing else of the gateway. Were it to read the
 * `secrets.json` of its home, it would end: the file is damaged.
 */
const { stack, key, intake, batches } = await useStack();
const home = await useFolder();
await writeFile(join(home, 'secrets.json'), 'unreadable');
await stack.worker.end();
await stack.startWorker({
  KEY_PEPPER: '',
  LOOK_SIGNING_KEYS: '',
  SELVAGE_HOME: home,
  STORE_DIR: join(stack.home, 'store'),
});

test('a worker without the secrets of the gateway does all its work', async () => {
  await expect.poll(async () => (await fetch(`${stack.url}/readyz`)).status).toBe(200);
  const shirt = (width: number) => drawnShirt({ width, height: 300, format: 'jpeg' });
  expect((await postImage(stack, await shirt(301), { key })).status).toBe(200);

  const job = await readJob(await intake.post(await shirt(302)));
  const batchId = await batches.open();
  await batches.sendFiles(batchId, [['one.jpg', await shirt(303)]]);
  await batches.seal(batchId);
  await intake.until(job.id, 'succeeded');
  const { counts } = await batches.until(batchId, 'completed');
  expect(counts).toMatchObject({ succeeded: 1 });
});
