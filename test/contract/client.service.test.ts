import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createClient, SelvageError } from '../../packages/client/src/client.ts';
import { badResponses } from '../support/feed-server.ts';
import { drawnShirt } from '../support/images.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop, key, record } = await useCatalogue();
const photo = await drawnShirt({ width: 320, height: 360, format: 'jpeg' });
const client = createClient({ baseUrl: stack.url, key });

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const failure = (call: Promise<unknown>): Promise<unknown> => call.catch((error) => error);

test('an image becomes a cut-out in the requested quality', async () => {
  const balanced = await client.removeBackground(photo);
  expect(balanced).toMatchObject({ mediaType: 'image/png', requestId: expect.stringMatching(/./) });
  expect(balanced.model).toMatch(/garment-cutout/);
  expect(balanced.confidence).toBeGreaterThan(0);
  const size = { width: 320, height: 360, channels: 4 };
  expect(await sharp(balanced.image).metadata()).toMatchObject(size);
  const blob = new Blob([Uint8Array.from(photo)]);
  const fast = await client.removeBackground(blob, { quality: 'fast' });
  expect(fast.image).not.toEqual(balanced.image);
});

test('output options are applied', async () => {
  const cropped = await client.removeBackground(photo, {
    format: 'webp',
    crop: true,
    cropMargin: '4px',
    backgroundImage: photo,
  });
  const { format, width = 320, hasAlpha } = await sharp(cropped.image).metadata();
  expect([cropped.mediaType, format, hasAlpha]).toEqual(['image/webp', 'webp', false]);
  expect(width).toBeLessThan(320);
  const images = { image: photo, backgroundImage: photo };
  const { id } = await client.jobs.create({ ...images, options: { format: 'jpeg' } });
  await client.jobs.wait(id);
  expect(await client.jobs.result(id)).toMatchObject({ mediaType: 'image/jpeg' });
});

test('a problem of the service is thrown with its type and request id', async () => {
  const error = await failure(client.removeBackground(new TextEncoder().encode('no image')));
  expect(error).toBeInstanceOf(SelvageError);
  expect(error).toMatchObject({ status: 415, type: 'unsupported-media-type' });
  expect(error).toMatchObject({ requestId: expect.stringMatching(/./) });
  const nobody = createClient({ baseUrl: stack.url, key: 'sv_nobody' });
  expect(await failure(nobody.usage())).toMatchObject({ status: 401, type: 'unauthorized' });
});

test('a photo with text and text alone become wardrobe items', async () => {
  const fromPhoto = await client.classify({ image: photo, attributes: { title: 'T-Shirt' } });
  expect(fromPhoto).toMatchObject({ status: 'classified', category: { id: 't_shirt' } });
  expect(fromPhoto.evidence.image).not.toBeNull();
  const fromText = await client.classify({
    attributes: { id: 'jeans', title: 'Blaue Jeans' },
    options: { locale: 'de' },
  });
  expect(fromText).toMatchObject({ category: { label: 'Jeans' }, wardrobeItem: { id: 'jeans' } });
  const options = await client.taxonomyOptions({ locale: 'fr', sections: 'colours,patterns' });
  expect(options).toMatchObject({ locale: 'fr', requestId: expect.any(String) });
  expect(Object.keys(options)).toContain('colours');
  expect(Object.keys(options)).not.toContain('categories');
});

