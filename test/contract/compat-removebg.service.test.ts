import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/platform/config.ts';
import { badResponses } from '../support/feed-server.ts';
import { claimedPng, drawnShirt, readPixels } from '../support/images.ts';
import {
  askAccount,
  type CompatForm,
  postCompatBody,
  postCompatForm,
  readRejection,
} from '../support/remove-bg.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { MAX_IMAGE_BYTES } = readConfig({});

const InJson = z.object({ data: z.looseObject({ result_b64: z.string() }) });
const Account = z.object({
  data: z.object({
    attributes: z.object({ credits: z.object({ total: z.number() }).loose(), api: z.unknown() }),
  }),
});

const { stack, shop: web, key } = await useCatalogue();
const shirt = await drawnShirt({ width: 800, height: 600, format: 'jpeg' });
const green = { width: 64, height: 64, channels: 3, background: '#00a000' } as const;
const wall = await sharp({ create: green }).png().toBuffer();
web.put('/shirt.jpg', { body: shirt, type: 'image/jpeg' });
web.put('/wall.png', { body: wall, type: 'image/png' });
web.put('/page.html', badResponses.htmlPage);

const post = (sent: CompatForm) =>
  postCompatForm(stack, { key, ...sent, files: { image_file: shirt, ...sent.files } });
const postAlone = (sent: CompatForm) => postCompatForm(stack, { key, ...sent });

const bytesOf = async (response: Response): Promise<Buffer> =>
  Buffer.from(await response.arrayBuffer());

async function pictureOf(response: Response) {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const bytes = await bytesOf(response);
  const { headers } = response;
  return { headers, bytes, ...(await readPixels(bytes)), type: headers.get('content-type') };
}

const picture = async (
  fields: Record<string, string> = {},
  files: Record<string, Uint8Array> = {},
) => pictureOf(await post({ fields: { size: 'full', ...fields }, files }));

describe('the image', () => {
  test('is a preview of a quarter megapixel unless a size is requested, with all headers', async () => {
    const { width, height, channels, at, type, headers } = await pictureOf(await post({}));
    expect({ type, channels }).toEqual({ type: 'image/png', channels: 4 });
    expect(width * height).toBeLessThanOrEqual(250_000);
    expect(width / height).toBeCloseTo(4 / 3, 1);
    expect(at(3, 3)[3]).toBe(0);
    expect(at(width >> 1, height >> 1)[3]).toBe(255);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-type': 'other',
      'x-width': String(width),
      'x-height': String(height),
      'x-max-width': '800',
      'x-max-height': '600',
      'x-credits-charged': '1',
      'x-ratelimit-limit': '10000',
      'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'x-foreground-top': expect.stringMatching(/^\d+$/),
      'x-foreground-left': expect.stringMatching(/^\d+$/),
    });
    const now = Date.now() / 1000;
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(Math.floor(now) - 5);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThan(now + 60);
    expect(Number(headers.get('x-foreground-width'))).toBeGreaterThan(width / 4);
    expect(Number(headers.get('x-foreground-height'))).toBeGreaterThan(height / 2);
  });

  test('has the X-Type that the client knows, and none if type_level is none', async () => {
    expect((await post({ fields: { type_level: 'none' } })).headers.has('x-type')).toBe(false);
    expect((await post({ fields: { type: 'product' } })).headers.get('x-type')).toBe('product');
  });

  test('is the same from every kind of body', async () => {
    const base64 = shirt.toString('base64');
    const json = { 'content-type': 'application/json' };
    const { bytes } = await picture();
    const address = `${web.origin}/shirt.jpg`;
    const inFourK = { image_url: address, size: '4k', crop: false };
    // One after the other: a busy machine turns away more than a client's share at once.
    for (const send of [
      () => postAlone({ fields: { image_file_b64: base64, size: 'full' } }),
      () => postAlone({ fields: { image_url: address, size: 'full' } }),
      () =>
        postCompatBody(stack, key, new URLSearchParams({ image_file_b64: base64, size: 'full' })),
      () => postCompatBody(stack, key, new URLSearchParams({ image_url: address, size: 'full' })),
      () =>
        postCompatBody(stack, key, JSON.stringify({ image_file_b64: base64, size: 'full' }), json),
      () => postCompatBody(stack, key, JSON.stringify(inFourK), json),
    ])
      expect((await pictureOf(await send())).bytes.equals(bytes)).toBe(true);
  });

  test('is JSON if the client accepts only JSON, and bytes if it accepts anything', async () => {
    const { bytes, headers } = await picture();
    const fields = { size: 'full' };
    const inJson = await post({ fields, headers: { accept: 'application/json' } });
    const { data } = InJson.parse(await inJson.json());
    expect(Buffer.from(data.result_b64, 'base64').equals(bytes)).toBe(true);
    for (const side of ['top', 'left', 'width', 'height']) {
      expect(String(data[`foreground_${side}`])).toBe(headers.get(`x-foreground-${side}`));
    }
    expect(inJson.headers.get('x-width')).toBe('800');
    const accept = 'application/json, text/plain, */*';
    const asBytes = await pictureOf(await post({ fields, headers: { accept } }));
    expect(asBytes.type).toBe('image/png');
  });

  test('can be requested with a bearer key too', async () => {
    const headers = { authorization: `Bearer ${key}` };
    expect((await post({ key: undefined, headers })).status).toBe(200);
  });
});

