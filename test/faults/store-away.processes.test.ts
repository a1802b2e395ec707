import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '../../packages/client/src/client.ts';
import { postImage } from '../support/client.ts';
import { pictureOf } from '../support/feed-server.ts';
import { useStack } from '../support/use-stack.ts';

const { stack, key, ask } = await useStack();
const image = await pictureOf(1);

/** Runs an action while a file replaces the storage folder, under which even root cannot write. */
async function whileUnavailable(action: () => Promise<void>): Promise<void> {
  const store = join(stack.home, 'store');
  await rename(store, `${store}-away`);
  await writeFile(store, '');
  try {
    await action();
  } finally {
    await rm(store);
    await rename(`${store}-away`, store);
  }
}

const jobsOfMine = () => createClient({ baseUrl: stack.url, key }).jobs;

const send = (path: string, type: string, body: string): Promise<Response> =>
  ask('POST', path, { body, headers: { 'content-type': type } });

test('requests that need unavailable storage get 503 with Retry-After', async () => {
  const jobs = jobsOfMine();
  const [succeeded, { id: canceled }] = [
    await jobs.create({ image }),
    await jobs.create({ image }),
  ];
  await jobs.wait(succeeded.id);
  await whileUnavailable(async () => {
    const answers = await Promise.all([
      postImage(stack, image, { key }),
      postImage(stack, image, { key, headers: { prefer: 'respond-async' } }),
      ask('GET', `/intake/v1/jobs/${succeeded.id}/result`),
      ask('DELETE', `/intake/v1/jobs/${succeeded.id}`),
      ask('DELETE', `/intake/v1/jobs/${canceled}`),
      send('/intake/v1/batches', 'application/json', '{}'),
      send('/intake/v1/feeds', 'text/csv', 'id,title,image_link\n'),
    ]);
    for (const answer of answers) {
      expect(await answer.json()).toMatchObject({ status: 503, type: 'upstream-unavailable' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
  // The outage may have begun before the input, which nobody needs after success, was deleted.
  await expect(jobs.delete(succeeded.id)).resolves.toMatchObject({
    id: succeeded.id,
    blobs: expect.toBeOneOf([1, 2]),
  });
});

test('a job waits while its worker has no storage', async () => {
  const jobs = jobsOfMine();
  process.kill(stack.worker.pid, 'SIGSTOP');
  const { id } = await jobs.create({ image });
  await whileUnavailable(async () => {
    process.kill(stack.worker.pid, 'SIGCONT');
    await stack.worker.line((line) => line.includes('"postponed"') && line.includes(id));
  });
  expect(await jobs.wait(id)).toMatchObject({ status: 'succeeded' });
});
