import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { postImage } from '../support/client.ts';
import { pictureOf } from '../support/feed-server.ts';
import { type Stack, startStack } from '../support/stack.ts';

let stack: Stack;
let key: string;
let image: Buffer;
beforeAll(async () => {
  [stack, image] = await Promise.all([startStack(), pictureOf(1)]);
  ({ key } = await stack.key());
});
afterAll(() => stack.stop());

/** Does something while there is a file where the store's folder was, which even root cannot write under. */
async function whileAway(deed: () => Promise<void>): Promise<void> {
  const store = join(stack.home, 'store');
  await rename(store, `${store}-away`);
  await writeFile(store, '');
  try {
    await deed();
  } finally {
    await rm(store);
    await rename(`${store}-away`, store);
  }
}

const jobsOfMine = () => createClient({ baseUrl: stack.url, key }).jobs;

const ask = (method: string, path: string, type?: string, body?: string): Promise<Response> =>
  fetch(`${stack.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) },
    body: body ?? null,
  });

test('what needs the store while it is away is answered 503, and when to come again', async () => {
  const jobs = jobsOfMine();
  const [kept, { id: canceled }] = [await jobs.create({ image }), await jobs.create({ image })];
  await jobs.wait(kept.id);
  await whileAway(async () => {
    const answers = await Promise.all([
      postImage(stack, image, { key }),
      postImage(stack, image, { key, headers: { prefer: 'respond-async' } }),
      ask('GET', `/intake/v1/jobs/${kept.id}/result`),
      ask('DELETE', `/intake/v1/jobs/${kept.id}`),
      ask('DELETE', `/intake/v1/jobs/${canceled}`),
      ask('POST', '/intake/v1/batches', 'application/json', '{}'),
      ask('POST', '/intake/v1/feeds', 'text/csv', 'id,title,image_link\n'),
    ]);
    for (const answer of answers) {
      expect(await answer.json()).toMatchObject({ status: 503, type: 'upstream-unavailable' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
  await expect(jobs.delete(kept.id)).resolves.toMatchObject({ id: kept.id, blobs: 1 });
});

test('a job whose worker finds no store waits for it', async () => {
  const jobs = jobsOfMine();
  process.kill(stack.worker.pid, 'SIGSTOP');
  const { id } = await jobs.create({ image });
  await whileAway(async () => {
    process.kill(stack.worker.pid, 'SIGCONT');
    await stack.worker.line((line) => line.includes('"postponed"') && line.includes(id));
  });
  expect(await jobs.wait(id)).toMatchObject({ status: 'succeeded' });
});
