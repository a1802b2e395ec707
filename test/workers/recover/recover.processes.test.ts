import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { sharedInstallationId } from '../../../src/intake/installation.ts';
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts';
import { batchClient, rowOf } from '../../support/batches.ts';
import { answerOf, keyClient } from '../../support/client.ts';
import { feedClient, readFeed } from '../../support/feed-client.ts';
import { drawnShirt } from '../../support/images.ts';
import { intakeClient, type Job, readJob } from '../../support/intake.ts';
import { runProgram } from '../../support/processes.ts';
import { plantServer, serve } from '../../support/servers.ts';
import { useShop, useStack } from '../../support/use-stack.ts';

const IMAGES = 24;

const { stack, ...clients } = await useStack({ FETCH_ALLOW: '127.0.0.0/8' });
const shop = await useShop();
const redis = new Redis(stack.redis.url);
afterAll(() => redis.disconnect());
let { batches, feeds, sendJson } = clients;
/** Creates clients with new API keys: the keys are lost with Redis. */
async function createClients(): Promise<void> {
  const { key } = await stack.key();
  ({ sendJson } = keyClient(stack, key));
  batches = batchClient(stack, key);
  feeds = feedClient(stack, key);
}

/** Runs the command, and returns what it prints. */
const recover = async (...args: string[]): Promise<string> => {
  const env = { SELVAGE_HOME: stack.home, REDIS_URL: stack.redis.url };
  const running = runProgram('workers/recover/main.ts', args, env);
  expect(await running.exited).toBe(0);
  return running.output();
};
const recovered = async () => JSON.parse(await recover('--json'));

const send = (method: string, path: string, body?: object) =>
  answerOf(sendJson(method, `/intake/v1${path}`, body));

test('presets and rule packs come back after Redis lost its data', async () => {
  const pack = { title: 'Our shop', rules: { border: false } };
  await send('PUT', '/presets/white', { options: { crop: true } });
  await send('PUT', '/presets/white', { options: { backgroundColor: '#ffffff' } });
  await send('PUT', '/presets/deleted', { options: {} });
  await send('DELETE', '/presets/deleted');
  await send('PUT', '/rules/our-shop', pack);
  const read = () => Promise.all(['/presets', '/rules/our-shop'].map((path) => send('GET', path)));
  const before = await read();
  expect(before).toMatchObject([
    { body: { presets: [{ name: 'white', options: { backgroundColor: '#ffffff' } }] } },
    { status: 200, body: { pack } },
  ]);
  await redis.flushall();
  await createClients();
  // A worker restores them by itself.
  await expect.poll(read).toEqual(before);
  // What is changed after the loss is not replaced.
  await send('PUT', '/presets/white', { options: { format: 'webp' } });
  expect(await recovered()).toMatchObject({ settings: { rebuilt: 0, known: 2, unknown: 0 } });
  expect(await send('GET', '/presets/white')).toMatchObject({
    body: { options: { format: 'webp' } },
  });
});

