import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FeedServer, faults, startFeedServer } from '../support/feed-server.ts';
import { drawnShirt } from '../support/images.ts';
import {
  askAccount,
  postBodyToDoor,
  postToDoor,
  refusalOf,
  type SentToDoor,
} from '../support/remove-bg.ts';
import { type Stack, startStack } from '../support/stack.ts';

const MAX_BYTES = 300_000;

const InJson = z.object({ data: z.looseObject({ result_b64: z.string() }) });
const Account = z.object({
  data: z.object({
    attributes: z.object({ credits: z.object({ total: z.number() }).loose(), api: z.unknown() }),
  }),
});

let stack: Stack;
let web: FeedServer;
let key: string;
let shirt: Buffer;
let wall: Buffer;
beforeAll(async () => {
  const settings = { FETCH_ALLOW: '127.0.0.0/8', MAX_IMAGE_BYTES: String(MAX_BYTES) };
  [stack, web] = await Promise.all([
    startStack({ ...settings, MAX_IMAGE_PIXELS: '1000000' }),
    startFeedServer(),
  ]);
  key = (await stack.key()).key;
  shirt = await drawnShirt({ width: 800, height: 600, format: 'jpeg' });
  const green = { width: 64, height: 64, channels: 3, background: '#00a000' } as const;
  wall = await sharp({ create: green }).png().toBuffer();
  web.put('/shirt.jpg', { body: shirt, type: 'image/jpeg' });
  web.put('/wall.png', { body: wall, type: 'image/png' });
  web.put('/page.html', faults.htmlPage);
});
afterAll(async () => {
  await Promise.all([stack.stop(), web.close()]);
});

const post = (sent: SentToDoor) =>
  postToDoor(stack, { key, ...sent, files: { image_file: shirt, ...sent.files } });
const postAlone = (sent: SentToDoor) => postToDoor(stack, { key, ...sent });

const bytesOf = async (response: Response): Promise<Buffer> =>
  Buffer.from(await response.arrayBuffer());

async function pictureOf(response: Response) {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const bytes = await bytesOf(response);
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray(
      (y * info.width + x) * info.channels,
      (y * info.width + x + 1) * info.channels,
    ),
  ];
  return {
    headers: response.headers,
    bytes,
    ...info,
    at,
    type: response.headers.get('content-type'),
  };
}

const picture = async (
  fields: Record<string, string> = {},
  files: Record<string, Uint8Array> = {},
) => pictureOf(await post({ fields: { size: 'full', ...fields }, files }));

