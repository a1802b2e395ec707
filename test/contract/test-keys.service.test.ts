import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FORCED } from '../../src/api/test-keys/answers.ts';
import { WEBHOOK_TYPES } from '../../src/intake/webhooks/outbox.ts';
import { PROBLEMS } from '../../src/platform/problem.ts';
import { segment } from '../../src/storage/blob-keys.ts';
import { formWith, keyClient } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { ROOT } from '../support/root.ts';
import { useSharedStack, useShop } from '../support/use-stack.ts';
import { readDocument } from './openapi/document.ts';

const GRANT = { client: 'integrator', quotaPerDay: 3 };
const { stack, key, record, ask, sendJson } = await useSharedStack({ ...GRANT, test: true });
const shop = await useShop();
const shirt = await drawnShirt({ width: 160, height: 200, format: 'jpeg' });

const REMOVALS = '/bg/v1/background-removals';

const send = (method: string, path: string, body?: object, headers = {}): Promise<Response> =>
  body instanceof FormData
    ? ask(method, path, { body, headers })
    : sendJson(method, path, body, headers);

const imageForm = (image: Uint8Array, fields: Record<string, string> = {}): FormData =>
  formWith({ image, ...fields });

test('its key says what it is', () => {
  expect(key).toMatch(/^slv_test_\w{36}$/);
});

describe('a cut-out', () => {
  const FORMATS = ['png', 'jpeg', 'webp'];
  test.each(FORMATS)('is drawn as %s, with the headers of a real one', async (format) => {
    const response = await send('POST', REMOVALS, imageForm(shirt, { format }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(`image/${format}`);
    expect(response.headers.get('x-model')).toBe('drawn@1');
    expect(response.headers.get('x-cutout-confidence')).toBe('0.980');
    const drawn = await sharp(await response.arrayBuffer()).metadata();
    expect(drawn).toMatchObject({ format, hasAlpha: format !== 'jpeg' });
  });

  test('costs nothing, however many there are', async () => {
    for (let i = 0; i < 5; i++) await send('POST', REMOVALS, imageForm(shirt));
    const usage = await (await send('GET', '/intake/v1/usage')).text();
    expect(usage).toMatch(/"remaining":3\b/);
  });

  test.each([
    ['something that is no image', Buffer.from('<html>'), {}, 415],
    ['an option that there is not', undefined, { scale: 'large' }, 400],
  ])('of %s is turned down as always', async (_, image, fields, status) => {
    const response = await send('POST', REMOVALS, imageForm(image ?? shirt, fields));
    expect(response.status).toBe(status);
  });
});

test('every operation with a recorded answer has the shape of the document, and none is worked on', async () => {
  const { operations, validator } = await readDocument(stack.url);
  const recorded = operations.filter(
    ({ method, path, responses }) =>
      method === 'GET' &&
      /^\/intake\/v1\/(jobs|batches|feeds|sources)/.test(path) &&
      responses[200]?.content?.['application/json'],
  );
  expect(recorded.length).toBeGreaterThan(15);
  for (const { path, responses } of recorded) {
    const response = await send('GET', path.replaceAll(/\{\w+\}/g, 'mine'));
    expect([path, response.status]).toEqual([path, 200]);
    const validate = validator(responses[200]?.content?.['application/json']?.schema ?? {});
    expect([path, validate(await response.json()) || validate.errors]).toEqual([path, true]);
  }
  expect(await stack.stored(`/${segment(record.client)}/`)).toEqual([]);
});

test('a job has the id that was asked for, and a picture', async () => {
  const created = await send('POST', '/intake/v1/jobs', imageForm(shirt));
  expect(created.status).toBe(202);
  expect(created.headers.get('location')).toMatch(/^\/intake\/v1\/jobs\/job_/);
  const job = z
    .looseObject({ id: z.string() })
    .parse(await (await send('GET', '/intake/v1/jobs/job_9')).json());
  expect(job.id).toBe('job_9');
  const result = await send('GET', '/intake/v1/jobs/job_9/result');
  expect(result.headers.get('content-type')).toBe('image/png');
});

test('words are really classified', async () => {
  const attributes = { title: 'Red wool scarf' };
  const response = await send('POST', '/taxonomy/v1/taxonomy', { attributes });
  expect(await response.text()).toContain('"id":"scarf"');
});

describe('a forced failure', () => {
  const quick = FORCED.filter((name) => name !== 'slow');

  test.each(quick)('%s', async (name) => {
    const prefer = { prefer: `respond-async, problem=${name}` };
    const response = await send('POST', REMOVALS, imageForm(shirt), prefer);
    const { status } = PROBLEMS[name];
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: name, status });
    if ([429, 503].includes(status)) expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('slow is a 503 that takes ten seconds', async () => {
    const startedAt = performance.now();
    const response = await send('GET', '/intake/v1/jobs/none', undefined, {
      prefer: 'problem=slow',
    });
    expect(response.status).toBe(503);
    expect(performance.now() - startedAt).toBeGreaterThan(9500);
  });

  test('that there is not names those that there are', async () => {
    const response = await send('GET', '/intake/v1/usage', undefined, { prefer: 'problem=tea' });
    const expected = [400, expect.stringContaining('slow')];
    expect([response.status, await response.text()]).toEqual(expected);
  });

  test('is ignored with a real key', async () => {
    const real = await stack.key(GRANT);
    const headers = { prefer: 'problem=gone' };
    const response = await keyClient(stack, real.key).ask('GET', '/intake/v1/usage', { headers });
    expect(response.status).toBe(200);
  });
});

describe('a test event', () => {
  const Message = z.looseObject({
    type: z.string(),
    data: z.looseObject({ test: z.literal(true) }),
  });

  test('needs a secret, and a public address', async () => {
    const path = '/intake/v1/webhooks/test';
    const conflict = await send('POST', path, { url: 'https://shop.example/hook' });
    expect(conflict.status).toBe(409);
    expect((await send('POST', path, { url: 'ftp://shop.example' })).status).toBe(400);
  });

  test('arrives signed, of every type', async () => {
    await send('POST', '/intake/v1/webhooks/secret');
    const received = new Map<string, unknown>();
    const url = shop.put('/hook', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const message = Message.parse(JSON.parse(Buffer.concat(chunks).toString()));
        received.set(message.type, request.headers['webhook-signature']);
        response.writeHead(204).end();
      });
    });
    for (const type of WEBHOOK_TYPES) {
      const response = await send('POST', '/intake/v1/webhooks/test', { url, type });
      expect([type, response.status]).toEqual([type, 202]);
    }
    await expect
      .poll(() => [...received.keys()].sort(), { timeout: 60_000 })
      .toEqual([...WEBHOOK_TYPES].sort());
    for (const signature of received.values()) expect(signature).toMatch(/^v1,/);
  });
});

test('the page lists every failure and every event', async () => {
  const page = await readFile(join(ROOT, 'docs/test-keys.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w.-]+)`(?: \| (\d+).*)? \|$/gm)];
  const named = rows.filter(([, name]) => name !== 'type');
  const listed = named.map(([, name, status]) => [name, status && Number(status)]);
  const failures = FORCED.map((name) => [name, name === 'slow' ? 503 : PROBLEMS[name].status]);
  expect(listed).toEqual([...failures, ...WEBHOOK_TYPES.map((type) => [type, undefined])]);
});
