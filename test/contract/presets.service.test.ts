import sharp from 'sharp';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/client.ts';
import { uploadedRow } from '../support/batches.ts';
import { answerOf, formWith, keyClient, postForm } from '../support/client.ts';
import { readFeed } from '../support/feed-client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop, key, batches, feeds, intake } = await useCatalogue();
const shirt = await drawnShirtOnWood({ width: 200, height: 240, format: 'jpeg' });

const send = (method: string, path: string, body?: object, as = key) =>
  answerOf(keyClient(stack, as).sendJson(method, `/intake/v1${path}`, body));
const put = (name: string, body: object, as = key) => send('PUT', `/presets/${name}`, body, as);

const List = z.object({ presets: z.array(z.looseObject({ name: z.string() })) });
const namesOf = async (as: string): Promise<string[]> =>
  List.parse((await send('GET', '/presets', undefined, as)).body).presets.map(({ name }) => name);

const remove = (fields: Record<string, string>): Promise<Response> =>
  postForm(stack, formWith({ image: shirt, ...fields }), { key });

test('are stored, listed, replaced and deleted, each client its own', async () => {
  const options = { backgroundColor: 'white', crop: true, cropMargin: '5%' };
  const stored = await put('white-crop', { options, export: 'approved' });
  expect(stored).toMatchObject({ status: 200, body: { name: 'white-crop', export: 'approved' } });
  expect(stored.body.options).toEqual(options);
  await put('a-jpeg', { options: { format: 'jpeg' } });
  expect(await namesOf(key)).toEqual(['a-jpeg', 'white-crop']);
  const other = (await stack.key({ client: 'other' })).key;
  expect(await namesOf(other)).toEqual([]);
  expect((await send('GET', '/presets/white-crop', undefined, other)).status).toBe(404);
  expect((await send('DELETE', '/presets/white-crop', undefined, other)).status).toBe(404);
  await put('a-jpeg', { options: { format: 'webp' } });
  const expected = { options: { format: 'webp' } };
  expect((await send('GET', '/presets/a-jpeg')).body).toMatchObject(expected);
  expect((await send('DELETE', '/presets/a-jpeg')).status).toBe(204);
  expect((await send('GET', '/presets/a-jpeg')).status).toBe(404);
});

test('are rejected with what they may not have', async () => {
  const cases: [object, string][] = [
    [{ options: { colour: 'red' } }, '/options/colour'],
    [{ options: { format: 'gif' } }, '/options/format'],
    [{ options: { preset: 'white-crop' } }, '/options/preset'],
    [{ options: { cropMargin: '5%' } }, '/options/cropMargin'],
    [{ export: 'some' }, '/export'],
    [{ rule: {} }, '/rule'],
  ];
  for (const [body, pointer] of cases)
    expect(await put('wrong', body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
  for (const name of ['Upper', '-a', 'x'.repeat(65), 'a%20b'])
    expect((await put(name, {})).status).toBe(404);
});

test('have a maximum of each client', async () => {
  const many = (await stack.key({ client: 'many' })).key;
  for (let i = 0; i < 100; i++) expect((await put(`p-${i}`, {}, many)).status).toBe(200);
  const tooMany = await put('one-more', {}, many);
  expect(tooMany).toMatchObject({ status: 409, body: { type: 'conflict' } });
  expect((await put('p-0', { options: { crop: true } }, many)).status).toBe(200);
});

test('apply to a removal, where the request says nothing else', async () => {
  const response = await remove({ preset: 'white-crop' });
  const image = sharp(Buffer.from(await response.arrayBuffer()));
  const { width = 0 } = await image.metadata();
  expect(width).toBeLessThan(200);
  expect([...(await image.raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255]);
  // A matte has no background, so the one of the preset is left out; so is its margin without a crop.
  const explicit = await remove({ preset: 'white-crop', crop: 'false', channels: 'alpha' });
  expect(explicit.status).toBe(200);
  const matte = await sharp(Buffer.from(await explicit.arrayBuffer())).metadata();
  expect(matte).toMatchObject({ width: 200, height: 240, channels: 1 });
  const unknown = await (await remove({ preset: 'none' })).json();
  expect(unknown).toMatchObject({ status: 400, errors: [{ pointer: '/preset' }] });
});

test('apply to jobs and batches, which keep what they were accepted with', async () => {
  const options = JSON.stringify({ preset: 'white-crop', quality: 'fast' });
  const job = await readJob(await intake.post(shirt, { options }));
  expect(job).toMatchObject({
    options: { quality: 'fast', backgroundColor: '#ffffff', crop: true, cropMargin: '5%' },
  });
  const wrong = await (await intake.post(shirt, { options: '{"preset":"none"}' })).json();
  expect(wrong).toMatchObject({ status: 400, errors: [{ pointer: '/options/preset' }] });
  const client = createClient({ baseUrl: stack.url, key });
  const batch = await client.batches.create({ options: { preset: 'white-crop' } });
  await client.presets.put('white-crop', { options: { format: 'webp' } });
  const expected = { backgroundColor: '#ffffff', crop: true, cropMargin: '5%' };
  expect((await client.batches.get(batch.id)).options).toEqual(expected);
  const blurred = await sharp(shirt).blur(12).jpeg().toBuffer();
  await batches.send(batch.id, uploadedRow('doubtful', blurred));
  await batches.seal(batch.id);
  await batches.until(batch.id, 'completed');
  // Its downloads have what is approved, unless they ask for more.
  expect((await batches.lines(batch.id, 'results'))[0]).not.toHaveProperty('cutout');
  expect((await batches.lines(batch.id, 'results?export=all'))[0]).toHaveProperty('cutout');
  const none = await send('POST', '/batches', { options: { preset: 'none' } });
  expect(none).toMatchObject({ status: 400, body: { errors: [{ pointer: '/options/preset' }] } });
  expect((await client.presets.list()).map(({ name }) => name)).toEqual(['white-crop']);
  await client.presets.delete('white-crop');
  expect(await client.presets.list()).toEqual([]);
});

test('apply to feeds as far as feeds take their options', async () => {
  const options = { quality: 'fast', alpha: 'keep', crop: true };
  await put('feed', { options, export: 'approved' });
  const image = shop.put('/shirt.jpg', { body: shirt, type: 'image/jpeg' });
  const body = `id,title,image_link\r\nsku-1,Shirt,${image}\r\n`;
  const url = shop.put('/feed.csv', { body, type: 'text/csv' });
  const feed = await readFeed(await feeds.postJson({ url, options: { preset: 'feed' } }));
  expect(feed.options).toEqual({ quality: 'fast', alpha: 'keep' });
  await feeds.until(feed.run, 'completed');
  expect((await feeds.ask('GET', `/feeds/${feed.id}/export`)).status).toBe(200);
  const sent = await feeds.send('/feeds?preset=feed&quality=high', body);
  expect((await readFeed(sent)).options).toEqual({ quality: 'high', alpha: 'keep' });
  const none = await (await feeds.send('/feeds?preset=none', body)).json();
  expect(none).toMatchObject({ status: 400, errors: [{ pointer: '?preset' }] });
});