test('batches and feeds continue after Redis lost its data', async () => {
  const images = await Promise.all(
    Array.from({ length: IMAGES }, (_, i) => shop.putImage(`/${i}.jpg`, i)),
  );
  const rows = images.map((imageUrl, i) => rowOf(`sku-${i}`, { imageUrl }));
  const done = await batches.completed(rows.slice(0, 3).join(''));
  const before = await batches.lines(done, 'manifest');
  await batches.ask('POST', `/batches/${done}/review/1`, {
    body: JSON.stringify({ decision: 'rejected', note: 'no', revision: 0 }),
    headers: { 'content-type': 'application/json' },
  });
  const reviewed = async () =>
    (await batches.ask('GET', `/batches/${done}/review?needed=false`)).json();
  const review = await reviewed();
  expect(review).toMatchObject({ rows: [{}, { decision: 'rejected', note: 'no' }, {}] });

  const open = await batches.open({ name: 'not sealed' });
  await batches.send(open, `${rows.slice(0, 2).join('')}${'{}\n'.repeat(1000)}`);
  const cells = images.map((url, i) => `sku-${i},${url}\r\n`);
  const url = shop.put('/feed.csv', {
    body: ['id,image_link\r\n', ...cells, 'no-image,\r\n'].join(''),
    type: 'text/csv',
  });
  const feed = await readFeed(await feeds.postJson({ url, schedule: '0 3 * * *' }));
  const path = `/intake/v1${feeds.pathOf(feed.run)}`;
  const succeeded = async () =>
    Number(await redis.hget(`{selvage}:batch:${feed.run.id}`, 'succeeded'));
  await expect.poll(succeeded).toBeGreaterThan(5);
  await stack.worker.end('SIGKILL');

  await redis.flushall();
  expect(await recovered()).toMatchObject({
    batches: { rebuilt: 3, known: 0, unknown: 0 },
    feeds: { rebuilt: 1, known: 0, unknown: 0 },
  });
  expect(await recovered()).toMatchObject({ batches: { rebuilt: 0, known: 3 } });
  await createClients();
  expect(await batches.lines(done, 'manifest')).toEqual(before);
  expect(await reviewed()).toEqual(review);
  expect(await batches.get(open)).toMatchObject({
    status: 'open',
    name: 'not sealed',
    counts: { accepted: 2, rejected: 1000 },
  });

  await stack.startWorker();
  const run = await feeds.until(feed.run, 'completed');
  expect(run.counts).toMatchObject({ rows: IMAGES + 1, rejected: 1, succeeded: IMAGES });
  expect(path).toBe(run.links.self);
  const again = await feeds.runAgain(feed.id);
  expect(again.counts).toMatchObject({ unchanged: IMAGES, changed: 0 });
  await batches.send(open, rows[5] ?? '');
  await batches.seal(open);
  const last = await batches.until(open, 'completed');
  expect(last.counts).toMatchObject({ succeeded: 3, failed: 0, rejected: 1000 });
  expect((await batches.lines(open, 'manifest')).map(({ row }) => row)).toEqual(
    Array.from({ length: 1003 }, (_, row) => row),
  );
});

const client = async () => intakeClient(stack, (await stack.key()).key);
const endsOf = (id: string): string[] =>
  stack
    .logs()
    .split('\n')
    .filter((line) => line.includes('"msg":"job"') && line.includes(id));

/** Posts jobs of every kind while no worker runs. */
async function acceptedJobs(): Promise<Job[]> {
  const intake = await client();
  const photo = (width: number) => drawnShirt({ width, height: 200, format: 'jpeg' });
  const server = await plantServer(serve(await photo(203)));
  const answers = [
    await intake.post(await photo(201)),
    await intake.post(await photo(202), { operations: 'remove-background,classify' }),
    await intake.post(await photo(201)),
    await intake.postJson({ imageUrl: `${server.origin}/a.jpg` }),
  ];
  return Promise.all(answers.map(readJob));
}

test('completes every accepted job once after the recovery', async () => {
  await stack.worker.end();
  const accepted = await acceptedJobs();
  await redis.flushall();
  const before = await (await client()).ask('GET', `/jobs/${accepted[0]?.id}`);
  expect(before.status).toBe(404);

  const counted = { rebuilt: 4, known: 0, unknown: 0 };
  const answer = await recovered();
  expect(answer).toMatchObject({ jobs: counted, seconds: expect.any(Number) });
  const again = await recover();
  expect(again).toMatch(/^jobs: 0 rebuilt, 4 known, 0 skipped$/m);
  expect(again).toMatch(/^Redis and the object storage belong together again/m);

  const intake = await client();
  for (const { id, operations, createdAt } of accepted) {
    expect(await intake.get(id)).toMatchObject({ status: 'queued', operations, createdAt });
  }
  await stack.startWorker();
  for (const { id } of accepted) {
    await intake.until(id, 'succeeded');
    expect((await intake.result(id)).status).toBe(200);
    await expect.poll(() => endsOf(id)).toHaveLength(1);
  }
  const blobs = await createFsBlobs({ dir: join(stack.home, 'store') });
  expect(await sharedInstallationId(redis, blobs)).toBeDefined();
  expect(stack.worker.output()).not.toContain('do not belong together');
});

test('warns at every start before the recovery', async () => {
  await redis.flushall();
  await stack.worker.end();
  await stack.startWorker();
  expect(stack.worker.output()).toContain('npm run recover');
});

test('has help for the command', async () => {
  expect(await recover('--help')).toMatch(/Usage: recover.*--json/s);
});