describe('a parameter', () => {
  test('format zip: the colours and the matte, to be combined', async () => {
    const response = await post({ fields: { size: 'full', format: 'zip' } });
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('x-width')).toBe('800');
    const files = unzipSync(await bytesOf(response));
    expect(Object.keys(files).sort()).toEqual(['alpha.png', 'color.jpg']);
    const [colour, alpha] = [files['color.jpg'], files['alpha.png']].map((file) => sharp(file));
    const size = { width: 800, height: 600 };
    expect(await colour?.metadata()).toMatchObject({ format: 'jpeg', ...size, channels: 3 });
    expect(await alpha?.metadata()).toMatchObject({ format: 'png', ...size, channels: 1 });
    const matte = await sharp((await picture()).bytes)
      .extractChannel(3)
      .raw()
      .toBuffer();
    const sent = await alpha?.extractChannel(0).raw().toBuffer();
    expect(sent?.equals(matte)).toBe(true);
    const [corner = 0] = await sharp(files['color.jpg']).raw().toBuffer();
    expect(corner).toBeGreaterThan(200);
  });

  test('bg_image_file and bg_image_url', async () => {
    const [sent, fetched] = await Promise.all([
      picture({ format: 'png' }, { bg_image_file: wall }),
      picture({ format: 'png', bg_image_url: `${web.origin}/wall.png` }),
    ]);
    expect(sent.at(3, 3)).toEqual([0, 0xa0, 0, 255]);
    expect(fetched.bytes.equals(sent.bytes)).toBe(true);
  });
});

