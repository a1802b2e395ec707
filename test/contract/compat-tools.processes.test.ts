import { readFile, writeFile } from 'node:fs/promises';
import { request as ask, createServer } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { answerOf, formWith } from '../support/client.ts';
import { listen } from '../support/free-port.ts';
import { drawnShirt, readPixels } from '../support/images.ts';
import { run } from '../support/processes.ts';
import { useFolder } from '../support/use-folder.ts';
import { useCatalogue } from '../support/use-stack.ts';

/** The servers that these tools know: they send no key, so a proxy adds it, as docs/compat.md shows. */
const PREFIXES = ['/compat/rembg', '/compat/withoutbg'] as const;

async function startProxy(prefix: string): Promise<string> {
  const server = createServer((near, answer) => {
    const { method, url, headers } = near;
    const far = ask(`${stack.url}${prefix}${url}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    far.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    near.pipe(far);
  });
  afterAll(() => void server.close());
  return `http://localhost:${await listen(server)}`;
}

const { stack, shop: web, key } = await useCatalogue();
const folder = await useFolder();
const [rembg = '', withoutBg = ''] = await Promise.all(PREFIXES.map(startProxy));
const shirt = await drawnShirt({ width: 300, height: 200, format: 'jpeg' });
await writeFile(join(folder, 'input.jpg'), shirt);
const address = web.put('/input.jpg', { body: shirt, type: 'image/jpeg' });

/** Runs curl in the folder of the photo, as the tools' own documentation does. */
async function curl(...args: string[]): Promise<Buffer> {
  const output = join(folder, 'output.png');
  const code = await run('curl', ['-s', '--fail', ...args, '-o', output]).exited;
  expect(code).toBe(0);
  return readFile(output);
}

const formOf = (fields: Record<string, string>, file: Uint8Array = shirt): FormData =>
  formWith({ ...fields, file });

const post = (url: string, form: FormData) => fetch(url, { method: 'POST', body: form });
const postRembg = (fields: Record<string, string>, file?: Uint8Array) =>
  post(`${rembg}/api/remove`, formOf(fields, file));
const postWithoutBg = (form: FormData) => post(`${withoutBg}/api/remove-background`, form);

const fieldError = (...loc: string[]) => ({
  status: 422,
  body: { detail: [{ type: 'value_error', loc, msg: expect.any(String) }] },
});

describe('rembg', () => {
  test('its documented calls cut out a file and a URL, in full size', async () => {
    const ofFile = await curl('-F', `file=@${join(folder, 'input.jpg')}`, `${rembg}/api/remove`);
    const ofUrl = await curl(`${rembg}/api/remove?url=${address}`);
    expect(await readPixels(ofFile)).toMatchObject({ width: 300, height: 200, channels: 4 });
    const { corner, middle } = await readPixels(ofFile);
    expect([corner[3], middle[3]]).toEqual([0, 255]);
    expect(ofUrl.equals(ofFile)).toBe(true);
  });

  test('om returns the mask, whatever the background', async () => {
    const response = await postRembg({ om: 'True', bgc: '255,0,0,255' });
    expect(response.headers.get('content-type')).toBe('image/png');
    const mask = new Uint8Array(await response.arrayBuffer());
    expect(await sharp(mask).metadata()).toMatchObject({ channels: 1 });
    expect(await readPixels(mask)).toMatchObject({ corner: [0, 0, 0], middle: [255, 255, 255] });
  });

  test('bgc is the background, in the form or in the query', async () => {
    const inForm = await postRembg({ bgc: '255,0,0,255', model: 'silueta', a: '1', ppm: 'yes' });
    const file = new Uint8Array(await inForm.arrayBuffer());
    expect((await readPixels(file)).corner.slice(0, 3)).toEqual([255, 0, 0]);
    const inQuery = await post(`${rembg}/api/remove?bgc=0,255,0,255`, formOf({}));
    const other = new Uint8Array(await inQuery.arrayBuffer());
    expect((await readPixels(other)).corner.slice(0, 3)).toEqual([0, 255, 0]);
  });

  test('fields that it does not know are ignored, as rembg does', async () => {
    const response = await postRembg({ width: '5', extras: 'no JSON', model: '', af: '240' });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  test.each([
    ['af', '256'],
    ['ae', '-1'],
    ['a', 'perhaps'],
    ['bgc', '1,2'],
    ['bgc', '1,2,3,256'],
    ['model', 'sam'],
    ['model', 'u2net_cloth_seg'],
    ['model', '__proto__'],
  ])('%s=%s is rejected as FastAPI does', async (name, value) => {
    expect(await answerOf(postRembg({ [name]: value }))).toEqual(fieldError('body', name));
  });

  test('errors of the image name its field', async () => {
    const bare = await post(`${rembg}/api/remove`, formWith({ a: 'true' }));
    expect(await answerOf(bare)).toEqual(fieldError('body', 'file'));
    const none = await fetch(`${rembg}/api/remove?url=${web.origin}/none.jpg`);
    expect(await answerOf(none)).toEqual(fieldError('query', 'url'));
    expect(await answerOf(fetch(`${rembg}/api/remove`))).toEqual(fieldError('query', 'url'));
    const text = await postRembg({}, Buffer.from('no image'));
    expect(await answerOf(text)).toMatchObject({ status: 415 });
  });

  test('without a key nothing is done', async () => {
    const response = await post(`${stack.url}/compat/rembg/api/remove`, formOf({}));
    expect(await answerOf(response)).toEqual({
      status: 401,
      body: { detail: expect.stringContaining('Authorization: Bearer') },
    });
  });
});

describe('withoutBG', () => {
  test('its documented call cuts out a file', async () => {
    const file = await curl(
      ...['-X', 'POST', '-F', `file=@${join(folder, 'input.jpg')}`, '-F', 'format=png'],
      `${withoutBg}/api/remove-background`,
    );
    const { width, height, corner, middle } = await readPixels(file);
    expect([width, height, corner[3], middle[3]]).toEqual([300, 200, 0, 255]);
  });

  test.each([
    ['jpg', 'image/jpeg', 'withoutbg.jpg'],
    ['WEBP', 'image/webp', 'withoutbg.webp'],
    ['unheard-of', 'image/png', 'withoutbg.png'],
  ])('format %s', async (format, mediaType, name) => {
    // What the page of withoutBG sends.
    const response = await postWithoutBg(formOf({ format, quality: '95', api_key: 'sk_1' }));
    expect(response.headers.get('content-type')).toBe(mediaType);
    expect(response.headers.get('content-disposition')).toBe(`inline; filename=${name}`);
    const { corner } = await readPixels(new Uint8Array(await response.arrayBuffer()));
    if (format === 'jpg') expect(Math.min(...corner)).toBeGreaterThan(245);
  });

  test('a file takes precedence over a URL', async () => {
    const ofUrl = await postWithoutBg(formWith({ image_url: address }));
    expect(ofUrl.status).toBe(200);
    const both = await postWithoutBg(formOf({ image_url: `${web.origin}/none.jpg` }));
    expect(both.status).toBe(200);
    expect(await both.arrayBuffer()).toEqual(await ofUrl.arrayBuffer());
  });

  test('errors say what is wrong in detail', async () => {
    const expected = { status: 422, body: { detail: 'Provide either a file or an image URL.' } };
    expect(await answerOf(postWithoutBg(formWith({ format: 'png' })))).toEqual(expected);
    const gone = await postWithoutBg(formWith({ image_url: `${web.origin}/none.jpg` }));
    expect(await answerOf(gone)).toEqual(fieldError('body', 'image_url'));
    expect(await answerOf(postWithoutBg(formOf({ quality: '0' })))).toEqual(
      fieldError('body', 'quality'),
    );
  });
});
