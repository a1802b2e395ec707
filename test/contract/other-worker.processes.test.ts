import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findModel, PARSER_ID, readCatalog } from '../../models/catalog.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { postImage } from '../support/client.ts';
import { readFeed } from '../support/feed-client.ts';
import { drawnFigure } from '../support/figure.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { plantServer, serve } from '../support/servers.ts';
import { useFolder } from '../support/use-folder.ts';
import { useShop, useStack } from '../support/use-stack.ts';

/** Another worker in the place of the first: after a kill, with other weights, and with nothing of the gateway's. */

const {
  stack,
  key,
  feeds,
  batches,
  intake: jobs,
} = await useStack({
  FETCH_ALLOW: '127.0.0.0/8',
  PUBLIC_URL: '',
});
const shop = await useShop();
const figure = await drawnFigure(400, 800);
const home = await useFolder();

test('an event arrives even if the worker dies while delivering it', async () => {
  const ids: unknown[] = [];
  const { origin } = await plantServer((request, response) => {
    ids.push(request.headers['webhook-id']);
    if (ids.length > 1) serve('thanks')(request, response); // the first waits for an answer
  });
  await jobs.ask('POST', '/webhooks/secret');
  const webhook = JSON.stringify({ url: `${origin}/hook` });
  const image = await drawnShirt({ width: 200, height: 250, format: 'jpeg' });
  await jobs.post(image, { webhook });
  await expect.poll(() => ids.length).toBe(1);
  await stack.worker.end('SIGKILL');
  await stack.startWorker();
  const delivered = async () =>
    (await jobs.ask('GET', '/webhooks/deliveries?status=delivered')).json();
  await expect.poll(delivered).toMatchObject({ deliveries: [{ id: ids[0] }] });
  expect(ids).toEqual([ids[0], ids[0]]);
});

/** Gives the worker the same parse network under another version. */
async function renewParser(version: string): Promise<void> {
  const models = join(stack.home, 'models');
  const { folder, ...parser } = findModel(readCatalog(models), PARSER_ID);
  await mkdir(models, { recursive: true });
  await copyFile(join(folder, parser.file), join(models, parser.file));
  const catalog = { models: [{ ...parser, version }] };
  await writeFile(join(models, 'catalog.json'), JSON.stringify(catalog));
  await stack.worker.end();
  await stack.startWorker();
}

test('new weights of the parse network renew what they made in a feed, and nothing else', async () => {
  const image = shop.put('/renewed.png', { body: figure, type: 'image/png' });
  const body = `id,title,image_link,price\r\np1,Red T-shirt,${image},9 EUR\r\n`;
  const url = shop.put('/renewed.csv', { body, type: 'text/csv' });
  const kinds = [{ options: { subject: 'garment' } }, { operations: ['separate'] }, {}];
  const read: Awaited<ReturnType<typeof readFeed>>[] = [];
  for (const kind of kinds) {
    const feed = await readFeed(await feeds.postJson({ url, ...kind }));
    expect((await feeds.until(feed.run, 'completed')).counts).toMatchObject({ changed: 1 });
    read.push(feed);
  }
  const outcomes = async () => {
    const runs = [];
    for (const { id } of read) runs.push(await feeds.runAgain(id));
    return runs.map(({ counts }) => (counts.unchanged === 1 ? 'unchanged' : 'changed'));
  };
  expect(await outcomes()).toEqual(['unchanged', 'unchanged', 'unchanged']);
  await renewParser('next');
  expect(await outcomes()).toEqual(['changed', 'changed', 'unchanged']);
  expect(await outcomes()).toEqual(['unchanged', 'unchanged', 'unchanged']);
});

test('a job does not get the cut-out of other weights of the parse network', async () => {
  const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
  /** Returns the folder of a new job's cut-out, which those with the same inputs share. */
  const folderOfJob = async () => {
    const job = await jobs.done(figure, { options: '{"subject":"top"}' });
    for await (const blob of blobs.list('out/'))
      if (blob.key.includes(job.id)) return dirname(blob.key);
    throw new Error('The job has no cut-out');
  };
  const before = await folderOfJob();
  expect(await folderOfJob()).toBe(before);
  await renewParser('after-next');
  expect(await folderOfJob()).not.toBe(before);
});

/** Were the worker to read the `secrets.json` of its home, it would end: the file is damaged. */
test('a worker without the secrets of the gateway does all its work', async () => {
  await writeFile(join(home, 'secrets.json'), 'unreadable');
  await stack.worker.end();
  await stack.startWorker({
    KEY_PEPPER: '',
    LOOK_SIGNING_KEYS: '',
    SELVAGE_HOME: home,
    STORE_DIR: join(stack.home, 'store'),
  });
  await expect.poll(async () => (await fetch(`${stack.url}/readyz`)).status).toBe(200);
  const shirt = (width: number) => drawnShirt({ width, height: 300, format: 'jpeg' });
  expect((await postImage(stack, await shirt(301), { key })).status).toBe(200);

  const job = await readJob(await jobs.post(await shirt(302)));
  const batchId = await batches.open();
  await batches.sendFiles(batchId, [['one.jpg', await shirt(303)]]);
  await batches.seal(batchId);
  await jobs.until(job.id, 'succeeded');
  const { counts } = await batches.until(batchId, 'completed');
  expect(counts).toMatchObject({ succeeded: 1 });
});