describe('a request is rejected', () => {
  const rejection = async (response: Promise<Response>) => readRejection(await response);
  const bad = (code: string) => ({ status: 400, codes: [code] });

  test('for an invalid parameter, which the response names', async () => {
    const response = post({ fields: { size: 'huge', scale: '5%' } });
    const expected = { status: 400, codes: ['invalid_size', 'invalid_scale'] };
    expect(await rejection(response)).toEqual(expected);
  });

  test('for a missing or ambiguous source', async () => {
    const image_url = `${web.origin}/shirt.jpg`;
    expect(await rejection(postAlone({ fields: { size: 'full' } }))).toEqual(bad('missing_source'));
    expect(await rejection(post({ fields: { image_url } }))).toEqual(bad('multiple_sources'));
    const none = fetch(`${stack.url}/compat/removebg/v1.0/removebg`, {
      method: 'POST',
      headers: { 'x-api-key': key },
    });
    expect(await rejection(none)).toEqual(bad('missing_source'));
  });

  test('for an invalid file', async () => {
    const send = (image_file: Uint8Array) => rejection(postAlone({ files: { image_file } }));
    expect(await send(Buffer.from('%PDF-1.7 not an image'))).toEqual(bad('invalid_file_type'));
    expect(await send(shirt.subarray(0, 2000))).toEqual(bad('failed_to_read_image'));
    expect(await send(Buffer.alloc(MAX_IMAGE_BYTES + 1))).toEqual(bad('file_too_large'));
    expect(await send(claimedPng(8192, 6145))).toEqual(bad('resolution_too_high'));
  });

  test('for an invalid or unavailable URL', async () => {
    const send = (image_url: string) => rejection(postAlone({ fields: { image_url } }));
    expect(await send('shirt.jpg')).toEqual(bad('invalid_image_url'));
    expect(await send(`${web.origin}/none.jpg`)).toEqual(bad('failed_image_download'));
    expect(await send('http://10.0.0.1/shirt.jpg')).toEqual(bad('failed_image_download'));
    expect(await send('http://127.0.0.1:1/shirt.jpg')).toEqual(bad('failed_image_download'));
    expect(await send(`${web.origin}/page.html`)).toEqual(bad('invalid_file_type'));
    const bg_image_url = `${web.origin}/none.jpg`;
    expect(await rejection(post({ fields: { bg_image_url } }))).toEqual(bad('failed_bg_download'));
  });

  test('for an image without a subject, and for a region outside of the image', async () => {
    const clear = { width: 300, height: 300, channels: 4, background: '#0000' } as const;
    const blank = await sharp({ create: clear }).png().toBuffer();
    const nothing = rejection(postAlone({ files: { image_file: blank } }));
    expect(await nothing).toEqual(bad('unknown_foreground'));
    const beyond = rejection(post({ fields: { roi: '900px 0px 1000px 100px' } }));
    expect(await beyond).toEqual(bad('roi_exceeds_bounds'));
  });

  test('without a valid key', async () => {
    const other = (await stack.key({ scopes: ['taxonomy:classify'] })).key;
    for (const wrong of [undefined, 'slv_nonsense', other]) {
      const response = await post({ key: wrong });
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await readRejection(response)).toEqual({ status: 403, codes: ['auth_failed'] });
    }
    expect(await rejection(askAccount(stack, undefined))).toMatchObject({ status: 403 });
  });

  test('for base64 if the key does not allow it', async () => {
    const plain = (await stack.key({ allowBase64: false })).key;
    const headers = { accept: 'application/json' };
    const expected = { status: 403, codes: ['base64_not_allowed'] };
    expect(await rejection(post({ key: plain, headers }))).toEqual(expected);
    expect((await post({ key: plain })).status).toBe(200);
  });

  test('over the rate limit', async () => {
    const slow = (await stack.key({ client: 'slow', rate: { count: 1, periodSeconds: 60 } })).key;
    expect((await askAccount(stack, slow)).status).toBe(200);
    const response = await post({ key: slow });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-ratelimit-limit')).toBe('1');
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await readRejection(response)).toEqual({ status: 429, codes: ['rate_limit_exceeded'] });
  });

  test('for an unsupported body or method', async () => {
    const xml = postCompatBody(stack, key, '<x/>', { 'content-type': 'text/xml' });
    expect(await rejection(xml)).toEqual({ status: 415, codes: ['unsupported_media_type'] });
    const broken = postCompatBody(stack, key, '{', { 'content-type': 'application/json' });
    expect(await rejection(broken)).toEqual(bad('invalid_request'));
    const sentTwice = new FormData();
    for (const size of ['full', 'hd']) sentTwice.append('size', size);
    expect(await rejection(postCompatBody(stack, key, sentTwice))).toEqual(bad('invalid_request'));
    const long = 'A'.repeat(1.4 * MAX_IMAGE_BYTES);
    const endless = { image_file_b64: long, image_url: long };
    expect(await rejection(postAlone({ fields: endless }))).toEqual(bad('file_too_large'));
    const put = fetch(`${stack.url}/compat/removebg/v1.0/account`, { method: 'DELETE' });
    expect(await rejection(put)).toEqual({ status: 405, codes: ['method_not_allowed'] });
  });
});

test('the account returns the credits left today, and no request succeeds without one', async () => {
  const few = (await stack.key({ client: 'few', quotaPerDay: 1 })).key;
  const creditsOf = async () =>
    Account.parse(await (await askAccount(stack, few)).json()).data.attributes;
  const credits = { payg: 0, enterprise: 0 };
  const api = { free_calls: 0, sizes: 'all' };
  expect(await creditsOf()).toEqual({ credits: { ...credits, total: 1, subscription: 1 }, api });
  const failed = await post({ key: few, fields: { size: 'huge' } });
  expect(failed.status).toBe(400);
  await expect.poll(async () => (await creditsOf()).credits.total).toBe(1);
  expect((await post({ key: few })).status).toBe(200);
  expect(await creditsOf()).toEqual({ credits: { ...credits, total: 0, subscription: 0 }, api });
  const response = await post({ key: few });
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await readRejection(response)).toEqual({ status: 402, codes: ['insufficient_credits'] });
});