test('outfits in one call and in steps, a day, a trip and a profile', async () => {
  const { look } = client;
  const weather = { tempC: 4, windMs: 3, humidityPct: 70, condition: 'cloudy' } as const;
  const ids = ['t_shirt', 'sweater', 'jeans', 'sneakers', 'wool_coat'];
  const items = ids.map((id) => ({ id, category: id }));
  expect(await look.params()).toMatchObject({ version: expect.any(String) });
  expect(await look.meta({ locale: 'nl' })).toMatchObject({ locale: 'nl' });
  expect((await look.outfits({ weather, met: 1.6, items })).outfits.length).toBeGreaterThan(0);

  expect((await look.targets({ weather, met: 1.6 })).targets.tempC).toBe(4);
  const { targets, candidates } = await look.candidates({ weather, met: 1.6, items });
  const { ranked } = await look.score({ targets, candidates, items });
  expect(ranked.map(({ rank }) => rank)).toEqual(candidates.map((_, i) => i + 1));
  const alteredTargets = { ...targets, tempC: 30 };
  expect(await failure(look.score({ targets: alteredTargets, candidates, items }))).toMatchObject({
    type: 'targets-altered',
  });

  const day = await look.day({ hours: [{ weather, met: 1.6 }], items });
  expect(day.outfit?.itemIds).toContain('jeans');
  const trip = await look.trip({
    days: [
      { date: '2026-11-24', met: 1.6, weather },
      { date: '2026-11-25', met: 1.6, weather: { ...weather, tempC: -5 } },
    ],
    maxItems: 5,
    items,
  });
  expect(trip.days.map(({ date }) => date)).toEqual(['2026-11-24', '2026-11-25']);
  expect(trip.days[1]?.outfit?.slots).toMatchObject({ outer: 'wool_coat', bottom: 'jeans' });
  expect(trip.itemIds).toContain('wool_coat');
  const { userProfile } = await look.calibrate({
    feedback: [{ vote: -2, met: 1.2, indoorTempC: 21, worn: { icl: 0.6 } }],
  });
  expect(userProfile.offsetC).toBeGreaterThan(0);
});

test('a job is created, awaited, downloaded and deleted; another is cancelled', async () => {
  const { jobs } = client;
  const job = await jobs.create({
    image: photo,
    operations: ['remove-background', 'classify'],
    options: { quality: 'fast' },
    retention: { outputSeconds: 600 },
  });
  const done = await jobs.wait(job.id);
  const expected = { status: 'succeeded', operations: ['classify', 'remove-background'] };
  expect(done).toMatchObject(expected);
  expect((await jobs.get(job.id)).results?.classification?.status).toBe('classified');
  expect((await jobs.result(job.id)).mediaType).toBe('image/png');
  expect(await jobs.delete(job.id)).toMatchObject({ id: job.id, blobs: expect.any(Number) });
  expect(await failure(jobs.result(job.id))).toMatchObject({ type: 'gone' });

  const waiting = await jobs.create({ imageUrl: shop.put('/never.jpg', badResponses.silence) });
  expect((await jobs.cancel(waiting.id)).status).toBe('canceled');
  expect(await failure(jobs.get('job_nowhere'))).toMatchObject({ type: 'not-found', status: 404 });
});

test('a batch of rows and files is uploaded, followed and read', async () => {
  const { batches } = client;
  const { id } = await batches.create({ name: 'Spring' });
  const url = await shop.putImage('/batch.jpg', 2);
  async function* rows() {
    yield { customId: 'by-url', imageUrl: url };
    yield { customId: 'by-bytes', imageBase64: photo.toString('base64') };
    yield { customId: 'by-bytes', imageUrl: url };
    yield { customId: 'gone', imageUrl: `${shop.origin}/gone.jpg` };
  }
  expect(await batches.addRows(id, rows())).toMatchObject({ accepted: 3, rejected: 1 });
  expect(await batches.addRows(id, rows(), { resume: true })).toMatchObject({ accepted: 0 });
  const files = ['Größe 38.jpg', 'b.jpg'].map((name) => ({ name, image: photo }));
  expect(await batches.addFiles(id, files)).toMatchObject({ accepted: 2, rejected: 0, offset: 2 });
  expect((await batches.seal(id)).status).not.toBe('open');

  const events = await collect(batches.events(id));
  expect(events.at(-1)).toMatchObject({ event: 'completed', id, status: 'completed' });
  expect((await batches.get(id)).counts).toMatchObject({ accepted: 5, succeeded: 4, failed: 1 });
  const results = await collect(batches.results(id));
  const ids = results.map(({ customId }) => customId);
  expect(ids).toEqual(['by-url', 'by-bytes', 'Größe 38.jpg', 'b.jpg']);
  const [last] = await collect(batches.results(id, { after: results[2]?.row ?? 0 }));
  expect(last?.customId).toBe('b.jpg');
  const problemTypes = (await collect(batches.errors(id))).map(({ problem }) => problem.type);
  expect(problemTypes).toEqual(['invalid-request', 'invalid-request']);
  expect((await collect(batches.manifest(id))).length).toBe(6);
  const cutout = await batches.cutout(id, results[0]?.row ?? 0);
  expect(cutout.image.length).toBe(results[0]?.cutout?.bytes);
  expect(await batches.delete(id)).toMatchObject({ id });
});

