import { describe, expect, test } from 'vitest';
import { readBatch } from '../support/batches.ts';
import { formWith, postBody, rawExchange } from '../support/client.ts';
import { readFeed, readRun } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { plantServer } from '../support/servers.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, key, ask, postJson, intake, batches, feeds } = await useSharedStack();
const shirt = await drawnShirt({ width: 200, height: 240, format: 'jpeg' });

const problemOf = async (response: Response) =>
  (await response.json()) as { type: string; detail: string; errors?: { pointer: string }[] };

const JSON_TYPE = { 'content-type': 'application/json' };

/** Every way to say nothing. */
const NOTHING: [how: string, init: RequestInit][] = [
  ['no type and no body', {}],
  ['a type and no body', { headers: JSON_TYPE }],
  ['an empty object', { headers: JSON_TYPE, body: '{}' }],
  ['an empty form, as curl -d "" sends it', { body: new URLSearchParams() }],
];

describe.each(NOTHING)('a request with %s', (_, init) => {
  test('cancels and erases a job', async () => {
    const { id } = await readJob(await intake.postJson({ imageUrl: 'http://shop.invalid/' }));
    expect([200, 409]).toContain((await ask('POST', `/intake/v1/jobs/${id}/cancel`, init)).status);
    expect((await ask('DELETE', `/intake/v1/jobs/${id}`, init)).status).toBe(200);
  });

  test('opens a batch with defaults, seals, cancels and erases it', async () => {
    const opened = await ask('POST', '/intake/v1/batches', init);
    expect(opened.status).toBe(201);
    const batch = await readBatch(opened);
    expect(batch).toMatchObject({ status: 'open', operations: ['remove-background'] });
    const path = `/intake/v1/batches/${batch.id}`;
    expect((await ask('POST', `${path}/seal`, init)).status).toBe(200);
    expect([200, 409]).toContain((await ask('POST', `${path}/cancel`, init)).status);
    expect((await ask('DELETE', path, init)).status).toBe(200);
  });

  test('runs a feed again, cancels the run and erases the feed', async () => {
    const server = await plantServer((_request, response) => {
      response.end('id,title,image_link\n1,Shirt,http://192.0.2.1/a.jpg\n');
    });
    const feed = await readFeed(await feeds.postJson({ url: `${server.origin}/feed.csv` }));
    await ask('POST', `/intake/v1/feeds/${feed.id}/runs/${feed.run.id}/cancel`, init);
    await expect
      .poll(async () => (await ask('GET', `/intake/v1${feeds.pathOf(feed.run)}`)).json())
      .toMatchObject({ status: expect.stringMatching(/canceled|completed|failed/) });
    const again = await ask('POST', `/intake/v1/feeds/${feed.id}/runs`, init);
    expect(again.status).toBe(202);
    const run = await readRun(again);
    const canceled = await ask('POST', `/intake/v1${feeds.pathOf(run)}/cancel`, init);
    expect([200, 409]).toContain(canceled.status);
    expect((await ask('DELETE', `/intake/v1/feeds/${feed.id}`, init)).status).toBe(200);
  });

  test('creates a webhook secret and signs out', async () => {
    expect((await ask('POST', '/intake/v1/webhooks/secret', init)).status).toBe(201);
    expect((await ask('DELETE', '/console/session', init)).status).toBe(204);
  });
});

describe('where no body is needed', () => {
  const TYPES = ['', 'Content-Type: application/json\r\n'];
  test.each(TYPES)('an empty chunked one is none (%j)', async (type) => {
    const head = `POST /intake/v1/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    const more = `${type}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await rawExchange(stack.url, head + more)).toMatch(/^HTTP\/1.1 201 /);
  });

  const LONG = `{"a":"${'x'.repeat(2000)}"}`;
  test.each([
    ['text', { body: 'now' }, 'unsupported-media-type'],
    ['a form', { body: new URLSearchParams({ now: '1' }) }, 'unsupported-media-type'],
    ['half an object', { body: '{', headers: JSON_TYPE }, 'invalid-request'],
    ['over 1 KiB', { body: LONG, headers: JSON_TYPE }, 'payload-too-large'],
  ])('%s is rejected as before', async (_, init, type) => {
    const response = await ask('POST', '/intake/v1/webhooks/secret', init);
    expect((await problemOf(response)).type).toBe(type);
  });

  test('null is not a batch, and a run takes no JSON', async () => {
    const batch = await postJson('/intake/v1/batches', null);
    expect(await problemOf(batch)).toMatchObject({ type: 'invalid-request' });
    const feed = await readFeed(await feeds.postJson({ url: 'http://shop.invalid/feed.csv' }));
    const path = `/intake/v1/feeds/${feed.id}/runs`;
    const run = await postJson(path, { url: 'http://a.example/' });
    expect(await problemOf(run)).toMatchObject({ type: 'unsupported-media-type' });
    const uploaded = await readFeed(await feeds.send('/feeds', 'id,title,image_link\n'));
    const missing = await postJson(`/intake/v1/feeds/${uploaded.id}/runs`, {});
    expect(await problemOf(missing)).toMatchObject({ type: 'invalid-request' });
  });
});

