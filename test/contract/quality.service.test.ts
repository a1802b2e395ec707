import sharp from 'sharp';
import { expect, test } from 'vitest';
import { uploadedRow } from '../support/batches.ts';
import { formWith, postBody, postForm } from '../support/client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, key, intake, batches, postJson } = await useSharedStack();
const shirt = await drawnShirtOnWood({ width: 300, height: 360, format: 'jpeg' });

async function cutOut(quality?: string): Promise<Buffer> {
  const response = await postForm(stack, formWith({ image: shirt, quality }), { key });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const rgba = (png: Uint8Array): Promise<Buffer> => sharp(png).ensureAlpha().raw().toBuffer();

test('fast, balanced and high differ, and only at the edges', async () => {
  const [byDefault, balanced, fast, high] = await Promise.all(
    [undefined, 'balanced', 'fast', 'high'].map(cutOut),
  );
  if (!byDefault || !balanced || !fast || !high) throw new Error('there must be four images');
  expect(balanced.equals(byDefault)).toBe(true);
  expect(fast.equals(byDefault)).toBe(false);
  const refined = await rgba(byDefault);
  for (const other of [await rgba(fast), await rgba(high)]) {
    const different = refined.filter((value, i) => i % 4 === 3 && value !== other[i]).length;
    expect(different).toBeGreaterThan(0);
    expect(different).toBeLessThan(0.1 * (refined.length / 4));
  }
});

const UNKNOWN = { status: 400, type: 'invalid-request' };

test('an unknown quality is rejected with a pointer, in a form and in JSON', async () => {
  const form = formWith({ image: shirt, quality: 'best' });
  const inForm = await postForm(stack, form, { key });
  const base64 = { image_base64: shirt.toString('base64'), quality: 'best' };
  const inJson = await postBody(stack, JSON.stringify(base64), { key });
  for (const response of [inForm, inJson]) {
    expect(await response.json()).toMatchObject({ ...UNKNOWN, errors: [{ pointer: '/quality' }] });
  }
});

test.each(['/jobs', '/batches', '/feeds'])('POST %s rejects an unknown quality', async (path) => {
  const imageBase64 = shirt.toString('base64');
  const url = 'https://example.com/feed.xml';
  const source = { '/jobs': { imageBase64 }, '/feeds': { url } }[path];
  const body = { ...source, options: { quality: 'best' } };
  const response = await postJson(`/intake/v1${path}`, body);
  const errors = [{ pointer: '/options/quality' }];
  expect(await response.json()).toMatchObject({ ...UNKNOWN, errors });
});

async function done(options?: object) {
  const imageBase64 = shirt.toString('base64');
  const accepted = await readJob(
    await intake.postJson({ imageBase64, ...(options && { options }) }),
  );
  const job = await intake.until(accepted.id, 'succeeded');
  const png = Buffer.from(await (await intake.result(job.id)).arrayBuffer());
  return { job, png };
}

test('jobs with the same image and another quality have other results', async () => {
  const byDefault = await done();
  const high = await done({ quality: 'high' });
  expect(byDefault.job).not.toHaveProperty('options');
  expect(high.job).toMatchObject({ options: { quality: 'high' } });
  expect(high.png.equals(await cutOut('high'))).toBe(true);
  expect(byDefault.png.equals(await cutOut())).toBe(true);
  const named = await done({ quality: 'balanced' });
  expect(named.job.results?.cutout?.sha256).toBe(byDefault.job.results?.cutout?.sha256);
});

test('the options field of a form is JSON', async () => {
  const accepted = await readJob(await intake.post(shirt, { options: '{"quality":"fast"}' }));
  const expected = { options: { quality: 'fast' } };
  expect(await intake.until(accepted.id, 'succeeded')).toMatchObject(expected);
});

test('a removal that becomes a job has the requested quality', async () => {
  const form = formWith({ image: shirt, quality: 'high' });
  const response = await postForm(stack, form, { key, headers: { prefer: 'respond-async' } });
  const { id } = await readJob(response);
  expect(await intake.until(id, 'succeeded')).toMatchObject({ options: { quality: 'high' } });
});

test('the rows of a batch have the quality of the batch', async () => {
  const options = { quality: 'high' };
  const id = await batches.completed(uploadedRow('shirt', shirt), { options });
  expect(await batches.get(id)).toMatchObject({ options });
  const [line] = await batches.lines(id, 'results');
  const high = await done({ quality: 'high' });
  const expected = { status: 'succeeded', cutout: { sha256: high.job.results?.cutout?.sha256 } };
  expect(line).toMatchObject(expected);
});
