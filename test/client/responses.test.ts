import { zipSync } from 'fflate';
import { describe, expect, test, vi } from 'vitest';
import { SelvageError } from '../../packages/client/src/client.ts';
import { redirectTo } from '../support/servers.ts';
import {
  createTestClient,
  failure,
  imageResponse,
  jsonResponse,
  PNG,
  respondWith,
  serveScript,
  startScriptedServer,
} from './scripted-server.ts';

const IMAGE = new Uint8Array([1, 2, 3]);
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const WEBP = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WEBPVP8L')]);

test('a cut-out comes with model, confidence and request id', async () => {
  const headers = { 'x-request-id': 'r', 'x-model': 'm', 'x-cutout-confidence': '0.93' };
  const { client } = await serveScript([
    respondWith(200, PNG, { ...headers, 'content-type': 'image/png' }),
  ]);
  expect(await client.removeBackground(IMAGE)).toEqual({
    image: new Uint8Array(PNG),
    mediaType: 'image/png',
    model: 'm',
    confidence: 0.93,
    review: undefined,
    requestId: 'r',
  });
});

test.each([
  { reasons: 'gap-unsure, cut-by-frame', review: ['gap-unsure', 'cut-by-frame'] },
  { reasons: undefined, review: [] },
])('a cut-out comes with its review: $review', async ({ reasons, review }) => {
  const header = reasons === undefined ? {} : { 'x-cutout-review': reasons };
  const headers = { ...header, 'content-type': 'image/png', 'x-cutout-review-needed': 'false' };
  const { client } = await serveScript([respondWith(200, PNG, headers)]);
  const response = await client.removeBackground(IMAGE);
  expect(response.review).toEqual({ needed: false, reasons: review });
});

test.each([
  ['png', undefined, PNG],
  ['jpeg', 'jpeg', JPEG],
  ['webp', 'webp', WEBP],
] as const)('%s is recognised by its media type and first bytes', async (name, format, bytes) => {
  const mediaType = `image/${name}`;
  const { client } = await serveScript([respondWith(200, bytes, { 'content-type': mediaType })]);
  const answer = await client.removeBackground(IMAGE, { ...(format && { format }) });
  expect(answer).toMatchObject({ mediaType, image: new Uint8Array(bytes) });
});

test.each([
  ['an HTML page instead of the image', '<html>', 'text/html', {}],
  ['no media type', PNG, '', {}],
  ['another format than requested', PNG, 'image/png', { format: 'webp' }],
  ['a damaged signature', PNG.with(0, 0x88), 'image/png', {}],
  ['a truncated signature', PNG.subarray(0, 7), 'image/png', {}],
  ['a RIFF file that is not WebP', WEBP.with(8, 0x58), 'image/webp', { format: 'webp' }],
] as const)('%s is damaged-answer, and not retried', async (_name, bytes, type, options) => {
  const headers = { 'x-request-id': 'r-2', ...(type && { 'content-type': type }) };
  const { client, server } = await serveScript([respondWith(200, bytes, headers), imageResponse]);
  const expected = { name: 'SelvageError', type: 'damaged-answer', status: 0, requestId: 'r-2' };
  expect(await failure(client.removeBackground(IMAGE, options))).toMatchObject(expected);
  expect(server.requests).toHaveLength(1);
});

describe('the garments of a photo', () => {
  const outfit = { garments: [{ index: 0, cutout: { file: '0-coat.png' } }] };
  const description = Buffer.from(JSON.stringify(outfit));
  const zip = (files: Record<string, Uint8Array>, level: 0 | 6 = 0) =>
    Buffer.from(zipSync(files, { level }));
  const whole = zip({ 'garments.json': description, '0-coat.png': PNG });
  const zipType = { 'content-type': 'application/zip', 'x-request-id': 'r-3' };

  test('come as JSON, and on request with their cut-outs', async () => {
    const { client } = await serveScript([jsonResponse(outfit), respondWith(200, whole, zipType)]);
    expect(await client.separateGarments(IMAGE)).toMatchObject({ ...outfit, images: [] });
    expect(await client.separateGarments(IMAGE, { cutouts: true })).toEqual({
      ...outfit,
      images: [new Uint8Array(PNG)],
      requestId: 'r-3',
    });
  });

  test.each([
    ['no archive', PNG],
    ['a truncated archive', whole.subarray(0, whole.indexOf(PNG) + 3)],
    ['a compressed archive', zip({ 'garments.json': description, '0-coat.png': PNG }, 6)],
    ['an archive without its description', zip({ '0-coat.png': PNG })],
    ['an archive without a cut-out', zip({ 'garments.json': description })],
    ['a cut-out that is no PNG', zip({ 'garments.json': description, '0-coat.png': IMAGE })],
  ])('%s is damaged-answer', async (_name, bytes) => {
    const { client } = await serveScript([respondWith(200, bytes, zipType)]);
    const error = await failure(client.separateGarments(IMAGE, { cutouts: true }));
    expect(error).toMatchObject({ type: 'damaged-answer', requestId: 'r-3' });
  });
});

