import { expect, onTestFinished, test } from 'vitest';
import { batchClient, rowOf } from '../support/batches.ts';
import { feedClient, readFeed } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { postCompatForm } from '../support/remove-bg.ts';
import { drip, plantRaw } from '../support/servers.ts';
import { useShop, useStack } from '../support/use-stack.ts';

const PENDING = expect.stringMatching(/^(queued|active)$/);

const { stack } = await useStack({ FETCH_ALLOW: '127.0.0.0/8', WORKER_CONCURRENCY: '1' });
const shop = await useShop();
const hostile = (await stack.key({ client: 'hostile' })).key;
const honest = (await stack.key({ client: 'honest' })).key;

/** The address of a file that arrives byte by byte and never ends. */
const drippingUrl = (path: string): string => shop.put(path, drip);
const requestsFor = (path: string): number =>
  shop.requests.filter((request) => request.path.startsWith(path)).length;

test('jobs whose pictures drip leave the slots to the jobs of others', async () => {
  const dripping = intakeClient(stack, hostile);
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) {
    const response = await dripping.postJson({ imageUrl: drippingUrl(`/slow-job/${i}.jpg`) });
    ids.push((await readJob(response)).id);
  }
  onTestFinished(async () => {
    for (const id of ids) await dripping.cancel(id);
  });
  await dripping.until(ids[0] ?? '', 'active');
  const others = intakeClient(stack, honest);
  const imageUrl = await shop.putImage('/fine.jpg', 1);
  const { id } = await readJob(await others.postJson({ imageUrl }));
  await others.until(id, 'succeeded');
  expect(await Promise.all(ids.map(dripping.status))).toEqual(ids.map(() => PENDING));
});

test('synchronous requests whose pictures drip leave the slots to the requests of others', async () => {
  let opened = 0;
  const ended: number[] = [];
  for (const path of ['/slow-sync/1.jpg', '/slow-sync/2.jpg', '/slow-sync/3.jpg']) {
    const url = shop.put(path, (request, response) => {
      opened += 1;
      drip(request, response);
    });
    postCompatForm(stack, { key: hostile, fields: { image_url: url } }).then(
      (response) => ended.push(response.status),
      () => {}, // the stack stops
    );
  }
  await expect.poll(() => opened).toBeGreaterThanOrEqual(2);
  const image = await drawnShirt({ width: 64, height: 80, format: 'jpeg' });
  const form = { key: honest, files: { image_file: image } };
  expect((await postCompatForm(stack, form)).status).toBe(200);
  expect(ended).toEqual([]);
});

test('feeds that drip leave the import to the feeds of others', async () => {
  const dripping = feedClient(stack, hostile);
  for (const path of ['/slow-feed/1.csv', '/slow-feed/2.csv']) {
    const { run } = await readFeed(await dripping.postJson({ url: drippingUrl(path) }));
    onTestFinished(async () => {
      await dripping.ask('DELETE', `/feeds/${run.feedId}`);
    });
  }
  const others = feedClient(stack, honest);
  const link = await shop.putImage('/fine-feed.jpg', 2);
  const url = shop.put('/fine.csv', { body: `id,image_link\na,${link}\n`, type: 'text/csv' });
  const { run } = await readFeed(await others.postJson({ url }));
  expect((await others.until(run, 'completed')).counts).toMatchObject({ succeeded: 1 });
  expect(requestsFor('/slow-feed/')).toBe(0); // none has ended
});

// Undici's listeners of such a connection throw what ends a process.
test('a worker outlives servers that close the connection while it reads their feeds', async () => {
  const client = feedClient(stack, honest);
  const link = await shop.putImage('/closing.jpg', 4);
  for (const descriptionCharacters of [1000, 1600, 4000]) {
    const description = 'd'.repeat(descriptionCharacters);
    const rows = Array.from({ length: 40 }, (_, i) => `${i},${link},${description}\n`);
    const { origin } = await plantRaw(
      `HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nConnection: close\r\n\r\nid,image_link,description\n${rows.join('')}`,
    );
    const { run } = await readFeed(await client.postJson({ url: `${origin}/closing.csv` }));
    expect((await client.until(run, 'completed')).counts).toMatchObject({ succeeded: 40 });
  }
  expect(stack.worker.child.exitCode).toBeNull();
});

test('rows whose pictures drip leave the slots to the rows of others', async () => {
  const dripping = batchClient(stack, hostile);
  const id = await dripping.open();
  onTestFinished(async () => {
    await dripping.cancel(id);
  });
  const rows = Array.from({ length: 32 }, (_, i) =>
    rowOf(`${i}`, { imageUrl: drippingUrl(`/slow-row/${i}.jpg`) }),
  );
  await dripping.send(id, rows.join(''));
  await dripping.seal(id);
  // As many as one client may have in progress.
  await expect.poll(async () => (await dripping.get(id)).counts).toMatchObject({ active: 12 });
  const others = batchClient(stack, honest);
  const imageUrl = await shop.putImage('/fine-row.jpg', 3);
  const other = await others.completed(rowOf('fine', { imageUrl }));
  expect((await others.get(other)).counts).toMatchObject({ succeeded: 1 });
  expect((await dripping.get(id)).counts).toMatchObject({ failed: 0, succeeded: 0 });
});