test('a batch is uploaded in chunks, and cancelled', async () => {
  const small = createClient({ baseUrl: stack.url, key, maxBodyBytes: photo.length + 100 });
  const { batches } = small;
  const { id } = await batches.create();
  const rows = Array.from({ length: 500 }, (_, i) => ({
    customId: `größe-${i}`,
    imageUrl: `${shop.origin}/${i}.jpg`,
  }));
  expect(JSON.stringify(rows).length).toBeGreaterThan(2 * photo.length);
  expect(await batches.addRows(id, rows)).toMatchObject({ accepted: 500, rejected: 0 });
  expect(await batches.addRows(id, rows, { resume: true })).toMatchObject({ accepted: 0 });
  const files = ['a', 'b', 'c'].map((name) => ({ name, image: photo }));
  expect(await batches.addFiles(id, files)).toMatchObject({ accepted: 3, offset: 3 });
  expect((await batches.get(id)).counts).toMatchObject({ accepted: 503, rejected: 0 });
  expect((await batches.cancel(id)).status).toBe('canceled');
  expect(await failure(batches.seal(id))).toMatchObject({ type: 'conflict' });
});

test('a feed is created by URL and as a body, run again, reported on and exported', async () => {
  const { feeds } = client;
  const image = await shop.putImage('/feed.jpg', 3);
  const body = `id,title,image_link\r\na,Shirt,${image}\r\nb,No image,\r\n`;
  const url = shop.put('/feed.csv', { body, type: 'text/csv; charset=utf-8' });
  const feed = await feeds.create({ url, export: { background: 'white' } });
  const runId = feed.run?.id ?? '';
  expect((await collect(feeds.events(feed.id, runId))).at(-1)?.event).toBe('completed');
  expect((await feeds.getRun(feed.id, runId)).counts).toMatchObject({ rows: 2, changed: 1 });

  const lines = await collect(feeds.report(feed.id, runId));
  expect(lines.map(({ kind }) => kind)).toEqual(['run', 'product', 'rejected']);
  const exported = await feeds.export(feed.id);
  expect(exported).toMatchObject({ mediaType: 'text/csv', fileName: expect.any(String) });
  const text = Buffer.concat(await collect(exported.body)).toString();
  expect(text).toContain('a,Shirt,http');
  expect(text).not.toContain(image);

  const again = await feeds.run(feed.id);
  await collect(feeds.events(feed.id, again.id));
  expect((await feeds.getRun(feed.id, again.id)).counts).toMatchObject({ unchanged: 1 });
  expect((await feeds.get(feed.id)).runs).toEqual([again.id, runId]);
  expect(await feeds.delete(feed.id)).toMatchObject({ id: feed.id });

  const sent = await feeds.create({
    body,
    mediaType: 'text/csv',
    operations: ['remove-background'],
    background: '#00ff00',
    outputSeconds: 7200,
  });
  expect(sent).toMatchObject({ source: { uploaded: true }, retention: { outputSeconds: 7200 } });
  const first = sent.run?.id ?? '';
  await collect(feeds.events(sent.id, first));
  const next = await feeds.run(sent.id, { body, mediaType: 'text/csv' });
  await collect(feeds.events(sent.id, next.id));
  expect((await feeds.getRun(sent.id, next.id)).status).toBe('completed');
});

test('usage returns the limits of a key', async () => {
  expect(await client.usage()).toMatchObject({ client: record.client, rate: { limit: 10_000 } });
});
