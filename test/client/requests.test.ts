import { expect, onTestFinished, test } from 'vitest';
import { createClient, SelvageError } from '../../packages/client/src/client.ts';
import {
  createTestClient,
  failure,
  imageResponse,
  jsonResponse,
  serveScript,
  startScriptedServer,
} from './scripted-server.ts';

const IMAGE = new Uint8Array([1, 2, 3]);

test('a body that is too large is not sent', async () => {
  const { client, server } = await serveScript([imageResponse], { maxBodyBytes: 2 });
  expect(await failure(client.removeBackground(IMAGE))).toMatchObject({
    type: 'payload-too-large',
    status: 0,
    detail: 'The body has 3 bytes; this client sends at most 2',
  });
  expect(server.requests).toHaveLength(0);
  const byDefault = createTestClient(server).client;
  const large = new Blob([new Uint8Array(20 * 2 ** 20), 'x']);
  const expected = { type: 'payload-too-large' };
  expect(await failure(byDefault.removeBackground(large))).toMatchObject(expected);
});

test('strokes are sent as JSON beside the photo and its alpha', async () => {
  let body = '';
  const { client, server } = await serveScript([
    (request, response) => {
      request.setEncoding('latin1').on('data', (text) => {
        body += text;
      });
      imageResponse(request, response);
    },
  ]);
  const strokes = [{ mode: 'add' as const, radius: 12, points: [[3, 4] as [number, number]] }];
  const request = { image: IMAGE, alpha: new Uint8Array([4]), strokes };
  const { image } = await client.refineCutOut(request, { crop: true });
  expect(image.length).toBeGreaterThan(0);
  expect(server.requests[0]?.url).toBe('/bg/v1/refinements');
  expect(body).toContain(JSON.stringify(strokes));
  expect(body).toMatch(/name="image".*name="alpha".*name="crop"\r\n\r\ntrue/s);
});

test('the refinements of a job have addresses of their own', async () => {
  const { client, server } = await serveScript([jsonResponse({ id: 'job_1', refinements: 1 })]);
  const strokes = [{ mode: 'erase' as const, radius: 2, points: [[1, 2] as [number, number]] }];
  expect((await client.jobs.refine('job_1', { image: IMAGE, strokes })).refinements).toBe(1);
  await client.jobs.undoRefinement('job_1', 1);
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /intake/v1/jobs/job_1/refinements',
    'DELETE /intake/v1/jobs/job_1/refinements/1',
  ]);
});

test('a key function is called for each call', async () => {
  const server = await startScriptedServer(jsonResponse({}));
  const keys = ['sv_one', 'sv_two'];
  const { client } = createTestClient(server, { key: async () => keys.shift() ?? '' });
  await client.usage();
  await client.usage();
  const sent = server.requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(['Bearer sv_one', 'Bearer sv_two']);
});

test('a key with invalid characters is rejected, and no error contains it', async () => {
  const { client, server } = await serveScript([jsonResponse({})], {
    key: 'sv_secret\r\nx-evil: 1',
  });
  const error = await failure(client.usage());
  expect(error).toMatchObject({ type: 'key-refused' });
  expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  expect(server.requests).toHaveLength(0);
});

const NAMES = ['document', 'importScripts'];
test.each(NAMES)('with %s in the global scope, a key is rejected', (name) => {
  Object.assign(globalThis, { [name]: {} });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, name));
  const baseUrl = 'https://gateway.example';
  expect(() => createClient({ baseUrl, key: 'sv_test' })).toThrow(/could read the API key/);
  expect(() => createClient({ baseUrl, key: () => 'sv_test' })).toThrow(SelvageError);
  expect(() => createClient({ baseUrl, key: 'sv_test', allowKeyInBrowser: true })).not.toThrow();
  expect(() => createClient({ baseUrl })).not.toThrow();
});

test('without a key no Authorization is sent; a page sends X-Selvage-Console', async () => {
  const server = await startScriptedServer(jsonResponse({}));
  await createTestClient(server, { key: undefined }).client.usage();
  Object.assign(globalThis, { document: {} });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'document'));
  await createTestClient(server, { key: undefined }).client.usage();
  const sent = server.requests.map(({ headers }) => [
    headers.authorization,
    headers['x-selvage-console'],
  ]);
  const expected = [
    [undefined, undefined],
    [undefined, '1'],
  ];
  expect(sent).toEqual(expected);
});

const BASE_URLS = [undefined, '', 'gateway.example', 'ftp://gateway.example'];
test.each(BASE_URLS)('%s is rejected as a baseUrl', (baseUrl) => {
  expect(() => createClient({ baseUrl })).toThrow(TypeError);
});

test('the base URL may have a path', async () => {
  const server = await startScriptedServer(jsonResponse({}));
  const { client } = createTestClient({ origin: `${server.origin}/garments/` });
  await client.taxonomyOptions({ locale: 'de' });
  expect(server.requests[0]?.url).toBe('/garments/taxonomy/v1/options?locale=de');
});

test('a form has only the fields that were given', async () => {
  const forms: Promise<FormData>[] = [];
  const { client } = createTestClient(
    { origin: 'https://gateway.example' },
    {
      async fetch(address, init) {
        forms.push(new Request(address, init).formData());
        return new Response('RIFF....WEBP', { headers: { 'content-type': 'image/webp' } });
      },
    },
  );
  await client.removeBackground(IMAGE, {
    format: 'webp',
    crop: true,
    cropMargin: '10% 5px',
    shadowOpacityPct: 0,
    roi: undefined,
    semitransparency: false,
    timeoutMillis: 1000,
    backgroundImage: new Blob(['background']),
  });
  const [form] = await Promise.all(forms);
  const { image, backgroundImage, ...texts } = Object.fromEntries(form ?? []);
  expect(texts).toEqual({
    format: 'webp',
    crop: 'true',
    cropMargin: '10% 5px',
    shadowOpacityPct: '0',
    semitransparency: 'false',
  });
  expect(image).toMatchObject({ size: 3, name: 'image' });
  expect(backgroundImage).toMatchObject({ size: 10, name: 'backgroundImage' });
});

test('fetch can be replaced', async () => {
  const asked: unknown[] = [];
  const client = createClient({
    baseUrl: 'https://gateway.example',
    fetch: async (address) => {
      asked.push(address);
      return Response.json({ client: 'me' });
    },
  });
  expect(await client.usage()).toEqual({ client: 'me', requestId: '' });
  expect(asked).toEqual(['https://gateway.example/intake/v1/usage']);
});