test('a list that is missing in a response is damaged-answer', async () => {
  const { client } = createTestClient(await startScriptedServer(jsonResponse({ presets: [] })));
  expect(await client.presets.list()).toEqual([]);
  expect(await failure(client.rules.list())).toMatchObject({
    type: 'damaged-answer',
    detail: 'The response has no rules',
    requestId: 'r-1',
  });
});

test('what has several pages is read to its end', async () => {
  const next = '/intake/v1/batches/b/duplicates?limit=100&cursor=7';
  const { client, server } = await serveScript([
    jsonResponse({ groups: [{ rows: [1] }], links: { next } }),
    jsonResponse({ groups: [{ rows: [2] }] }),
  ]);
  const groups = [];
  for await (const group of client.batches.duplicates('b')) groups.push(group);
  expect(groups).toEqual([{ rows: [1] }, { rows: [2] }]);
  expect(server.requests.map(({ url }) => url)).toEqual([next.replace('&cursor=7', ''), next]);
});

test('malformed JSON and another media type than JSON are damaged-answer', async () => {
  const { client } = await serveScript([
    respondWith(200, '{', { 'content-type': 'application/json' }),
    respondWith(200, '{}', { 'content-type': 'text/plain' }),
  ]);
  expect(await failure(client.usage())).toMatchObject({ type: 'damaged-answer' });
  expect(await failure(client.usage())).toMatchObject({ type: 'damaged-answer' });
});

test('a problem is read whole: errors, further members, an absolute type', async () => {
  const body = {
    type: 'https://gateway.example/problems/conflict',
    title: 'T',
    status: 409,
    detail: 'D',
    instance: 'urn:request:r',
    requestId: 'r',
    errors: [{ pointer: '/weather/tempC', detail: 'is missing' }, { odd: true }],
    offset: 12,
  };
  const headers = { 'content-type': 'application/problem+json' };
  const { client } = await serveScript([respondWith(409, JSON.stringify(body), headers)]);
  const error = await failure(client.usage());
  expect(error).toBeInstanceOf(SelvageError);
  expect(error).toMatchObject({
    status: 409,
    type: 'conflict',
    title: 'T',
    detail: 'D',
    requestId: 'r',
    errors: [{ pointer: '/weather/tempC', detail: 'is missing' }],
    members: { offset: 12 },
    message: 'conflict: D',
  });
});

test.each([
  ['an HTML page of a proxy', '<html>Forbidden</html>'],
  ['an empty body', ''],
  ['a list', '[]'],
])('%s instead of a problem keeps the status', async (_name, body) => {
  const { client } = await serveScript([respondWith(403, body, { 'content-type': 'text/html' })]);
  expect(await failure(client.usage())).toMatchObject({
    status: 403,
    type: 'about:blank',
    title: 'The service responded with 403 Forbidden',
    errors: [],
    requestId: undefined,
    retryAfterSeconds: undefined,
  });
});

test.each([302, 307, 308])(
  'a redirect (%i) is not followed, so the key is not sent elsewhere',
  async (status) => {
    const elsewhere = await startScriptedServer(jsonResponse({ client: 'other' }));
    const { client, server } = await serveScript([
      redirectTo(`${elsewhere.origin}/intake/v1/usage`, status),
    ]);
    expect(await failure(client.usage())).toMatchObject({ type: 'redirected', status });
    expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  },
);

test('a program is told once that what it calls will end', async () => {
  const headers = {
    'content-type': 'image/png',
    deprecation: '@1798761600',
    sunset: 'Thu, 01 Jul 2027 12:00:00 GMT',
    link: '<https://docs.example/v2>; rel="deprecation"; type="text/html"',
  };
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const ending = respondWith(200, PNG, headers);
  const { client } = await serveScript([ending, ending]);
  for (let call = 0; call < 2; call++) await client.removeBackground(IMAGE);
  const expected = [[expect.stringMatching(/ends on Thu, 01 Jul 2027.*docs.example/)]];
  expect(warn.mock.calls).toEqual(expected);
  warn.mockRestore();
});
