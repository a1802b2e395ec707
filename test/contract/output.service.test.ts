import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { segment } from '../../src/storage/blob-keys.ts';
import { uploadedRow } from '../support/batches.ts';
import { formWith, postBody, postForm } from '../support/client.ts';
import { claimedPng, drawnShirtOnWood } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { plantServer, serve } from '../support/servers.ts';
import { useSharedStack } from '../support/use-stack.ts';

const SIDE = 400;

const { stack, key, record, intake, batches } = await useSharedStack();
const shirt = await drawnShirtOnWood({ width: SIDE, height: SIDE, format: 'jpeg' });
const blue = sharp({ create: { width: 60, height: 20, channels: 3, background: '#0000ff' } });
/** Blue above, yellow below. */
const ground = await blue.extend({ bottom: 20, background: '#ffff00' }).png().toBuffer();

type Fields = Record<string, string>;

const removal = (fields: Fields, image = shirt, background?: Uint8Array): FormData =>
  formWith({ image, ...fields, ...(background && { backgroundImage: background }) });

const ask = (fields: Fields, image?: Buffer, background?: Uint8Array): Promise<Response> =>
  postForm(stack, removal(fields, image, background), { key });

async function bytesOf(response: Response): Promise<Buffer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status, bytes.subarray(0, 500).toString()).toBe(200);
  return bytes;
}

const made = async (fields: Fields, background?: Uint8Array): Promise<Buffer> =>
  bytesOf(await ask(fields, shirt, background));

async function base64Answer(body: string): Promise<Buffer> {
  const answer: unknown = await (await postBody(stack, body, { key })).json();
  return Buffer.from(z.object({ image_base64: z.string() }).parse(answer).image_base64, 'base64');
}

/** Red, green, blue and alpha of one pixel. */
async function pixel(file: Buffer, left: number, top: number): Promise<number[]> {
  const one = sharp(file).ensureAlpha().extract({ left, top, width: 1, height: 1 });
  return [...(await one.raw().toBuffer())];
}

const WHITE = [255, 255, 255, 255];
const ASKED = { crop: 'true', cropMargin: '10px', format: 'jpeg' };

describe('the response', () => {
  test('has the confidence, as a file, in base64 and from a job', async () => {
    const plain = await ask({});
    const sure = plain.headers.get('x-cutout-confidence');
    expect(sure).toMatch(/^[01]\.\d{3}$/);
    const base64 = JSON.stringify({ image_base64: shirt.toString('base64') });
    const { id } = await intake.done(shirt);
    for (const other of [await postBody(stack, base64, { key }), await intake.result(id)]) {
      expect(other.headers.get('x-cutout-confidence')).toBe(sure);
    }
  });

  test('says why a person should look at a blurred photo, wherever it has the cut-out', async () => {
    const blurred = await sharp(shirt).blur(8).jpeg().toBuffer();
    const headersOf = ({ headers }: Response) => [
      headers.get('x-cutout-review-needed'),
      headers.get('x-cutout-review'),
    ];
    const [needed, reasons] = headersOf(await ask({}, blurred));
    expect(needed).toBe('true');
    expect(reasons?.split(', ')).toContain('blurred');
    const { id } = await readJob(await intake.post(blurred));
    const { results } = await intake.until(id, 'succeeded');
    const review = { needed: true, reasons: reasons?.split(', ') };
    expect(results?.cutout).toMatchObject({ review });
    expect(headersOf(await intake.result(id))).toEqual([needed, reasons]);
    const { id: cached } = await readJob(await intake.post(blurred));
    expect((await intake.until(cached, 'succeeded')).results?.cutout).toMatchObject({ review });
  });

  test('names no reasons if there is nothing to look at', async () => {
    const { headers } = await ask({});
    expect(headers.get('x-cutout-review-needed')).toBe('false');
    expect(headers.get('x-cutout-review')).toBeNull();
  });

  test('has the same bytes whether fields are empty, default or absent', async () => {
    const plain = await made({});
    const empty = { format: '', backgroundColor: '', crop: '', roi: '', backgroundImage: '' };
    expect((await made(empty)).equals(plain)).toBe(true);
    const named = { format: 'png', channels: 'rgba', crop: 'false', scale: 'original' };
    expect((await made(named)).equals(plain)).toBe(true);
  });

  test.each<[Fields, object]>([
    [{ format: 'jpeg' }, { format: 'jpeg', channels: 3, width: SIDE }],
    [{ format: 'webp' }, { format: 'webp', channels: 4, width: SIDE }],
    [{ channels: 'alpha' }, { format: 'png', channels: 1, width: SIDE }],
    [
      { channels: 'alpha', format: 'jpeg' },
      { format: 'jpeg', channels: 1 },
    ],
    [{ maxOutputMegapixels: '0.04' }, { format: 'png', width: 200, height: 200 }],
  ])('to %j is %j, without metadata', async (fields, expected) => {
    const response = await ask(fields);
    const metadata = await sharp(await bytesOf(response)).metadata();
    expect(metadata).toMatchObject(expected);
    expect(response.headers.get('content-type')).toBe(`image/${metadata.format}`);
    for (const name of ['exif', 'icc', 'xmp'] as const) expect(metadata[name]).toBeUndefined();
  });

  test('in base64 has the requested format', async () => {
    const asked = { image_base64: shirt.toString('base64'), ...ASKED, crop: true };
    const file = await base64Answer(JSON.stringify(asked));
    expect(file.equals(await made(ASKED))).toBe(true);
  });
});