describe('the picture', () => {
  test('is a preview of a quarter megapixel unless a size is asked for, with all headers', async () => {
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

  test('has no X-Type where none is asked for, and the one that the client knows', async () => {
    expect((await post({ fields: { type_level: 'none' } })).headers.has('x-type')).toBe(false);
    expect((await post({ fields: { type: 'product' } })).headers.get('x-type')).toBe('product');
  });

  test('comes out of every kind of body', async () => {
    const base64 = shirt.toString('base64');
    const json = { 'content-type': 'application/json' };
    const { bytes } = await picture();
    const address = `${web.origin}/shirt.jpg`;
    const answers = await Promise.all([
      postAlone({ fields: { image_file_b64: base64, size: 'full' } }),
      postAlone({ fields: { image_url: address, size: 'full' } }),
      postBodyToDoor(stack, key, new URLSearchParams({ image_file_b64: base64, size: 'full' })),
      postBodyToDoor(stack, key, new URLSearchParams({ image_url: address, size: 'full' })),
      postBodyToDoor(stack, key, JSON.stringify({ image_file_b64: base64, size: 'full' }), json),
      postBodyToDoor(
        stack,
        key,
        JSON.stringify({ image_url: address, size: '4k', crop: false }),
        json,
      ),
    ]);
    for (const answer of answers) expect((await pictureOf(answer)).bytes.equals(bytes)).toBe(true);
  });

  test('comes as JSON where only that is accepted, and as bytes where anything is', async () => {
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

  test('is let in with a bearer key as well', async () => {
    const headers = { authorization: `Bearer ${key}` };
    expect((await post({ key: undefined, headers })).status).toBe(200);
  });
});

describe('a parameter', () => {
  test('format', async () => {
    const [jpeg, webp] = await Promise.all([
      picture({ format: 'jpg' }),
      picture({ format: 'webp' }),
    ]);
    expect(jpeg).toMatchObject({ type: 'image/jpeg', channels: 3, width: 800, height: 600 });
    expect(jpeg.at(3, 3).every((colour) => colour > 250)).toBe(true);
    expect(webp).toMatchObject({ type: 'image/webp', channels: 4, width: 800, height: 600 });
  });

  test('format zip: the colours and the matte, to be put together', async () => {
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

  test('crop and crop_margin', async () => {
    const [whole, cropped, wide] = await Promise.all([
      picture(),
      picture({ crop: 'true' }),
      picture({ crop: 'true', crop_margin: '10px 20px' }),
    ]);
    const width = Number(whole.headers.get('x-foreground-width'));
    const height = Number(whole.headers.get('x-foreground-height'));
    expect(cropped).toMatchObject({ width, height });
    expect(wide).toMatchObject({ width: width + 40, height: height + 20 });
    expect(wide.headers.get('x-foreground-left')).toBe('20');
  });

  test('scale and position', async () => {
    const { headers, width, height } = await picture({ scale: '50%', position: '0% 100%' });
    expect({ width, height }).toEqual({ width: 800, height: 600 });
    expect(headers.get('x-foreground-left')).toBe('0');
    expect(headers.get('x-foreground-height')).toBe('300');
    expect(headers.get('x-foreground-top')).toBe('300');
  });

  test('roi', async () => {
    const { at } = await picture({ roi: '0% 0% 50% 100%' });
    expect(at(300, 300)[3]).toBeGreaterThan(200);
    expect(at(500, 300)[3]).toBe(0);
  });

  test('channels alpha', async () => {
    const mask = await picture({ channels: 'alpha' });
    expect(await sharp(mask.bytes).metadata()).toMatchObject({ format: 'png', channels: 1 });
    expect(mask.at(3, 3)).toEqual([0, 0, 0]);
    expect(mask.at(400, 300)).toEqual([255, 255, 255]);
  });

  test('bg_color', async () => {
    const [opaque, half] = await Promise.all([
      picture({ bg_color: '81d4fa' }),
      picture({ bg_color: '#81d4fa80' }),
    ]);
    expect(opaque.type).toBe('image/jpeg');
    for (const [i, colour] of [0x81, 0xd4, 0xfa].entries()) {
      expect(Math.abs((opaque.at(3, 3)[i] ?? 0) - colour)).toBeLessThan(4);
    }
    expect(half.type).toBe('image/png');
    expect(half.at(3, 3)).toEqual([0x81, 0xd4, 0xfa, 0x80]);
  });

  test('bg_image_file and bg_image_url', async () => {
    const [sent, fetched] = await Promise.all([
      picture({ format: 'png' }, { bg_image_file: wall }),
      picture({ format: 'png', bg_image_url: `${web.origin}/wall.png` }),
    ]);
    expect(sent.at(3, 3)).toEqual([0, 0xa0, 0, 255]);
    expect(fetched.bytes.equals(sent.bytes)).toBe(true);
  });

  test('shadow_type, shadow_opacity and semitransparency', async () => {
    const plain = await picture();
    const changed = await Promise.all([
      picture({ add_shadow: 'true' }),
      picture({ shadow_type: 'drop', shadow_opacity: '90' }),
      picture({ semitransparency: 'false' }),
    ]);
    const [soft, strong, solid] = changed.map(({ bytes }) => bytes);
    expect(soft?.equals(plain.bytes)).toBe(false);
    expect(strong?.equals(soft ?? plain.bytes)).toBe(false);
    expect(solid).toBeDefined();
  });
});

describe('a refusal', () => {
  const refused = async (response: Promise<Response>) => refusalOf(await response);
  const bad = (code: string) => ({ status: 400, codes: [code] });

  test('of a parameter names it', async () => {
    const response = post({ fields: { size: 'huge', scale: '5%' } });
    expect(await refused(response)).toEqual({
      status: 400,
      codes: ['invalid_size', 'invalid_scale'],
    });
  });

  test('of a source', async () => {
    const image_url = `${web.origin}/shirt.jpg`;
    expect(await refused(postAlone({ fields: { size: 'full' } }))).toEqual(bad('missing_source'));
    expect(await refused(post({ fields: { image_url } }))).toEqual(bad('multiple_sources'));
    const none = fetch(`${stack.url}/compat/removebg/v1.0/removebg`, {
      method: 'POST',
      headers: { 'x-api-key': key },
    });
    expect(await refused(none)).toEqual(bad('missing_source'));
  });

  test('of a file', async () => {
    const send = (image_file: Uint8Array) => refused(postAlone({ files: { image_file } }));
    const large = await drawnShirt({ width: 1200, height: 1000, format: 'webp' });
    expect(await send(Buffer.from('%PDF-1.7 not an image'))).toEqual(bad('invalid_file_type'));
    expect(await send(shirt.subarray(0, 2000))).toEqual(bad('failed_to_read_image'));
    expect(await send(Buffer.alloc(MAX_BYTES + 1))).toEqual(bad('file_too_large'));
    expect(await send(large)).toEqual(bad('resolution_too_high'));
  });

  test('of an address', async () => {
    const send = (image_url: string) => refused(postAlone({ fields: { image_url } }));
    expect(await send('shirt.jpg')).toEqual(bad('invalid_image_url'));
    expect(await send(`${web.origin}/none.jpg`)).toEqual(bad('failed_image_download'));
    expect(await send('http://10.0.0.1/shirt.jpg')).toEqual(bad('failed_image_download'));
    expect(await send('http://127.0.0.1:1/shirt.jpg')).toEqual(bad('failed_image_download'));
    expect(await send(`${web.origin}/page.html`)).toEqual(bad('invalid_file_type'));
    const bg_image_url = `${web.origin}/none.jpg`;
    expect(await refused(post({ fields: { bg_image_url } }))).toEqual(bad('failed_bg_download'));
  });

  test('of what shows nothing, and of a region that does not lie in it', async () => {
    const clear = { width: 300, height: 300, channels: 4, background: '#0000' } as const;
    const blank = await sharp({ create: clear }).png().toBuffer();
    const nothing = refused(postAlone({ files: { image_file: blank } }));
    expect(await nothing).toEqual(bad('unknown_foreground'));
    const beyond = refused(post({ fields: { roi: '900px 0px 1000px 100px' } }));
    expect(await beyond).toEqual(bad('roi_exceeds_bounds'));
  });

  test('of a key', async () => {
    const other = (await stack.key({ scopes: ['taxonomy:classify'] })).key;
    for (const wrong of [undefined, 'slv_nonsense', other]) {
      const response = await post({ key: wrong });
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await refusalOf(response)).toEqual({ status: 403, codes: ['auth_failed'] });
    }
    expect(await refused(askAccount(stack, undefined))).toMatchObject({ status: 403 });
  });

  test('of base64 to a key that may not have it', async () => {
    const plain = (await stack.key({ allowBase64: false })).key;
    const headers = { accept: 'application/json' };
    const refusal = { status: 403, codes: ['base64_not_allowed'] };
    expect(await refused(post({ key: plain, headers }))).toEqual(refusal);
    expect((await post({ key: plain })).status).toBe(200);
  });

  test('of one request too many', async () => {
    const slow = (await stack.key({ client: 'slow', rate: { count: 1, periodSeconds: 60 } })).key;
    expect((await askAccount(stack, slow)).status).toBe(200);
    const response = await post({ key: slow });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-ratelimit-limit')).toBe('1');
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await refusalOf(response)).toEqual({ status: 429, codes: ['rate_limit_exceeded'] });
  });

  test('of a body or a method that is not taken', async () => {
    const xml = postBodyToDoor(stack, key, '<x/>', { 'content-type': 'text/xml' });
    expect(await refused(xml)).toEqual({ status: 415, codes: ['unsupported_media_type'] });
    const broken = postBodyToDoor(stack, key, '{', { 'content-type': 'application/json' });
    expect(await refused(broken)).toEqual(bad('invalid_request'));
    const sentTwice = new FormData();
    for (const size of ['full', 'hd']) sentTwice.append('size', size);
    expect(await refused(postBodyToDoor(stack, key, sentTwice))).toEqual(bad('invalid_request'));
    const long = 'A'.repeat(400_000);
    const endless = { image_file_b64: long, image_url: long };
    expect(await refused(postAlone({ fields: endless }))).toEqual(bad('file_too_large'));
    const put = fetch(`${stack.url}/compat/removebg/v1.0/account`, { method: 'DELETE' });
    expect(await refused(put)).toEqual({ status: 405, codes: ['method_not_allowed'] });
  });
});

test('the account says what is left of the day, and the last credit is the last', async () => {
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
  expect(await refusalOf(response)).toEqual({ status: 402, codes: ['insufficient_credits'] });
});
