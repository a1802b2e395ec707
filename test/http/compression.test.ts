import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { json, type Route } from '../../src/http/route.ts';
import { open, requestText, row, serve, TEST_ROUTE } from './serve.ts';

const common = { ...TEST_ROUTE, scope: 'keyless' } as const;
const ITEMS = Array.from({ length: 20_000 }, (_, at) => `Größe ${at}`);
/** Not compressible, and larger than what the buffers of two sockets hold. */
const NOISE = randomBytes(8_000_000).toString('base64');

const ROUTES: readonly Route[] = [
  row({ ...common, path: '/long', handle: () => json({ items: ITEMS }) }),
  row({ ...common, path: '/noise', handle: () => json({ items: [NOISE] }) }),
  row({
    ...common,
    path: '/stream',
    handle: () => ({
      headers: { 'content-type': 'text/html' },
      body: Readable.from(['<p>'.repeat(2000)], { objectMode: false }),
    }),
  }),
  row({
    ...common,
    path: '/image',
    responses: { 200: { description: '', content: { 'image/png': 'binary' } } },
    handle: () => json({ image_base64: 'A'.repeat(5000) }),
  }),
];

const server = await serve(ROUTES);
afterAll(() => server.app.close());

const GZIP = 'Accept-Encoding: gzip';

async function ask(path: string): Promise<{ head: string; body: Buffer }> {
  const request = requestText(`GET ${path}`, [GZIP, 'Connection: close']);
  const { closed } = await open(server.url, request);
  const text = await closed;
  const end = text.indexOf('\r\n\r\n');
  return {
    head: text.slice(0, end).toLowerCase(),
    body: Buffer.from(text.slice(end + 4), 'latin1'),
  };
}

/** Joins the chunks of a body of unknown length. */
function dechunk(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const bytes = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (bytes === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + bytes));
    at = lineEnd + 2 + bytes + 2;
  }
}

test('a long response is compressed as it is sent', async () => {
  const { head, body } = await ask('/long');
  expect(head).toContain('content-encoding: gzip');
  expect(JSON.parse(gunzipSync(dechunk(body)).toString())).toEqual({ items: ITEMS });
});

test('a compressed response takes memory until it is read', async () => {
  const raw = await open(server.url, requestText('GET /noise', [GZIP]));
  raw.socket.pause();
  await expect.poll(() => server.figures().bodyBytes).toBeGreaterThan(2 * NOISE.length);
  raw.socket.destroy();
  await expect.poll(() => server.figures().bodyBytes).toBe(0);
});

test.each(['/stream', '/image'])('%s is sent as it is', async (path) => {
  expect((await ask(path)).head).not.toContain('content-encoding');
});
