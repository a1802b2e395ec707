import { expect, test } from 'vitest';
import { SelvageError } from '../../src/client/client.ts';
import { redirectTo } from '../support/servers.ts';
import { failure, impatient, json, PNG, picture, says, scripted } from './scripted.ts';

const IMAGE = new Uint8Array([1, 2, 3]);
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const WEBP = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WEBPVP8L')]);

test('a cut-out comes with what was said of it', async () => {
  const headers = { 'x-request-id': 'r', 'x-model': 'm', 'x-cutout-confidence': '0.93' };
  const server = await scripted(says(200, PNG, { ...headers, 'content-type': 'image/png' }));
  const { client } = impatient(server);
  expect(await client.removeBackground(IMAGE)).toEqual({
    ...{ image: new Uint8Array(PNG), mediaType: 'image/png', model: 'm' },
    ...{ confidence: 0.93, requestId: 'r' },
  });
});

test.each([
  ['png', undefined, PNG],
  ['jpeg', 'jpeg', JPEG],
  ['webp', 'webp', WEBP],
] as const)('%s is known by its media type and first bytes', async (name, format, bytes) => {
  const mediaType = `image/${name}`;
  const server = await scripted(says(200, bytes, { 'content-type': mediaType }));
  const { client } = impatient(server);
  const answer = await client.removeBackground(IMAGE, { ...(format && { format }) });
  expect(answer).toMatchObject({ mediaType, image: new Uint8Array(bytes) });
});

test.each([
  ['a page in place of the picture', '<html>', 'text/html', {}],
  ['no media type', PNG, '', {}],
  ['another picture than was asked for', PNG, 'image/png', { format: 'webp' }],
  ['a damaged signature', PNG.with(0, 0x88), 'image/png', {}],
  ['a signature cut short', PNG.subarray(0, 7), 'image/png', {}],
  ['a RIFF that is no WebP', WEBP.with(8, 0x58), 'image/webp', { format: 'webp' }],
] as const)('%s is damaged-answer, and not tried again', async (_name, bytes, type, options) => {
  const headers = { 'x-request-id': 'r-2', ...(type && { 'content-type': type }) };
  const server = await scripted(says(200, bytes, headers), picture);
  const { client } = impatient(server);
  expect(await failure(client.removeBackground(IMAGE, options))).toMatchObject({
    ...{ name: 'SelvageError', type: 'damaged-answer', status: 0, requestId: 'r-2' },
  });
  expect(server.requests).toHaveLength(1);
});

test('JSON that is none, and another type than JSON, are damaged answers', async () => {
  const server = await scripted(
    says(200, '{', { 'content-type': 'application/json' }),
    says(200, '{}', { 'content-type': 'text/plain' }),
  );
  const { client } = impatient(server);
  expect(await failure(client.usage())).toMatchObject({ type: 'damaged-answer' });
  expect(await failure(client.usage())).toMatchObject({ type: 'damaged-answer' });
});

test('a problem is read whole: faults, further members, an absolute type', async () => {
  const body = {
    type: 'https://gateway.example/problems/conflict',
    ...{ title: 'T', status: 409, detail: 'D', instance: 'urn:request:r', requestId: 'r' },
    errors: [{ pointer: '/weather/tempC', detail: 'is missing' }, { odd: true }],
    offset: 12,
  };
  const headers = { 'content-type': 'application/problem+json' };
  const server = await scripted(says(409, JSON.stringify(body), headers));
  const { client } = impatient(server);
  const error = await failure(client.usage());
  expect(error).toBeInstanceOf(SelvageError);
  expect(error).toMatchObject({
    ...{ status: 409, type: 'conflict', title: 'T', detail: 'D', requestId: 'r' },
    errors: [{ pointer: '/weather/tempC', detail: 'is missing' }],
    members: { offset: 12 },
    message: 'conflict: D',
  });
});

test.each([
  ['a page of a proxy', '<html>Forbidden</html>'],
  ['nothing', ''],
  ['a list', '[]'],
])('%s in place of a problem leaves the status', async (_name, body) => {
  const server = await scripted(says(403, body, { 'content-type': 'text/html' }));
  const { client } = impatient(server);
  expect(await failure(client.usage())).toMatchObject({
    ...{ status: 403, type: 'about:blank', title: 'The service answered 403 Forbidden' },
    ...{ errors: [], requestId: undefined, retryAfterSeconds: undefined },
  });
});

test.each([302, 307, 308])(
  'a redirect (%i) is not followed, so the key goes nowhere',
  async (status) => {
    const elsewhere = await scripted(json({ client: 'other' }));
    const server = await scripted(redirectTo(`${elsewhere.origin}/intake/v1/usage`, status));
    const { client } = impatient(server);
    expect(await failure(client.usage())).toMatchObject({ type: 'redirected', status });
    expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  },
);