const Size = z.object({ width: z.number(), height: z.number() });
const CutOut = Size.extend({ foreground: Size.extend({ left: z.number(), top: z.number() }) });

/** Runs a job; returns it with its file. */
async function done(options: object, more: object = {}) {
  const imageBase64 = shirt.toString('base64');
  const { id } = await readJob(await intake.postJson({ imageBase64, options, ...more }));
  const job = await intake.until(id, 'succeeded');
  const result = await intake.result(id);
  const cutout = CutOut.parse(job.results?.cutout);
  return { job, cutout, result, file: Buffer.from(await result.arrayBuffer()) };
}

describe('an image that is transparent already', () => {
  /** Half transparent in its middle, opaque below, clear elsewhere. */
  function transparent(): Promise<Buffer> {
    const [width, height] = [200, 120];
    const data = Buffer.alloc(4 * width * height, Buffer.from([9, 9, 9, 0]));
    for (let y = 20; y < 100; y++) {
      const colour = y < 60 ? [200, 30, 40, 128] : [10, 120, 60, 255];
      for (let x = 40; x < 160; x++) data.set(colour, 4 * (y * width + x));
    }
    return sharp(data, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer();
  }
  const keep = { alpha: 'keep' };

  test('keeps its alpha and its colours, and the response says so', async () => {
    const image = await transparent();
    const response = await ask(keep, image);
    expect(response.headers.get('x-cutout-alpha')).toBe('kept');
    expect(response.headers.get('x-cutout-review-needed')).toBe('false');
    const file = await bytesOf(response);
    for (const [left, top] of [
      [0, 0],
      [100, 40],
      [100, 80],
    ] as const) {
      const [, , , alpha] = await pixel(image, left, top);
      const expected = alpha === 0 ? [0, 0, 0, 0] : await pixel(image, left, top);
      const found = await pixel(file, left, top);
      expect(alpha === 0 ? [0, 0, 0, found[3]] : found).toEqual(expected);
    }
    const options = { ...keep, crop: 'true', backgroundColor: 'white' };
    const cropped = await sharp(await bytesOf(await ask(options, image))).metadata();
    expect(cropped).toMatchObject({ width: 120, height: 80 });
    expect((await ask({}, image)).headers.get('x-cutout-alpha')).toBeNull();
  });

  test('an image without transparency is cut out as usual', async () => {
    const response = await ask(keep);
    expect(response.headers.get('x-cutout-alpha')).toBeNull();
    const file = await bytesOf(response);
    expect(file.equals(await made({}))).toBe(true);
    const opaque = await sharp(shirt).ensureAlpha().png().toBuffer();
    expect((await ask(keep, opaque)).headers.get('x-cutout-alpha')).toBeNull();
  });

  test('keeps it in jobs and batches too, whose results say so', async () => {
    const image = await transparent();
    const options = JSON.stringify(keep);
    // The second is found among earlier results.
    for (let i = 0; i < 2; i++) {
      const { id } = await readJob(await intake.post(image, { options }));
      const { results } = await intake.until(id, 'succeeded');
      expect(results?.cutout).toMatchObject({ alpha: 'kept', confidence: 1 });
      expect((await intake.result(id)).headers.get('x-cutout-alpha')).toBe('kept');
    }
    const rows = [uploadedRow('0', image), uploadedRow('1', shirt)];
    const id = await batches.completed(rows.join(''), { options: keep });
    const cutouts = (await batches.lines(id, 'results')).map(({ cutout }) => cutout);
    expect(cutouts[0]).toMatchObject({ alpha: 'kept' });
    expect(cutouts[1]).not.toHaveProperty('alpha');
  });

  test('is not looked into at the same time', async () => {
    for (const field of [{ roi: '0% 0% 50% 50%' }, { subject: 'person' }, { shadow: 'keep' }]) {
      const [name] = Object.keys(field);
      const reply = await (await ask({ ...keep, ...(field as Fields) })).json();
      expect(reply).toMatchObject({ status: 400, errors: [{ pointer: `/${name}` }] });
    }
    const unknown = await (await ask({ alpha: 'yes' })).json();
    expect(unknown).toMatchObject({ status: 400, errors: [{ pointer: '/alpha' }] });
  });
});

describe('geometry', () => {
  test('a crop with a margin has exactly the pixels of the uncropped image', async () => {
    const { cutout, file } = await done({ crop: true });
    const { width, height, foreground } = cutout;
    expect(foreground).toEqual({ left: 0, top: 0, width, height });
    const { cutout: whole, file: all } = await done({});
    const cut = await sharp(all).extract(whole.foreground).raw().toBuffer();
    expect(cut.equals(await sharp(file).raw().toBuffer())).toBe(true);
  });

  test('a scaled subject is in the centre of a canvas as large as the image', async () => {
    const { cutout, file } = await done({ scale: '50%', backgroundColor: 'lime', format: 'jpeg' });
    const { width, height, foreground } = cutout;
    expect([width, height]).toEqual([SIDE, SIDE]);
    expect(foreground).toMatchObject({ left: 100, width: 200 });
    expect(await pixel(file, 90, 200)).toEqual([0, 255, expect.closeTo(0, -1), 255]);
    expect((await pixel(file, 200, 200))[2]).toBeGreaterThan(80); // blue cloth
  });

  test('everything outside of a region is transparent', async () => {
    const file = await made({ roi: '0% 0% 50% 100%' });
    const right = sharp(file).extract({ left: 200, top: 0, width: 200, height: SIDE });
    const alphas = await right.extractChannel(3).raw().toBuffer();
    expect(alphas.every((alpha) => alpha === 0)).toBe(true);
    expect((await pixel(file, 150, 200))[3]).toBe(255);
  });
});

describe('behind the subject', () => {
  test('a JPEG is white by default', async () => {
    expect(await pixel(await made(ASKED), 1, 1)).toEqual(WHITE);
  });

  test('a colour may be translucent', async () => {
    const expected = [255, 0, 0, 128];
    expect(await pixel(await made({ backgroundColor: '#ff000080' }), 2, 2)).toEqual(expected);
  });

  test('an image covers the canvas, however it was sent', async () => {
    const { origin } = await plantServer(serve(ground, { 'content-type': 'image/png' }));
    const sent = await made({}, ground);
    expect(await pixel(sent, 5, 5)).toEqual([0, 0, 255, 255]);
    expect(await pixel(sent, 5, 395)).toEqual([255, 255, 0, 255]);
    const fetched = await made({ backgroundImageUrl: `${origin}/ground.png` });
    expect(fetched.equals(sent)).toBe(true);
    const [image_base64, backgroundImageBase64] = [shirt, ground].map((it) =>
      it.toString('base64'),
    );
    const json = JSON.stringify({ image_base64, backgroundImageBase64 });
    expect((await base64Answer(json)).equals(sent)).toBe(true);
  });

  test('a shadow falls below the subject and not far from it', async () => {
    const file = await made({ shadow: 'drop', shadowOpacityPct: '100' });
    const [plain, shaded] = await Promise.all(
      [await made({}), file].map((it) => sharp(it).extractChannel(3).raw().toBuffer()),
    );
    const at = (x: number, y: number) => y * SIDE + x;
    expect(plain?.[at(200, 354)]).toBeLessThan(20);
    expect(shaded?.[at(200, 354)]).toBeGreaterThan(60);
    expect(shaded?.[at(5, 5)]).toBe(0);
  });
});

describe('a request is rejected that', () => {
  test.each<[string, Fields, string]>([
    ['has a region outside of the image', { roi: '400px 0px 500px 90px' }, 'roi'],
    ['has a margin and no crop', { cropMargin: '5%' }, 'cropMargin'],
  ])('%s', async (_, fields, field) => {
    const expected = { type: 'invalid-request', status: 400, errors: [{ pointer: `/${field}` }] };
    expect(await (await ask(fields)).json()).toMatchObject(expected);
  });

  test('has an invalid background', async () => {
    const whole = await drawnShirtOnWood({ width: 90, height: 90, format: 'png' });
    const answers = [
      [Buffer.from('no picture at all'), 415],
      [claimedPng(8192, 6145), 413],
      [whole.subarray(0, 4000), 400],
    ] as const;
    for (const [background, status] of answers) {
      const response = await ask({}, shirt, background);
      const expected = { status, detail: expect.stringMatching(/^The background/) };
      expect(await response.json()).toMatchObject(expected);
    }
  });

  test('has no subject to crop to', async () => {
    const clear = { width: 300, height: 300, channels: 4, background: '#80808000' } as const;
    const image = await sharp({ create: clear }).png().toBuffer();
    const expected = { type: 'unprocessable-image' };
    expect(await (await ask({ crop: 'true' }, image)).json()).toMatchObject(expected);
    expect((await ask({}, image)).status).toBe(200);
  });
});

describe('a job', () => {
  test('has the media type of its file, and other options give another file', async () => {
    const options = { format: 'webp', crop: true };
    const { job, result, file } = await done(options);
    expect(job).toMatchObject({ options, results: { cutout: { mediaType: 'image/webp' } } });
    expect(result.headers.get('content-type')).toBe('image/webp');
    expect((await sharp(file).metadata()).format).toBe('webp');
    const again = await done({ crop: true, format: 'webp', channels: 'rgba' });
    expect(again.file.equals(file)).toBe(true);
    expect((await done({})).result.headers.get('content-type')).toBe('image/png');
    const redirect = { redirect: 'manual' } as const;
    const link = await intake.ask('GET', `/jobs/${job.id}/result?delivery=redirect`, redirect);
    const named = await fetch(new URL(link.headers.get('location') ?? '', stack.url));
    expect(named.url).toContain(`${job.id}.webp`);
    expect(named.headers.get('content-type')).toBe('image/webp');
  });

  test('has a background of its own, and leaves nothing of it in storage', async () => {
    const backgroundImageBase64 = ground.toString('base64');
    const { job, file } = await done({ format: 'jpeg' }, { backgroundImageBase64 });
    expect(await pixel(file, 5, 5)).toEqual([0, 0, 254, 255]);
    const form = removal({ format: 'jpeg' }, shirt, ground);
    const preferred = await postForm(stack, form, { key, headers: { prefer: 'wait=20' } });
    expect((await bytesOf(preferred)).equals(file)).toBe(true);
    await expect.poll(() => stack.stored(`/${segment(record.client)}/`, 'background')).toEqual([]);
    expect(await (await intake.erase(job.id)).json()).toMatchObject({ blobs: 1 });
  });

  test('is rejected with an unknown option and with options that conflict', async () => {
    const imageBase64 = shirt.toString('base64');
    const onGround = { backgroundImageBase64: ground.toString('base64') };
    const invalid = [
      [{ options: { backgroundColour: 'red' } }, '/options/backgroundColour'],
      [{ options: { channels: 'alpha', shadow: 'drop' } }, '/options/shadow'],
      [{ options: { backgroundColor: 'red' }, ...onGround }, '/options/backgroundImage'],
    ] as const;
    for (const [body, pointer] of invalid) {
      const response = await intake.postJson({ imageBase64, ...body });
      expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer }] });
    }
  });
});

test('the rows of a batch share one background, fetched once', async () => {
  const { origin, requests } = await plantServer(serve(ground, { 'content-type': 'image/png' }));
  const backgroundImageUrl = `${origin}/ground.png`;
  const rows = ['a', 'b', 'c', 'd', 'e'].map((name) => uploadedRow(name, shirt));
  const options = { format: 'jpeg', backgroundImageUrl };
  const id = await batches.completed(rows.join(''), { options });
  const lines = await batches.lines(id, 'results');
  expect(lines).toHaveLength(5);
  const expected = { cutout: { mediaType: 'image/jpeg', foreground: expect.anything() } };
  expect(lines[0]).toMatchObject(expected);
  expect(requests).toHaveLength(1);
  const response = await intake.ask('GET', `/batches/${id}/rows/1/cutout`);
  expect(response.headers.get('content-type')).toBe('image/jpeg');
  expect(await pixel(Buffer.from(await response.arrayBuffer()), 5, 5)).toEqual([0, 0, 254, 255]);
});
