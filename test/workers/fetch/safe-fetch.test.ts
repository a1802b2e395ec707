import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FetchRequest, FetchResult, SafeFetch } from '../../../workers/fetch/safe-fetch.ts';
import { listen } from '../../support/free-port.ts';
import {
  drip,
  endless,
  fail,
  plantDrippingHeaders,
  plantRaw,
  plantServer,
  redirectTo,
  serve,
  silence,
  stall,
} from '../../support/servers.ts';
import { expectRejected, fetcher, SMALL } from './fetching.ts';

const MODIFIED = 'Fri, 20 Nov 2026 08:00:00 GMT';

const ENCODED = {
  gzip: { 'content-encoding': 'gzip' },
  deflate: { 'content-encoding': 'deflate' },
  br: { 'content-encoding': 'br' },
  zstd: { 'content-encoding': 'zstd' },
};

/** Answers a request as chosen for it. */
const choosing =
  (choose: (request: IncomingMessage) => RequestListener): RequestListener =>
  (request, response) =>
    choose(request)(request, response);

async function openBody(safe: SafeFetch, url: string, request: FetchRequest = SMALL) {
  const opened = await safe.open(url, request);
  if (opened.notModified) throw new Error('not modified');
  return opened;
}

const textOf = (fetched: FetchResult): string => {
  if (fetched.notModified) throw new Error('not modified');
  return new TextDecoder().decode(fetched.bytes);
};

describe('a response', () => {
  test('has the bytes, the headers of the body and the final URL', async () => {
    const headers = { 'content-type': 'image/png', etag: '"v1"', 'last-modified': MODIFIED };
    const { origin } = await plantServer(serve('a picture', headers));
    const fetched = await fetcher().fetch(`${origin}/1.png?size=full#top`, SMALL);
    expect(fetched).toEqual({
      notModified: false,
      status: 200,
      bytes: Buffer.from('a picture'),
      finalUrl: `${origin}/1.png?size=full#top`,
      headers: { contentType: 'image/png', etag: '"v1"', lastModified: MODIFIED },
    });
  });

  test('has the content type, here of a web page instead of an image', async () => {
    const { origin } = await plantServer(serve('<html>', { 'content-type': 'text/html' }));
    const fetched = await fetcher().fetch(origin, SMALL);
    expect(fetched.headers.contentType).toBe('text/html');
  });

  test('may be empty', async () => {
    const { origin } = await plantServer((_request, response) => response.writeHead(204).end());
    const fetched = await fetcher().fetch(origin, SMALL);
    expect(fetched).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
  });

  test.each([
    { name: 'gzip', compress: gzipSync },
    { name: 'x-gzip', compress: gzipSync },
    { name: 'deflate', compress: deflateSync },
    { name: 'BR', compress: brotliCompressSync },
    { name: 'identity', compress: (text: string) => text },
  ])('compressed with $name is decompressed', async ({ name, compress }) => {
    const { origin } = await plantServer(
      serve(compress('a feed, a feed'), { 'content-encoding': name }),
    );
    expect(textOf(await fetcher().fetch(origin, SMALL))).toBe('a feed, a feed');
  });

  test.each([
    { status: 404, retryable: false },
    { status: 410, retryable: false },
    { status: 304, retryable: false },
    { status: 429, retryable: true },
    { status: 500, retryable: true },
    { status: 503, retryable: true },
  ])('of $status is rejected', async ({ status, retryable }) => {
    const { origin } = await plantServer(fail(status));
    await expectRejected(fetcher().fetch(origin, SMALL), 'status', { status, retryable });
  });
});

