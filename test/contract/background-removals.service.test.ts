import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/platform/config.ts';
import type { ProblemType } from '../../src/platform/problem.ts';
import { segment } from '../../src/storage/blob-keys.ts';
import {
  expectProblem,
  formOf,
  postBase64,
  postBody,
  postForm,
  postImage,
  rawExchange,
  type Sent,
} from '../support/client.ts';
import { claimedPng, drawnShirt, readPixels } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { MAX_IMAGE_BYTES } = readConfig({});
const { stack, key, record } = await useSharedStack();
const shirt = await drawnShirt({ width: 480, height: 600, format: 'jpeg' });

describe('a removal', () => {
  test('returns a transparent PNG of the same size, with the headers of the contract', async () => {
    const response = await postImage(stack, shirt, {
      key,
      headers: { 'x-request-id': 'my-own-id' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-request-id')).toBe('my-own-id');
    expect(response.headers.get('x-model')).toMatch(/^garment-cutout@\S+$/);
    expect(Number(response.headers.get('ratelimit-limit'))).toBe(10_000);
    expect(Number(response.headers.get('ratelimit-remaining'))).toBeLessThan(10_000);
    const png = Buffer.from(await response.arrayBuffer());
    const expected = { format: 'png', width: 480, height: 600, hasAlpha: true };
    expect(await sharp(png).metadata()).toMatchObject(expected);
    const { at, middle } = await readPixels(png);
    expect([at(4, 6)[3], at(475, 6)[3], middle[3]]).toEqual([0, 0, 255]);
  });

  test('in base64 returns the same image', async () => {
    const binary = Buffer.from(await (await postImage(stack, shirt, { key })).arrayBuffer());
    for (const sent of [
      shirt.toString('base64'),
      `data:image/jpeg;base64,${shirt.toString('base64')}`,
    ]) {
      const response = await postBase64(stack, sent, { key });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      const { image_base64: base64 } = (await response.json()) as { image_base64: string };
      expect(Buffer.from(base64, 'base64').equals(binary)).toBe(true);
    }
  });

  test('turns a photo upright by its EXIF orientation', async () => {
    const turned = await sharp(shirt).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
    const png = Buffer.from(await (await postImage(stack, turned, { key })).arrayBuffer());
    expect(await sharp(png).metadata()).toMatchObject({ width: 480, height: 600 });
  });

  test.each(['png', 'webp'] as const)('accepts %s too', async (format) => {
    const image = await drawnShirt({ width: 300, height: 200, format });
    const png = Buffer.from(await (await postImage(stack, image, { key })).arrayBuffer());
    expect(await sharp(png).metadata()).toMatchObject({ width: 300, height: 200 });
  });

  test('does not use a file name as a path', async () => {
    const response = await postForm(stack, formOf(['image', shirt, '../../etc/passwd']), { key });
    expect(response.status).toBe(200);
  });
});

describe('a removal is rejected', () => {
  const [INVALID, LARGE] = ['invalid-request', 'payload-too-large'] as const;
  const MEDIA = 'unsupported-media-type';
  const NOISE = Buffer.alloc(9000, 7);
  const typed = (type: string) => ({ headers: { 'content-type': type } });
  const images: [what: string, image: () => Buffer | Promise<Buffer>, type: ProblemType][] = [
    ['bytes that are no image', () => Buffer.from('hello, world'), MEDIA],
    ['only the first bytes of a JPEG', () => shirt.subarray(0, 12), INVALID],
    ['a JPEG cut short', () => shirt.subarray(0, Math.floor(shirt.length / 2)), INVALID],
    ['noise after a JPEG header', () => Buffer.concat([shirt.subarray(0, 700), NOISE]), INVALID],
    ['too many pixels', () => claimedPng(8192, 6145), LARGE],
    ['too long a side', () => claimedPng(16_385, 2), LARGE],
    ['too many bytes', () => Buffer.concat([shirt, Buffer.alloc(MAX_IMAGE_BYTES)]), LARGE],
    ['many times too many bytes', () => Buffer.alloc(4 * MAX_IMAGE_BYTES, 0xff), LARGE],
  ];
  test.each(images)('with %s', async (_, image, type) => {
    await expectProblem(await postImage(stack, await image(), { key }), type);
  });

  const HELLO = '{"image_base64":"aGVsbG8="}';
  const bodies: [what: string, body: string, sent: Sent, type: ProblemType][] = [
    ['JSON without return_base64', HELLO, { query: '' }, INVALID],
    ['a data URL of text', '{"image_base64":"data:text/html;base64,aGVsbG8="}', {}, MEDIA],
    ['return_base64=maybe', HELLO, { query: '?return_base64=maybe' }, INVALID],
    ['XML', '<a/>', typed('application/xml'), MEDIA],
    ['a multipart body without a part', 'hello', typed('multipart/form-data; boundary=b'), INVALID],
  ];
  test.each(bodies)('with %s', async (_, body, sent, type) => {
    await expectProblem(await postBody(stack, body, { key, ...sent }), type);
  });

  test('with a pointer to the invalid JSON member', async () => {
    const response = await postBody(stack, '{"image_base64":"***"}', { key });
    const problem = await expectProblem(response, 'invalid-request');
    expect(problem.errors).toEqual([{ pointer: '/image_base64', detail: expect.any(String) }]);
  });

  test('without a key, with an unknown key, and with a malformed key', async () => {
    for (const wrong of [undefined, 'slv_nonsense', `${key.slice(0, -1)}x`]) {
      const response = await postImage(stack, shirt, { key: wrong });
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      await expectProblem(response, 'unauthorized');
    }
    const basic = await postImage(stack, shirt, { headers: { authorization: 'Basic YTpi' } });
    await expectProblem(basic, 'unauthorized');
  });

  test('in base64 if the key does not allow it; binary responses still work', async () => {
    const { key: binaryKey } = await stack.key({ allowBase64: false });
    const inBase64 = await postBase64(stack, shirt.toString('base64'), { key: binaryKey });
    await expectProblem(inBase64, 'base64-not-allowed');
    expect((await postImage(stack, shirt, { key: binaryKey })).status).toBe(200);
  });

  test('over the rate limit, with the time to retry', async () => {
    const { key: slow } = await stack.key({ rate: { count: 1, periodSeconds: 3600 } });
    expect((await postImage(stack, shirt, { key: slow })).status).toBe(200);
    const response = await postImage(stack, shirt, { key: slow });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(response.headers.get('ratelimit-remaining')).toBe('0');
    await expectProblem(response, 'rate-limit-exceeded');
  });

  test('without charging the quota: only successes count', async () => {
    const { key: two } = await stack.key({ quotaPerDay: 2 });
    const post = (image: Buffer) => postImage(stack, image, { key: two });
    for (let i = 0; i < 3; i++)
      await expectProblem(await post(Buffer.from('no image')), 'unsupported-media-type');
    await expectProblem(await post(shirt.subarray(0, 5000)), 'invalid-request');
    for (let i = 0; i < 2; i++) expect((await post(shirt)).status).toBe(200);
    const response = await post(shirt);
    const untilMidnight = 86_400 - ((Date.now() / 1000) % 86_400);
    expect(Math.abs(Number(response.headers.get('retry-after')) - untilMidnight)).toBeLessThan(5);
    await expectProblem(response, 'quota-exceeded');
  });

  test('if its body stops half-way, and the gateway goes on', async () => {
    const head = [
      'POST /bg/v1/background-removals HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 100000',
      'Connection: close',
      '',
      '--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\nabc',
    ].join('\r\n');
    await rawExchange(stack.url, head, true);
    expect((await postImage(stack, shirt, { key })).status).toBe(200);
  });
});

test('no blob of any request, successful or rejected, stays in storage', async () => {
  await expect.poll(() => stack.stored(`/${segment(record.client)}/`)).toEqual([]);
});

test('no key, image byte or base64 is ever logged', async () => {
  const canary = 'Q0FOQVJZLU9GLVNFTFZBR0U';
  const marked = Buffer.concat([shirt, Buffer.from('CANARY-OF-SELVAGE')]);
  await postImage(stack, marked, { key });
  await postBase64(stack, `${marked.toString('base64')}${canary}`, { key });
  await postBody(stack, `{"image_base64":"${canary}***"}`, { key });
  await postBody(stack, `{"image_base64":"${canary}`, { key });
  await postImage(stack, shirt, { key: `${key}${canary}` });
  await postForm(stack, formOf([canary, marked, canary]), { key });
  await fetch(`${stack.url}/${canary}?key=${canary}`);
  const logs = await stack.logs();
  expect(logs).toContain('"msg":"request"');
  expect(logs).toContain('"msg":"job"');
  const keys = [key, key.slice(12)];
  for (const secret of [canary, 'CANARY-OF-SELVAGE', ...keys, marked.toString('base64').slice(-40)])
    expect(logs).not.toContain(secret);
});
