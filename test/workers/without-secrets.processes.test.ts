import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { batchClient } from '../support/batches.ts';
import { postImage } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { type Stack, startStack } from '../support/stack.ts';

/**
 * A worker as it is deployed: with Redis and object storage, and with nothing else of the gateway. Were it to read the
 * `secrets.json` of its home, it would end: the file is damaged.
 */
let stack: Stack;
let home: string;
beforeAll(async () => {
  stack = await startStack();
  home = await mkdtemp(join(tmpdir(), 'selvage-worker-'));
  await writeFile(join(home, 'secrets.json'), 'unreadable');
  await stack.worker.end();
  await stack.startWorker({
    KEY_PEPPER: '',
    LOOK_SIGNING_KEYS: '',
    SELVAGE_HOME: home,
    STORE_DIR: join(stack.home, 'store'),
  });
});
afterAll(async () => {
  await stack.stop();
  await rm(home, { recursive: true, force: true });
});

test('a worker without the secrets of the gateway does all its work', async () => {
  const { key } = await stack.key();
  await expect.poll(async () => (await fetch(`${stack.url}/readyz`)).status).toBe(200);
  const shirt = (width: number) => drawnShirt({ width, height: 300, format: 'jpeg' });
  expect((await postImage(stack, await shirt(301), { key })).status).toBe(200);

  const intake = intakeClient(stack, key);
  const job = await readJob(await intake.post(await shirt(302)));
  const batch = batchClient(stack, key);
  const batchId = await batch.open();
  await batch.sendFiles(batchId, [['one.jpg', await shirt(303)]]);
  await batch.ask('POST', `/batches/${batchId}/seal`);
  await intake.until(job.id, 'succeeded');
  await expect.poll(async () => (await batch.get(batchId)).status).toBe('completed');
  expect((await batch.get(batchId)).counts).toMatchObject({ succeeded: 1 });
});
