import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { commandConnection, PREFIX, untilReady } from '../../../src/platform/redis.ts';
import { startBucketServer } from '../../support/bucket-server.ts';
import { drawnShirtOnWood } from '../../support/images.ts';
import {
  bucketManifest,
  bucketPlace,
  declareSources,
  sourceClient,
} from '../../support/sources.ts';
import { useFolder } from '../../support/use-folder.ts';
import { useStack } from '../../support/use-stack.ts';

/** Objects, and after how many results the worker is killed. */
const OBJECTS = 24;
const KILLS = [0, 5, 15];
/** Objects that are no images. */
const EMPTY_OBJECTS = 2500;

const server = await startBucketServer('photos', 'empty');
afterAll(() => server.close());
const sourceOf = (id: string) => ({
  id,
  client: 'tests',
  everySeconds: 1,
  from: bucketPlace(server, id, 'in/'),
  to: bucketPlace(server, id, 'out/'),
});
const file = await declareSources(await useFolder(), [sourceOf('photos'), sourceOf('empty')]);
const { stack, key } = await useStack({ SOURCES_FILE: file });
const sources = sourceClient(stack, key);

const resultKeys = (bucket: string): string[] =>
  server.keys(bucket).filter((key) => key.startsWith('out/') && key.endsWith('.png'));

const requestsOf = (start: string): string[] =>
  server.requests.filter((request) => request.startsWith(start));

/** Has a source listed on request, from the beginning to the end. */
async function listAgain(id: string): Promise<void> {
  // The first of the two may have begun before the request.
  for (let i = 0; i < 2; i++) {
    const { listedAt } = await sources.get(id);
    await sources.send('POST', `/${id}/scan`);
    await expect.poll(async () => (await sources.get(id)).listedAt).not.toBe(listedAt);
  }
}

/** Puts pictures that differ in one pixel. */
async function putPictures(): Promise<void> {
  const shirt = await drawnShirtOnWood({ width: 96, height: 112, format: 'jpeg' });
  const { data, info } = await sharp(shirt).raw().toBuffer({ resolveWithObject: true });
  for (let i = 0; i < OBJECTS; i++) {
    data.writeUInt16LE(i, 0);
    const raw = { width: info.width, height: info.height, channels: info.channels };
    server.put('photos', `in/${i % 7}/${i}.png`, await sharp(data, { raw }).png().toBuffer());
  }
}

test('workers are killed: each object has one result and one line of the manifest', async () => {
  await putPictures();
  await sources.start('photos');
  for (const results of KILLS) {
    await expect
      .poll(() => resultKeys('photos').length, { timeout: 150_000 })
      .toBeGreaterThanOrEqual(results);
    await stack.worker.end('SIGKILL');
    await stack.startWorker();
  }
  const counts = { found: OBJECTS, pending: 0, succeeded: OBJECTS, failed: 0, rejected: 0 };
  await expect
    .poll(() => sources.get('photos'), { timeout: 150_000 })
    .toMatchObject({ status: 'watching', counts });
  expect(resultKeys('photos')).toHaveLength(OBJECTS);
  const lines = bucketManifest(server, 'photos', 'out/');
  expect(lines).toHaveLength(OBJECTS);
  expect(new Set(lines.map(({ input }) => input)).size).toBe(OBJECTS);
  expect(new Set(lines.map(({ output }) => output)).size).toBe(OBJECTS);
}, 400_000);

test('what Redis has lost is learned from the manifests: nothing is done twice', async () => {
  const written = requestsOf('PUT photos/').length;
  await stack.worker.end();
  const redis = commandConnection(stack.redis.url, createLog('test', 'silent'));
  await untilReady(redis, AbortSignal.timeout(10_000));
  const known = await redis.keys(`${PREFIX}:source:photos*`);
  expect(await redis.del(...known)).toBeGreaterThanOrEqual(3);
  redis.disconnect();
  await stack.startWorker();
  await sources.start('photos');
  await sources.until('photos', { status: 'watching', listedAt: expect.any(String) });
  expect(await sources.get('photos')).toMatchObject({ counts: { found: 0 } });
  expect(requestsOf('PUT photos/')).toHaveLength(written);
});

test('thousands of objects that are no images are told once each, and cost no quota', async () => {
  for (let i = 0; i < EMPTY_OBJECTS; i++) server.put('empty', `in/${i}`, Buffer.alloc(0));
  server.put('empty', 'in/tiny.jpg', Buffer.from('x'));
  await sources.start('empty');
  const counts = {
    found: EMPTY_OBJECTS + 1,
    pending: 0,
    succeeded: 0,
    failed: 1,
    rejected: EMPTY_OBJECTS,
  };
  await expect
    .poll(() => sources.get('empty'), { timeout: 150_000 })
    .toMatchObject({ status: 'watching', counts });
  const lines = bucketManifest(server, 'empty', 'out/');
  expect(new Set(lines.map(({ input }) => input)).size).toBe(EMPTY_OBJECTS + 1);
  expect(lines).toHaveLength(EMPTY_OBJECTS + 1);
  // Listed again, nothing is read or written again.
  const puts = requestsOf('PUT empty/').length;
  await listAgain('empty');
  expect(await sources.get('empty')).toMatchObject({ status: 'watching', counts });
  expect(requestsOf('GET empty/in/')).toEqual(['GET empty/in/tiny.jpg']);
  expect(requestsOf('PUT empty/')).toHaveLength(puts);
}, 400_000);