describe('a part of a form in JSON', () => {
  const json = (text: string) => new Blob([text], { type: 'application/json' });
  const classify = (name: string, part: Blob | string) => {
    const body = new FormData();
    body.append(name, part);
    return ask('POST', '/taxonomy/v1/taxonomy', { body });
  };
  const ATTRIBUTES = { title: 'Wool sweater' };
  const PARTS: [how: string, part: Blob | string][] = [
    ['as text', JSON.stringify(ATTRIBUTES)],
    ['as a Blob', json(JSON.stringify(ATTRIBUTES))],
    ['as a Blob without a type', new Blob([JSON.stringify(ATTRIBUTES)])],
    ['as a file of text', new File([JSON.stringify(ATTRIBUTES)], 'a.txt', { type: 'text/plain' })],
  ];

  test.each(PARTS)('%s describes a garment', async (_, part) => {
    const response = await classify('attributes', part);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ evidence: { text: { language: 'en' } } });
  });

  test('with a type and no file name describes a garment', async () => {
    const body = `--b\r\nContent-Disposition: form-data; name="attributes"\r\nContent-Type: application/json;charset=utf-8\r\n\r\n${JSON.stringify(ATTRIBUTES)}\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const response = await ask('POST', '/taxonomy/v1/taxonomy', { body, headers });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  });

  test('sets the options of a job', async () => {
    const form = formWith({ image: shirt });
    form.append('operations', json('["classify"]'));
    form.append('options', json('{"quality":"fast"}'));
    form.append('retention', json('{"outputSeconds":600}'));
    const response = await intake.ask('POST', '/jobs', { body: form });
    expect(response.status).toBe(202);
    const accepted = { operations: ['classify'], options: { quality: 'fast' } };
    expect(await response.json()).toMatchObject(accepted);
  });

  test.each([
    ['no JSON', json('{'), 'invalid-request'],
    ['a __proto__', json('{"__proto__":{"title":"x"}}'), 'invalid-request'],
    ['64 KiB', json(JSON.stringify({ title: 'x'.repeat(66_000) })), 'payload-too-large'],
  ])('with %s is rejected with its name', async (_, part, type) => {
    const problem = await problemOf(await classify('attributes', part));
    expect(problem).toMatchObject({ type, detail: expect.stringContaining('"attributes"') });
  });

  test('cannot fill the memory: all of them together have a limit', async () => {
    const form = new FormData();
    for (let at = 0; at < 15; at++) form.append(`part${at}`, json(`[${'[],'.repeat(20_000)}[]]`));
    const response = await ask('POST', '/taxonomy/v1/taxonomy', { body: form });
    expect(await problemOf(response)).toMatchObject({ type: 'payload-too-large' });
  });

  test('is no image, and an unknown file is still named', async () => {
    const picture = new File([Uint8Array.from(shirt)], 'a.jpg', { type: 'image/jpeg' });
    const response = await classify('picture', picture);
    expect(await problemOf(response)).toMatchObject({
      type: 'invalid-request',
      detail: expect.stringContaining('"picture" is not a part of this form'),
    });
  });
});

test('a data URL in any spelling is an image, of a removal and of a row', async () => {
  const image_base64 = ` Data:Image/PNG;BASE64,${shirt.toString('base64')}`;
  const response = await postBody(stack, JSON.stringify({ image_base64 }), { key });
  expect(response.status).toBe(200);
  const row = { customId: 'a', imageBase64: image_base64 };
  const sent = await batches.send(await batches.open(), `${JSON.stringify(row)}\n`);
  expect(await sent.json()).toMatchObject({ accepted: 1, rejected: 0 });
});

/** A part of a form, byte by byte: what FormData cannot send. */
const rawPart = (head: string, content: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
const postParts = (path: string, ...parts: Buffer[]): Promise<Response> =>
  ask('POST', path, {
    headers: { 'content-type': 'multipart/form-data; boundary=cut' },
    body: new Uint8Array(Buffer.concat([...parts, Buffer.from('--cut--\r\n')])),
  });

describe.each(['\r\nContent-Type: image/jpeg', '\r\nContent-Type: application/octet-stream', ''])(
  'a part without a file name (%j)',
  (type) => {
    test('is the image of a removal', async () => {
      const part = rawPart(`name="image"${type}`, shirt);
      const response = await postParts('/bg/v1/background-removals', part);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/png');
    });

    test('is a rejected row of a batch, and counted', async () => {
      const path = `/intake/v1/batches/${await batches.open()}/items`;
      const whole = rawPart('name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg', shirt);
      const response = await postParts(path, whole, rawPart(`name="file"${type}`, shirt));
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ accepted: 1, rejected: 1 });
    });
  },
);

describe('a field of a form that is sent twice', () => {
  const send = (path: string, ...fields: [name: string, value: string][]) => {
    const form = formWith({ image: shirt });
    for (const [name, value] of fields) form.append(name, value);
    return ask('POST', path, { body: form });
  };

  test.each(['operations', 'operations[]'])('is a list where one is meant (%s)', async (name) => {
    const response = await send('/intake/v1/jobs', [name, 'remove-background'], [name, 'classify']);
    expect(await response.json()).toMatchObject({ operations: ['classify', 'remove-background'] });
  });

  test('is 400 elsewhere, with its name', async () => {
    const twice = await send('/bg/v1/background-removals', ['format', 'png'], ['format', 'webp']);
    expect(await problemOf(twice)).toMatchObject({
      type: 'invalid-request',
      detail: 'The part "format" is sent twice; send one per request',
    });
  });
});

describe('what is no image', () => {
  const lost = (bytes: Buffer) => Buffer.from(bytes.toString('utf8'));
  test.each<[what: string, body: () => Buffer, advice: RegExp]>([
    ['an HTML or XML page', () => Buffer.from('<!doctype html><title>Login</title>'), /login page/],
    ['HEIC', () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), /export it as JPEG/],
    ['base64 text', () => Buffer.from(shirt.toString('base64')), /decode it/],
    ['an image that was read as text and is destroyed', () => lost(shirt), /-F image=@photo.jpg/],
    ['text', () => Buffer.from('@photo.jpg'), /-F image=@photo.jpg/],
  ])('is called %s', async (what, body, advice) => {
    const response = await postParts('/bg/v1/background-removals', rawPart('name="image"', body()));
    expect(response.status).toBe(415);
    const { type, detail } = await problemOf(response);
    expect(type).toBe('unsupported-media-type');
    expect(detail).toContain(`The image is ${what}, not JPEG, PNG or WebP`);
    expect(detail).toMatch(advice);
  });

  test('as a body of its own is 415 and says what the endpoint reads', async () => {
    const headers = { 'content-type': 'image/jpeg' };
    const body = new Uint8Array(shirt);
    const { detail } = await problemOf(
      await ask('POST', '/bg/v1/background-removals', { headers, body }),
    );
    expect(detail).toMatch(/multipart\/form-data or application\/json.*-F image=@photo.jpg/);
  });
});

test('a form without a boundary is said to have none', async () => {
  for (const path of ['/bg/v1/background-removals', '/intake/v1/jobs']) {
    const headers = { 'content-type': 'multipart/form-data' };
    const { detail } = await problemOf(await ask('POST', path, { headers, body: 'x' }));
    expect(detail).toContain('no boundary');
  }
});

test('a body that is too long is refused before a client is told to send it', async () => {
  const headers = [
    ...['Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json'],
    ...['Content-Length: 99000000', 'Expect: 100-continue', 'Connection: close'],
  ];
  const request = ['POST /look/v1/outfits HTTP/1.1', ...headers, '\r\n'].join('\r\n');
  expect(await rawExchange(stack.url, request)).toMatch(/^HTTP\/1.1 413 /);
});

describe('a __proto__ member', () => {
  test.each([
    ['/bg/v1/background-removals?return_base64=true', '{"__proto__":{"image_base64":"x"}}'],
    ['/look/v1/targets', '{"weather":{"__proto__":{"tempC":1}}}'],
    ['/intake/v1/batches', '{"options":{"constructor":{"prototype":{}}}}'],
    ['/intake/v1/feeds', '{"__proto__":{"url":"http://a.example/"}}'],
  ])('of a body to %s is rejected as what it is', async (path, body) => {
    const problem = await problemOf(await ask('POST', path, { body, headers: JSON_TYPE }));
    const expected = { type: 'invalid-request', detail: expect.stringContaining('"__proto__"') };
    expect(problem).toMatchObject(expected);
  });

  test('as the name of a part is rejected as what it is', async () => {
    for (const part of ['x', new Blob(['{}'], { type: 'application/json' })]) {
      const form = new FormData();
      form.append('__proto__', part);
      const problem = await problemOf(await ask('POST', '/intake/v1/jobs', { body: form }));
      expect(problem).toMatchObject({ detail: expect.stringContaining('"__proto__"') });
    }
  });
});