describe('a request', () => {
  test('has the user agent, and nothing about this machine', async () => {
    const { origin, port, requests } = await plantServer(serve('x'));
    await fetcher().fetch(origin, SMALL);
    expect(requests[0]?.headers).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'Selvage/test',
    });
  });

  test('has no cookie that an earlier response set', async () => {
    const { origin, requests } = await plantServer(serve('x', { 'set-cookie': 'id=1; Path=/' }));
    const safe = fetcher();
    await safe.fetch(origin, SMALL);
    await safe.fetch(origin, SMALL);
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  test('ignores proxies in the environment', async () => {
    const proxy = await plantServer(serve('from the proxy'));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'])
      vi.stubEnv(name, proxy.origin);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { origin } = await plantServer(serve('from the server'));
    expect(textOf(await fetcher().fetch(origin, SMALL))).toBe('from the server');
    expect(proxy.requests).toEqual([]);
  });

  test('may post a body with its own headers', async () => {
    const { origin, requests } = await plantServer(async (request, response) => {
      const chunks = await request.toArray();
      response.end(Buffer.concat(chunks));
    });
    const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_1' };
    const post = { ...SMALL, method: 'POST', headers, body: '{"a":1}' } as const;
    expect(textOf(await fetcher().fetch(origin, post))).toBe('{"a":1}');
    expect(requests[0]).toMatchObject({ method: 'POST', headers });
  });

  test.each([
    { request: { etag: '"v1"' }, header: 'if-none-match', value: '"v1"' },
    { request: { lastModified: MODIFIED }, header: 'if-modified-since', value: MODIFIED },
  ])('with $header is answered with not modified', async ({ request, header, value }) => {
    const { origin, requests } = await plantServer((_request, response) => {
      response.writeHead(304, { etag: '"v1"' }).end();
    });
    expect(await fetcher().fetch(`${origin}/`, { ...SMALL, ...request })).toEqual({
      notModified: true,
      finalUrl: `${origin}/`,
      headers: { contentType: undefined, etag: '"v1"', lastModified: undefined },
    });
    expect(requests[0]?.headers[header]).toBe(value);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('by %i is followed, relative ones too', async (status) => {
    const { origin } = await plantServer(
      choosing((request) =>
        request.url === '/final/1.png' ? serve('here') : redirectTo('1.png', status),
      ),
    );
    const fetched = await fetcher().fetch(`${origin}/final/start`, SMALL);
    expect(fetched.finalUrl).toBe(`${origin}/final/1.png`);
    expect(textOf(fetched)).toBe('here');
  });

  const countdown = () =>
    plantServer(
      choosing((request) => {
        const left = Number(request.url?.slice(1));
        return left === 0 ? serve('here') : redirectTo(`/${left - 1}`);
      }),
    );

  test('may be followed by four more', async () => {
    const { origin, requests } = await countdown();
    expect(textOf(await fetcher().fetch(`${origin}/5`, SMALL))).toBe('here');
    expect(requests).toHaveLength(6);
  });

  test('may not be the fourth', async () => {
    const { origin, requests } = await countdown();
    await expectRejected(fetcher().fetch(`${origin}/6`, SMALL), 'redirects');
    expect(requests).toHaveLength(6);
  });

  test('has the cookies of its own origin alone, and what the server is asked for', async () => {
    const other = await plantServer(serve('x'));
    const { origin, requests } = await plantServer((request, response) => {
      const isSeen = request.headers.cookie === 'seen=1; b=2';
      response.writeHead(302, {
        'set-cookie': ['seen=1; Path=/; HttpOnly', 'b=2'],
        location: isSeen ? other.origin : '/again',
      });
      response.end();
    });
    await fetcher().fetch(origin, { ...SMALL, accept: 'image/png' });
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'seen=1; b=2']);
    expect(other.requests[0]?.headers).toMatchObject({ accept: 'image/png' });
    expect(other.requests[0]?.headers.cookie).toBeUndefined();
  });

  test('to itself is rejected', async () => {
    const { origin } = await plantServer(redirectTo('/'));
    await expectRejected(fetcher().fetch(origin, SMALL), 'redirects');
  });

  test.each([
    { to: 'http://10.0.0.1/', reason: 'private-address' },
    { to: 'http://169.254.169.254/latest/meta-data/', reason: 'private-address' },
    { to: 'http://[::1]/', reason: 'private-address' },
    { to: 'http://0x0a000001/', reason: 'private-address' },
    { to: 'http://8.8.8.8:53/', reason: 'port' },
    { to: 'http://a:b@127.0.0.1/', reason: 'credentials' },
    { to: 'file:///etc/passwd', reason: 'scheme' },
    { to: 'http://', reason: 'invalid-url' },
  ])('to $to is rejected', async ({ to, reason }) => {
    const { origin } = await plantServer(redirectTo(to));
    await expectRejected(fetcher().fetch(origin, SMALL), reason);
  });

  test('without a location is rejected', async () => {
    const { origin } = await plantServer(fail(302));
    await expectRejected(fetcher().fetch(origin, SMALL), 'redirects');
  });

  test('of a POST is rejected, and its body is not sent on', async () => {
    const other = await plantServer(serve('x'));
    const { origin } = await plantServer(redirectTo(other.origin, 307));
    const post = { ...SMALL, method: 'POST', body: 'secret' } as const;
    await expectRejected(fetcher().fetch(origin, post), 'redirects');
    expect(other.requests).toEqual([]);
  });

  test('to another origin does not carry the headers of the first', async () => {
    const other = await plantServer(serve('x'));
    const { origin, requests } = await plantServer(redirectTo(other.origin));
    await fetcher().fetch(origin, { ...SMALL, headers: { authorization: 'Bearer t' } });
    expect(requests[0]?.headers.authorization).toBe('Bearer t');
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('the time limit', () => {
  test.each([
    { what: 'headers that do not arrive', answer: silence, limits: { headersMillis: 50 } },
    { what: 'a body that stops', answer: stall, limits: { idleMillis: 50 } },
    { what: 'a slow body', answer: drip, limits: { totalMillis: 100 } },
    { what: 'a silent server', answer: silence, limits: { totalMillis: 50 } },
    { what: 'a body that stops short of the end', answer: stall, limits: { totalMillis: 50 } },
  ])('applies to $what', async ({ answer, limits }) => {
    const { origin } = await plantServer(answer);
    await expectRejected(fetcher({ limits }).fetch(origin, SMALL), 'timeout', { retryable: true });
  });

  test('of one request may differ from the default', async () => {
    const { origin } = await plantServer(drip);
    await expectRejected(fetcher().fetch(origin, { ...SMALL, totalMillis: 50 }), 'timeout');
  });

  test('includes all redirects', async () => {
    const { origin, requests } = await plantServer((request, response) => {
      const hop = requests.length;
      const respond = hop === 4 ? serve('x') : redirectTo(`/${hop}`);
      setTimeout(() => respond(request, response), 100); // a slow host, four times
    });
    await expectRejected(fetcher({ limits: { totalMillis: 250 } }).fetch(origin, SMALL), 'timeout');
  });
});

describe('the least speed', () => {
  const speed = { minBytesPerSecond: 10_000, windowMillis: 100, graceMillis: 0 };

  const HEADERS = [{}, ENCODED.gzip];
  test.each(HEADERS)('ends a body that drips, long before any other limit: %j', async (headers) => {
    const { origin } = await plantServer((request, response) => {
      response.writeHead(200, headers).write(gzipSync('a beginning').subarray(0, 12));
      drip(request, response);
    });
    const fetched = fetcher({ limits: { speed } }).fetch(origin, { maxBytes: 2 ** 20 });
    await expectRejected(fetched, 'too-slow', { retryable: true, isSlow: true });
  });

  test('of one request is added to the default', async () => {
    const { origin } = await plantServer(drip);
    await expectRejected(fetcher().fetch(origin, { ...SMALL, speed }), 'too-slow');
  });

  test('is no concern of a fast body with a slow reader', async () => {
    const { origin } = await plantServer(serve('x'.repeat(2 ** 20)));
    const opened = await openBody(fetcher({ limits: { speed } }), origin, { maxBytes: 2 ** 20 });
    let bytes = 0;
    for await (const chunk of opened.body) {
      bytes += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(bytes).toBe(2 ** 20);
  });

  test('ends headers that drip, too', async () => {
    const { origin } = await plantDrippingHeaders();
    const fetched = fetcher({ limits: { headersMillis: 300 } }).fetch(origin, SMALL);
    await expectRejected(fetched, 'timeout', { isSlow: true });
  });
});

describe('the limit of expansion', () => {
  const feed = Array.from({ length: 20_000 }, (_, i) => `${i},Shirt,https://x.example/${i}.jpg\n`);
  const expansion = { freeBytes: 1000, ratio: 200 };

  test.each([
    { name: 'gzip', compress: gzipSync },
    { name: 'deflate', compress: deflateSync },
    { name: 'br', compress: brotliCompressSync },
  ])('ends a $name bomb that is within the size limit', async ({ name, compress }) => {
    const bomb = compress('x'.repeat(2 ** 20));
    const { origin } = await plantServer(serve(bomb, { 'content-encoding': name }));
    const fetched = fetcher({ limits: { expansion } }).fetch(origin, { maxBytes: 2 ** 30 });
    await expectRejected(fetched, 'expansion', { retryable: false });
  });

  test('leaves bodies alone that are small, or no bombs', async () => {
    const { origin } = await plantServer((request, response) => {
      const text = request.url === '/small' ? 'x'.repeat(1000) : feed.join('');
      serve(gzipSync(text), ENCODED.gzip)(request, response);
    });
    const safe = fetcher({ limits: { expansion } });
    for (const path of ['/small', '/feed']) {
      expect(await safe.fetch(origin + path, { maxBytes: 2 ** 30 })).toMatchObject({ status: 200 });
    }
  });
});

describe('the size limit', () => {
  test('is inclusive', async () => {
    const { origin } = await plantServer(serve('x'.repeat(1000)));
    expect(textOf(await fetcher().fetch(origin, SMALL))).toHaveLength(1000);
  });

  test('applies to the announced length, before the body', async () => {
    const { origin } = await plantServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1001' }).flushHeaders();
    });
    await expectRejected(fetcher().fetch(origin, SMALL), 'too-large');
  });

  const zeros = new Uint8Array(2 ** 20);
  /** An empty gzip member: 20 bytes compressed, none decompressed. */
  const nothing = gzipSync('');

  test.each([
    { what: 'an endless body', answer: endless(zeros.subarray(0, 100)) },
    { what: 'a gzip bomb', answer: serve(gzipSync(zeros), ENCODED.gzip) },
    { what: 'a deflate bomb', answer: serve(deflateSync(zeros), ENCODED.deflate) },
    { what: 'a brotli bomb', answer: serve(brotliCompressSync(zeros), ENCODED.br) },
    { what: 'an endless archive', answer: endless(nothing, ENCODED.gzip) },
  ])('$what is cut off at the limit', async ({ answer }) => {
    const { origin } = await plantServer(answer);
    const fetched = fetcher().fetch(origin, { maxBytes: 20_000 });
    await expectRejected(fetched, 'too-large', { retryable: false });
  });
});

describe('a broken response', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const ofBytes = (length: number, head = ok) => `${head}Content-Length: ${length}\r\n\r\n`;
  const inChunks = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
  const encoded = (name: string) => `${ok}Content-Encoding: ${name}\r\n`;
  const half = gzipSync('a feed, a feed, a feed').subarray(0, 15);
  test.each<[what: string, reason: string, bytes: string | Uint8Array]>([
    ['fewer bytes than announced', 'truncated', `${ofBytes(99)}half`],
    ['chunks without an end', 'truncated', `${inChunks}4\r\nhalf\r\n`],
    [
      'half an archive',
      'truncated',
      Buffer.concat([Buffer.from(ofBytes(15, encoded('gzip'))), half]),
    ],
    ['two content lengths', 'truncated', `${ofBytes(5, `${ok}Content-Length: 4\r\n`)}half`],
    ['an archive of noise', 'encoding', `${ofBytes(5, encoded('gzip'))}noise`],
    ['an unsupported compression', 'encoding', `${ofBytes(1, encoded('zstd'))}x`],
    ['two nested compressions', 'encoding', `${ofBytes(1, encoded('gzip, gzip'))}x`],
    ['a chunk with an invalid size', 'protocol', `${inChunks}zz\r\nhalf\r\n`],
    ['something that is not HTTP', 'protocol', '220 mail.example ESMTP\r\n'],
    ['headers without end', 'protocol', `${ok}X: ${'x'.repeat(100_000)}`],
    ['an empty response', 'connect', ''],
  ])('%s is rejected: %s', async (_, reason, bytes) => {
    const { origin } = await plantRaw(bytes);
    await expectRejected(fetcher().fetch(origin, SMALL), reason);
  });

  test('with more bytes than announced is read up to the announced length', async () => {
    const { origin } = await plantRaw(`${ofBytes(4)}half and more`);
    expect(textOf(await fetcher().fetch(origin, SMALL))).toBe('half');
  });

  test('without a length ends with the connection', async () => {
    const { origin } = await plantRaw(`${ok}\r\nold style`);
    expect(textOf(await fetcher().fetch(origin, SMALL))).toBe('old style');
  });
});

describe('an abort', () => {
  test('before the start sends nothing', async () => {
    const { origin, requests } = await plantServer(serve('x'));
    const signal = AbortSignal.abort(new Error('the shop closed'));
    await expectRejected(fetcher().fetch(origin, { ...SMALL, signal }), 'aborted');
    expect(requests).toEqual([]);
  });

  test('before the headers aborts the request', async () => {
    const stop = new AbortController();
    const { origin } = await plantServer(() => stop.abort());
    await expectRejected(fetcher().fetch(origin, { ...SMALL, signal: stop.signal }), 'aborted');
  });

  test('during the body aborts it', async () => {
    const stop = new AbortController();
    const { origin } = await plantServer(drip);
    const opened = await openBody(fetcher(), origin, { ...SMALL, signal: stop.signal });
    const parts = opened.body[Symbol.asyncIterator]();
    await parts.next();
    stop.abort();
    const readAll = async () => {
      while (!(await parts.next()).done);
    };
    await expectRejected(readAll(), 'aborted');
  });

  test('while waiting for a slot sends nothing', async () => {
    const stop = new AbortController();
    const { origin, requests } = await plantServer((_request, response) => {
      stop.abort();
      response.end('first');
    });
    const safe = fetcher({ maxPerHost: 1 });
    const first = safe.fetch(origin, SMALL);
    await expectRejected(safe.fetch(origin, { ...SMALL, signal: stop.signal }), 'aborted');
    expect(textOf(await first)).toBe('first');
    expect(requests).toHaveLength(1);
  });

  test('closing aborts running requests', async () => {
    const came = new EventTarget();
    const { origin } = await plantServer(() => came.dispatchEvent(new Event('request')));
    const safe = fetcher();
    const requested = once(came, 'request');
    const rejected = expectRejected(safe.fetch(origin, SMALL), 'connect');
    await requested;
    await safe.close();
    await rejected;
  });
});

describe('a stream', () => {
  test('yields the body in chunks', async () => {
    const { origin } = await plantServer(serve('line\n'.repeat(100)));
    const opened = await openBody(fetcher(), origin);
    const parts: Uint8Array[] = [];
    for await (const part of opened.body) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('line\n'.repeat(100));
  });

  test.each([{ headers: {} }, { headers: ENCODED.gzip }])(
    'whose reader stops closes the connection and frees the slot',
    async ({ headers }) => {
      const hungUp = new EventTarget();
      const piece =
        'content-encoding' in headers ? gzipSync('x'.repeat(50_000)) : Buffer.alloc(50_000);
      const { origin } = await plantServer((request, response) => {
        if (request.url === '/next') return serve('next')(request, response);
        response.once('close', () => hungUp.dispatchEvent(new Event('close')));
        endless(piece, headers)(request, response);
      });
      const safe = fetcher({ maxPerHost: 1 });
      const closed = once(hungUp, 'close');
      const opened = await openBody(safe, origin, { maxBytes: 2 ** 30 });
      const lengths: number[] = [];
      for await (const chunk of opened.body) {
        lengths.push(chunk.length);
        break;
      }
      expect(lengths).toEqual([expect.any(Number)]);
      expect(lengths[0]).toBeGreaterThan(0);
      await closed;
      expect(textOf(await safe.fetch(`${origin}/next`, SMALL))).toBe('next');
    },
  );

  test.each([{}, ENCODED.gzip])('that is discarded frees the slot: %j', async (headers) => {
    const { origin } = await plantServer(
      choosing((request) =>
        request.url === '/next' ? serve('next') : endless(gzipSync(''), headers),
      ),
    );
    const safe = fetcher({ maxPerHost: 1 });
    const opened = await openBody(safe, origin, { ...SMALL, method: 'POST', body: '{}' });
    expect(opened.status).toBe(200);
    opened.discard();
    expect(textOf(await safe.fetch(`${origin}/next`, SMALL))).toBe('next');
  });

  test.each([{}, ENCODED.gzip])('aborted before it is read throws: %j', async (headers) => {
    const { origin } = await plantServer(endless(gzipSync('x'), headers));
    const stop = new AbortController();
    const opened = await openBody(fetcher(), origin, { ...SMALL, signal: stop.signal });
    stop.abort();
    await expectRejected(opened.body[Symbol.asyncIterator]().next(), 'aborted');
  });

  test('that drips and is not read closes its connection', async () => {
    const closed: (string | undefined)[] = [];
    const { origin } = await plantServer((request, response) => {
      response.once('close', () => closed.push(request.url));
      if (request.url === '/404') response.statusCode = 404;
      drip(request, response);
    });
    const safe = fetcher({ limits: { drainMillis: 100 } });
    const opened = await openBody(safe, `${origin}/discarded`);
    opened.discard();
    await expectRejected(safe.fetch(`${origin}/404`, SMALL), 'status');
    await expect.poll(() => closed.toSorted()).toEqual(['/404', '/discarded']);
  });

  test('that nobody reads frees its slot at the deadline', async () => {
    const { origin } = await plantServer(
      choosing((request) => (request.url === '/next' ? serve('next') : stall)),
    );
    const safe = fetcher({ maxPerHost: 1 });
    await safe.open(origin, { ...SMALL, totalMillis: 500 });
    expect(textOf(await safe.fetch(`${origin}/next`, SMALL))).toBe('next');
  });
});

test('an idle connection is closed, however long its server wants it to stay open', async () => {
  const response = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\nkeep-alive: timeout=600\r\n\r\nx';
  let closed = 0;
  const server = createServer((socket) => {
    socket.once('data', () => socket.write(response));
    socket.once('close', () => {
      closed += 1;
    });
  });
  onTestFinished(() => void server.close());
  const port = await listen(server);
  await fetcher({ limits: { keepAliveMillis: 100 } }).fetch(`http://127.0.0.1:${port}/`, SMALL);
  await expect.poll(() => closed).toBe(1);
});

test('one client leaves connections to the others, whatever the number of its hosts', async () => {
  const { port, requests } = await plantServer(silence, undefined, '0.0.0.0');
  const safe = fetcher();
  const fetchOf = (client: string, host: number) =>
    safe
      .fetch(`http://127.0.${1 + (host >> 7)}.${1 + (host & 127)}:${port}/`, { ...SMALL, client })
      .catch(() => {});
  for (let host = 0; host < 300; host++) void fetchOf('A', host);
  await expect.poll(() => requests.length).toBe(256);
  void fetchOf('B', 300);
  await expect.poll(() => requests.at(-1)?.headers.host).toBe(`127.0.3.45:${port}`);
  expect(requests).toHaveLength(257);
});

describe('one host', () => {
  test('gets at most four concurrent requests, in order', async () => {
    const held: (() => void)[] = [];
    let maxConcurrent = 0;
    const four = new EventTarget();
    const { origin, requests } = await plantServer((_request, response) => {
      held.push(() => response.end('x'));
      maxConcurrent = Math.max(maxConcurrent, held.length);
      four.dispatchEvent(new Event('came'));
    });
    const safe = fetcher();
    const fetches = Array.from({ length: 12 }, (_, i) => safe.fetch(`${origin}/${i}`, SMALL));
    while (requests.length < 12) {
      await once(four, 'came');
      if (held.length === 4 || requests.length === 12) held.shift()?.();
    }
    for (const answer of held) answer();
    await Promise.all(fetches);
    expect(maxConcurrent).toBe(4);
    const order = requests.map(({ url }) => Number(url?.slice(1)));
    expect(order.slice(4)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('is still reachable after every kind of failure', async () => {
    const answers: Record<string, typeof stall> = {
      '/404': fail(404),
      '/silence': silence,
      '/stall': stall,
      '/loop': redirectTo('/loop'),
      '/inside': redirectTo('http://10.0.0.1/'),
      '/large': serve('x'.repeat(2000)),
      '/long': (_request, response) => {
        response.writeHead(200, { 'content-length': '1001' }).flushHeaders();
      },
      '/bomb': serve(gzipSync(new Uint8Array(2 ** 20)), ENCODED.gzip),
      '/noise': serve('noise', ENCODED.gzip),
      '/zstd': serve('noise', ENCODED.zstd),
    };
    const { origin } = await plantServer(choosing(({ url = '' }) => answers[url] ?? serve('fine')));
    const safe = fetcher({ maxPerHost: 1, limits: { headersMillis: 500, idleMillis: 500 } });
    const failing = Object.keys(answers);
    const outcomes = await Promise.allSettled(
      [...failing, '/fine'].map((path) => safe.fetch(origin + path, SMALL)),
    );
    const expected = [...failing.map(() => 'rejected'), 'fulfilled'];
    expect(outcomes.map(({ status }) => status)).toEqual(expected);
  });
});

describe('an error', () => {
  test('is reported once, whether it comes before the body or within it', async () => {
    const reported: string[] = [];
    const safe = fetcher({ onError: (reason, host) => void reported.push(`${host} ${reason}`) });
    const { origin } = await plantServer(endless(Buffer.alloc(100)));
    await expectRejected(safe.fetch(origin, SMALL), 'too-large');
    await expect(safe.fetch('http://10.0.0.1/', SMALL)).rejects.toThrow();
    await expect(safe.fetch('nonsense', SMALL)).rejects.toThrow();
    expect(reported).toEqual(['127.0.0.1 too-large', '10.0.0.1 private-address', ' invalid-url']);
  });

  const LINKS = ['http://127.0.0.1:1/', 'http://10.1.2.3/', 'http://[fd00::1]/'];
  test.each(LINKS)('for %s does not reveal the address', async (link) => {
    const message = await fetcher()
      .fetch(link, SMALL)
      .catch((error) => String(error.message));
    expect(message).toMatch(/^[A-Z][a-z, ]+$/);
  });
});
