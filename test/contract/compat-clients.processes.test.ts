import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { drawnShirt, readPixels } from '../support/images.ts';
import { startRemoveBgHost } from '../support/remove-bg-host.ts';
import { useFolder } from '../support/use-folder.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop: web } = await useCatalogue();
const folder = await useFolder();
const host = await startRemoveBgHost(stack.url);
const key = (await stack.key({ rate: { count: 500, periodSeconds: 60 } })).key;
const shirt = await drawnShirt({ width: 600, height: 400, format: 'jpeg' });
const photo = join(folder, 'shirt.jpg');
await writeFile(photo, shirt);
const address = web.put('/shirt.jpg', { body: shirt, type: 'image/jpeg' });
afterAll(() => host.close());

/** Expects a file to show a subject on a transparent background. */
async function expectCutOut(file: Uint8Array): Promise<void> {
  const { width, height, corner, middle } = await readPixels(file);
  expect([width, height, corner[3], middle[3]]).toEqual([600, 400, 0, 255]);
}

describe('the package remove.bg', () => {
  const call = (method: string, options: object) =>
    host.call('remove.bg', method, { apiKey: key, size: 'full', ...options });

  test('cuts out a file, a URL and base64', async () => {
    const outputFile = join(folder, 'out.png');
    const base64img = (await readFile(photo)).toString('base64');
    const [ofFile, ...others] = await Promise.all([
      call('removeBackgroundFromImageFile', { path: photo, outputFile }),
      call('removeBackgroundFromImageUrl', { url: address }),
      call('removeBackgroundFromImageBase64', { base64img }),
    ]);
    expect(ofFile).toMatchObject({
      done: {
        creditsCharged: '1',
        detectedType: 'other',
        resultWidth: '600',
        resultHeight: '400',
        rateLimit: '500',
        rateLimitRemaining: expect.stringMatching(/^\d+$/),
        rateLimitReset: expect.stringMatching(/^\d{10}$/),
      },
    });
    const picture = await readFile(outputFile);
    await expectCutOut(picture);
    const same = { done: { base64img: picture.toString('base64') } };
    expect(others).toHaveLength(2);
    for (const other of others) expect(other).toMatchObject(same);
  });

  test('passes its options', async () => {
    const options = { crop: true, crop_margin: '10px', bg_color: 'fff', type: 'product' };
    const outcome = await call('removeBackgroundFromImageFile', { path: photo, ...options });
    expect(outcome).toMatchObject({ done: { detectedType: 'product' } });
    expect(outcome).not.toMatchObject({ done: { resultWidth: '600' } });
  });

  test('reports errors as the original API does', async () => {
    expect(await call('removeBackgroundFromImageFile', { path: photo, apiKey: 'wrong' })).toEqual({
      failed: [{ title: 'API Key invalid', code: 'auth_failed', detail: expect.any(String) }],
    });
    expect(
      await call('removeBackgroundFromImageUrl', { url: `${web.origin}/none.jpg` }),
    ).toMatchObject({
      failed: [{ code: 'failed_image_download' }],
    });
  });
});

describe('the package removd', () => {
  const call = (method: string, options: object) =>
    host.call('removd', method, { apikey: key, api_key: key, ...options });

  test('cuts out a file, and writes the result next to the photo', async () => {
    const destination = join(folder, 'removd.png');
    const outcome = await call('file', { source: photo, destination });
    expect(outcome).toMatchObject({
      done: { charged: 1, dimensions: '600x400', detected: 'other', resized: false, destination },
    });
    await expectCutOut(await readFile(destination));
  });

  test('cuts out the image of a URL on a background colour', async () => {
    const destination = join(folder, 'address.png');
    const outcome = await call('url', { source: address, destination, background: 'green' });
    expect(outcome).toMatchObject({ done: { charged: 1, dimensions: '600x400' } });
    const [red, green, blue] = await sharp(join(folder, 'address.jpeg')).raw().toBuffer();
    expect({ isGreen: Number(green) > 100 && Number(red) + Number(blue) < 20 }).toEqual({
      isGreen: true,
    });
  });

  test('cuts out base64 in a text file', async () => {
    const source = join(folder, 'shirt.txt');
    await writeFile(source, (await readFile(photo)).toString('base64'));
    const outcome = await call('base64', { source, destination: join(folder, 'out.txt') });
    expect(outcome).toMatchObject({ done: { charged: 1 } });
  });

  test('reads the account', async () => {
    const { quotaPerDay, ...few } = { quotaPerDay: 7, client: 'few' };
    const counted = (await stack.key({ ...few, quotaPerDay })).key;
    expect(await call('account', { apikey: counted, api_key: counted })).toEqual({
      done: {
        credits: { total: 7, subscription: 7, payg: 0, enterprise: 0 },
        api: { free_calls: 0, sizes: 'all' },
      },
    });
  });

  test('reports errors as the original API does', async () => {
    const outcome = await call('file', { source: photo, destination: folder, apikey: 'wrong' });
    expect(outcome).toEqual({ done: { error: 'API Key invalid', source: photo } });
  });
});
