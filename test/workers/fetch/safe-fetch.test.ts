import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createSafeFetch,
  type Fetched,
  type FetchOrder,
  type SafeFetchSettings,
} from '../../../workers/fetch/safe-fetch.ts';
import {
  drip,
  endless,
  fail,
  plantRaw,
  plantServer,
  redirectTo,
  serve,
  silence,
  stall,
} from '../../support/servers.ts';

function fetcher(settings: Partial<SafeFetchSettings> = {}) {
  const safe = createSafeFetch({ allow: ['127.0.0.0/8'], userAgent: 'Selvage/test', ...settings });
  onTestFinished(() => safe.close());
  return safe;
}

const refusal = (reason: string, more = {}) =>
  expect.objectContaining({ name: 'FetchRefused', reason, ...more });

const small: FetchOrder = { maxBytes: 1000 };

const textOf = (fetched: Fetched): string => {
  if (fetched.notModified) throw new Error('not modified');
  return new TextDecoder().decode(fetched.bytes);
};

describe('an answer', () => {
  test('comes with its bytes, what the server said of them, and where it was', async () => {
    const { origin } = await plantServer(
      serve('a picture', {
        'content-type': 'image/png',
        etag: '"v1"',
        'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT',
      }),
    );
    const fetched = await fetcher().fetch(`${origin}/1.png?size=full#top`, small);
    expect(fetched).toEqual({
      notModified: false,
      status: 200,
      bytes: Buffer.from('a picture'),
      finalUrl: `${origin}/1.png?size=full#top`,
      headers: {
        contentType: 'image/png',
        etag: '"v1"',
        lastModified: 'Fri, 20 Nov 2026 08:00:00 GMT',
      },
    });
  });

  test('that is a web page in place of a picture says so in its content type', async () => {
    const { origin } = await plantServer(serve('<html>', { 'content-type': 'text/html' }));
    const fetched = await fetcher().fetch(origin, small);
    expect(fetched.headers.contentType).toBe('text/html');
  });

  test('may be empty', async () => {
    const { origin } = await plantServer((_request, response) => response.writeHead(204).end());
    const fetched = await fetcher().fetch(origin, small);
    expect(fetched).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
  });

  test.each([
    { name: 'gzip', compress: gzipSync },
    { name: 'x-gzip', compress: gzipSync },
    { name: 'deflate', compress: deflateSync },
    { name: 'BR', compress: brotliCompressSync },
    { name: 'identity', compress: (text: string) => text },
  ])('compressed with $name is unfolded', async ({ name, compress }) => {
    const { origin } = await plantServer(
      serve(compress('a feed, a feed'), { 'content-encoding': name }),
    );
    expect(textOf(await fetcher().fetch(origin, small))).toBe('a feed, a feed');
  });

  test.each([
    { status: 404, retryable: false },
    { status: 410, retryable: false },
    { status: 304, retryable: false },
    { status: 429, retryable: true },
    { status: 500, retryable: true },
    { status: 503, retryable: true },
  ])('of $status is refused', async ({ status, retryable }) => {
    const { origin } = await plantServer(fail(status));
    await expect(fetcher().fetch(origin, small)).rejects.toThrow(
      refusal('status', { status, retryable }),
    );
  });
});

describe('a request', () => {
  test('says who asks, and nothing of this machine', async () => {
    const { origin, port, requests } = await plantServer(serve('x'));
    await fetcher().fetch(origin, small);
    expect(requests[0]?.headers).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'Selvage/test',
    });
  });

  test('carries no cookie that an earlier answer set', async () => {
    const { origin, requests } = await plantServer(serve('x', { 'set-cookie': 'id=1; Path=/' }));
    const safe = fetcher();
    await safe.fetch(origin, small);
    await safe.fetch(origin, small);
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  test('takes no proxy from the environment', async () => {
    const proxy = await plantServer(serve('from the proxy'));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) {
      vi.stubEnv(name, proxy.origin);
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    const { origin } = await plantServer(serve('from the server'));
    expect(textOf(await fetcher().fetch(origin, small))).toBe('from the server');
    expect(proxy.requests).toEqual([]);
  });

  test('may post a body with headers of its own', async () => {
    const { origin, requests } = await plantServer(async (request, response) => {
      const chunks = await request.toArray();
      response.end(Buffer.concat(chunks));
    });
    const fetched = await fetcher().fetch(origin, {
      ...small,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
      body: '{"a":1}',
    });
    expect(textOf(fetched)).toBe('{"a":1}');
    expect(requests[0]?.method).toBe('POST');
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
    });
  });

  test.each([
    { order: { etag: '"v1"' }, header: 'if-none-match', value: '"v1"' },
    {
      order: { lastModified: 'Fri, 20 Nov 2026 08:00:00 GMT' },
      header: 'if-modified-since',
      value: 'Fri, 20 Nov 2026 08:00:00 GMT',
    },
  ])('with $header learns that nothing changed', async ({ order, header, value }) => {
    const { origin, requests } = await plantServer((_request, response) => {
      response.writeHead(304, { etag: '"v1"' }).end();
    });
    expect(await fetcher().fetch(`${origin}/`, { ...small, ...order })).toEqual({
      notModified: true,
      finalUrl: `${origin}/`,
      headers: { contentType: undefined, etag: '"v1"', lastModified: undefined },
    });
    expect(requests[0]?.headers[header]).toBe(value);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('by %i is followed, relative ones too', async (status) => {
    const { origin } = await plantServer((request, response) => {
      const answer = request.url === '/final/1.png' ? serve('here') : redirectTo('1.png', status);
      answer(request, response);
    });
    const fetched = await fetcher().fetch(`${origin}/final/start`, small);
    expect(fetched.finalUrl).toBe(`${origin}/final/1.png`);
    expect(textOf(fetched)).toBe('here');
  });

  const countdown = () =>
    plantServer((request, response) => {
      const left = Number(request.url?.slice(1));
      const answer = left === 0 ? serve('here') : redirectTo(`/${left - 1}`);
      answer(request, response);
    });

  test('may lead to three more', async () => {
    const { origin, requests } = await countdown();
    expect(textOf(await fetcher().fetch(`${origin}/3`, small))).toBe('here');
    expect(requests).toHaveLength(4);
  });

  test('may not lead to a fourth', async () => {
    const { origin, requests } = await countdown();
    await expect(fetcher().fetch(`${origin}/4`, small)).rejects.toThrow(refusal('redirects'));
    expect(requests).toHaveLength(4);
  });

  test('to itself is refused', async () => {
    const { origin } = await plantServer(redirectTo('/'));
    await expect(fetcher().fetch(origin, small)).rejects.toThrow(refusal('redirects'));
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
  ])('to $to is refused', async ({ to, reason }) => {
    const { origin } = await plantServer(redirectTo(to));
    await expect(fetcher().fetch(origin, small)).rejects.toThrow(refusal(reason));
  });

  test('to nowhere is refused', async () => {
    const { origin } = await plantServer(fail(302));
    await expect(fetcher().fetch(origin, small)).rejects.toThrow(refusal('redirects'));
  });

  test('of a POST is refused, and its body goes nowhere else', async () => {
    const other = await plantServer(serve('x'));
    const { origin } = await plantServer(redirectTo(other.origin, 307));
    await expect(
      fetcher().fetch(origin, { ...small, method: 'POST', body: 'secret' }),
    ).rejects.toThrow(refusal('redirects'));
    expect(other.requests).toEqual([]);
  });

  test('to another origin does not carry the headers of the first', async () => {
    const other = await plantServer(serve('x'));
    const { origin, requests } = await plantServer(redirectTo(other.origin));
    await fetcher().fetch(origin, { ...small, headers: { authorization: 'Bearer t' } });
    expect(requests[0]?.headers.authorization).toBe('Bearer t');
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('time', () => {
  test.each([
    { what: 'headers that do not come', answer: silence, limits: { headersMillis: 50 } },
    { what: 'a body that stops', answer: stall, limits: { idleMillis: 50 } },
    { what: 'a body that drips', answer: drip, limits: { totalMillis: 100 } },
    { what: 'silence', answer: silence, limits: { totalMillis: 50 } },
    { what: 'a body that stops short of the end', answer: stall, limits: { totalMillis: 50 } },
  ])('runs out for $what', async ({ answer, limits }) => {
    const { origin } = await plantServer(answer);
    await expect(fetcher({ limits }).fetch(origin, small)).rejects.toThrow(
      refusal('timeout', { retryable: true }),
    );
  });

  test('of one request may differ from the usual', async () => {
    const { origin } = await plantServer(drip);
    await expect(fetcher().fetch(origin, { ...small, totalMillis: 50 })).rejects.toThrow(
      refusal('timeout'),
    );
  });

  test('is that of all redirects together', async () => {
    const { origin, requests } = await plantServer((request, response) => {
      const hop = requests.length;
      const answer = hop === 4 ? serve('x') : redirectTo(`/${hop}`);
      setTimeout(() => answer(request, response), 100); // a slow host, four times
    });
    await expect(fetcher({ limits: { totalMillis: 250 } }).fetch(origin, small)).rejects.toThrow(
      refusal('timeout'),
    );
  });
});

describe('size', () => {
  test('up to the ceiling is taken', async () => {
    const { origin } = await plantServer(serve('x'.repeat(1000)));
    expect(textOf(await fetcher().fetch(origin, small))).toHaveLength(1000);
  });

  test('is refused by what the server announces, before a byte of it', async () => {
    const { origin } = await plantServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1001' }).flushHeaders();
    });
    await expect(fetcher().fetch(origin, small)).rejects.toThrow(refusal('too-large'));
  });

  const zeros = new Uint8Array(2 ** 24);
  /** A gzip member of nothing: 20 bytes on the wire, none unfolded. */
  const nothing = gzipSync('');

  test.each([
    { what: 'an endless body', answer: endless(zeros.subarray(0, 100)) },
    { what: 'a gzip bomb', answer: serve(gzipSync(zeros), { 'content-encoding': 'gzip' }) },
    {
      what: 'a deflate bomb',
      answer: serve(deflateSync(zeros), { 'content-encoding': 'deflate' }),
    },
    {
      what: 'a brotli bomb',
      answer: serve(brotliCompressSync(zeros), { 'content-encoding': 'br' }),
    },
    { what: 'an endless archive', answer: endless(nothing, { 'content-encoding': 'gzip' }) },
  ])('$what is cut off at the ceiling', async ({ answer }) => {
    const { origin } = await plantServer(answer);
    const fetched = fetcher().fetch(origin, { maxBytes: 20_000 });
    await expect(fetched.then(({ finalUrl }) => finalUrl)).rejects.toThrow(
      refusal('too-large', { retryable: false }),
    );
  });
});

describe('a broken answer', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const gzip = gzipSync('a feed, a feed, a feed');
  const gzipHead = `${ok}Content-Encoding: gzip\r\n`;
  test.each([
    {
      what: 'fewer bytes than announced',
      bytes: `${ok}Content-Length: 99\r\n\r\nhalf`,
      reason: 'truncated',
    },
    {
      what: 'chunks without an end',
      bytes: `${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
      reason: 'truncated',
    },
    {
      what: 'half an archive',
      bytes: Buffer.concat([
        Buffer.from(`${gzipHead}Content-Length: 15\r\n\r\n`),
        gzip.subarray(0, 15),
      ]),
      reason: 'truncated',
    },
    {
      what: 'an archive of noise',
      bytes: `${gzipHead}Content-Length: 5\r\n\r\nnoise`,
      reason: 'encoding',
    },
    {
      what: 'a compression nobody asked for',
      bytes: `${ok}Content-Encoding: zstd\r\nContent-Length: 1\r\n\r\nx`,
      reason: 'encoding',
    },
    {
      what: 'one compression on another',
      bytes: `${ok}Content-Encoding: gzip, gzip\r\nContent-Length: 1\r\n\r\nx`,
      reason: 'encoding',
    },
    {
      what: 'two lengths',
      bytes: `${ok}Content-Length: 4\r\nContent-Length: 5\r\n\r\nhalf`,
      reason: 'truncated',
    },
    {
      what: 'a chunk of no size',
      bytes: `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n`,
      reason: 'protocol',
    },
    { what: 'something that is not HTTP', bytes: '220 mail.example ESMTP\r\n', reason: 'protocol' },
    { what: 'headers without end', bytes: `${ok}X: ${'x'.repeat(100_000)}`, reason: 'protocol' },
    { what: 'nothing', bytes: '', reason: 'connect' },
  ])('$what is refused: $reason', async ({ bytes, reason }) => {
    const { origin } = await plantRaw(bytes);
    await expect(fetcher().fetch(origin, small)).rejects.toThrow(refusal(reason));
  });

  test('with more bytes than announced is read as far as announced', async () => {
    const { origin } = await plantRaw(`${ok}Content-Length: 4\r\n\r\nhalf and more`);
    expect(textOf(await fetcher().fetch(origin, small))).toBe('half');
  });

  test('that ends with the connection is whole', async () => {
    const { origin } = await plantRaw(`${ok}\r\nold style`);
    expect(textOf(await fetcher().fetch(origin, small))).toBe('old style');
  });
});

describe('calling off', () => {
  test('before it began asks nobody', async () => {
    const { origin, requests } = await plantServer(serve('x'));
    const signal = AbortSignal.abort(new Error('the shop closed'));
    await expect(fetcher().fetch(origin, { ...small, signal })).rejects.toThrow(refusal('aborted'));
    expect(requests).toEqual([]);
  });

  test('before the headers ends the request', async () => {
    const stop = new AbortController();
    const { origin } = await plantServer(() => stop.abort());
    await expect(fetcher().fetch(origin, { ...small, signal: stop.signal })).rejects.toThrow(
      refusal('aborted'),
    );
  });

  test('within the body ends it', async () => {
    const stop = new AbortController();
    const { origin } = await plantServer(drip);
    const opened = await fetcher().open(origin, { ...small, signal: stop.signal });
    if (opened.notModified) throw new Error('not modified');
    const parts = opened.body[Symbol.asyncIterator]();
    await parts.next();
    stop.abort();
    await expect(
      (async () => {
        while (!(await parts.next()).done);
      })(),
    ).rejects.toThrow(refusal('aborted'));
  });

  test('while waiting for a place asks nobody', async () => {
    const stop = new AbortController();
    const { origin, requests } = await plantServer((_request, response) => {
      stop.abort();
      response.end('first');
    });
    const safe = fetcher({ maxPerHost: 1 });
    const first = safe.fetch(origin, small);
    await expect(safe.fetch(origin, { ...small, signal: stop.signal })).rejects.toThrow(
      refusal('aborted'),
    );
    expect(textOf(await first)).toBe('first');
    expect(requests).toHaveLength(1);
  });

  test('closing ends what is under way', async () => {
    const came = new EventTarget();
    const { origin } = await plantServer(() => came.dispatchEvent(new Event('request')));
    const safe = fetcher();
    const asked = once(came, 'request');
    const refused = expect(safe.fetch(origin, small)).rejects.toThrow(refusal('connect'));
    await asked;
    await safe.close();
    await refused;
  });
});

describe('a stream', () => {
  test('gives the body piece by piece', async () => {
    const { origin } = await plantServer(serve('line\n'.repeat(100)));
    const opened = await fetcher().open(origin, small);
    if (opened.notModified) throw new Error('not modified');
    const parts: Uint8Array[] = [];
    for await (const part of opened.body) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('line\n'.repeat(100));
  });

  test.each([{ headers: {} }, { headers: { 'content-encoding': 'gzip' } }])(
    'that its reader leaves hangs up, and the place is free',
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
      const opened = await safe.open(origin, { maxBytes: 2 ** 30 });
      if (opened.notModified) throw new Error('not modified');
      for await (const part of opened.body) {
        expect(part.length).toBeGreaterThan(0);
        break;
      }
      await closed;
      expect(textOf(await safe.fetch(`${origin}/next`, small))).toBe('next');
    },
  );

  test.each([{}, { 'content-encoding': 'gzip' }])(
    'that is discarded frees the place: %j',
    async (headers) => {
      const { origin } = await plantServer((request, response) => {
        const answer = request.url === '/next' ? serve('next') : endless(gzipSync(''), headers);
        answer(request, response);
      });
      const safe = fetcher({ maxPerHost: 1 });
      const opened = await safe.open(origin, { ...small, method: 'POST', body: '{}' });
      if (opened.notModified) throw new Error('not modified');
      expect(opened.status).toBe(200);
      opened.discard();
      expect(textOf(await safe.fetch(`${origin}/next`, small))).toBe('next');
    },
  );

  test.each([{}, { 'content-encoding': 'gzip' }])(
    'called off before it is read says so: %j',
    async (headers) => {
      const { origin } = await plantServer(endless(gzipSync('x'), headers));
      const stop = new AbortController();
      const opened = await fetcher().open(origin, { ...small, signal: stop.signal });
      if (opened.notModified) throw new Error('not modified');
      stop.abort();
      await expect(opened.body[Symbol.asyncIterator]().next()).rejects.toThrow(refusal('aborted'));
    },
  );

  test('that nobody reads gives its place back when its time is over', async () => {
    const { origin } = await plantServer((request, response) => {
      const answer = request.url === '/next' ? serve('next') : stall;
      answer(request, response);
    });
    const safe = fetcher({ maxPerHost: 1 });
    await safe.open(origin, { ...small, totalMillis: 500 });
    expect(textOf(await safe.fetch(`${origin}/next`, small))).toBe('next');
  });
});

describe('one host', () => {
  test('is asked for four at once, in turn', async () => {
    const held: (() => void)[] = [];
    let most = 0;
    const four = new EventTarget();
    const { origin, requests } = await plantServer((_request, response) => {
      held.push(() => response.end('x'));
      most = Math.max(most, held.length);
      four.dispatchEvent(new Event('came'));
    });
    const safe = fetcher();
    const fetches = Array.from({ length: 12 }, (_, i) => safe.fetch(`${origin}/${i}`, small));
    while (requests.length < 12) {
      await once(four, 'came');
      if (held.length === 4 || requests.length === 12) held.shift()?.();
    }
    for (const answer of held) answer();
    await Promise.all(fetches);
    expect(most).toBe(4);
    const order = requests.map(({ url }) => Number(url?.slice(1)));
    expect(order.slice(4)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('serves on after every kind of failure', async () => {
    const { origin } = await plantServer((request, response) => {
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
        '/bomb': serve(gzipSync(new Uint8Array(2 ** 20)), { 'content-encoding': 'gzip' }),
        '/noise': serve('noise', { 'content-encoding': 'gzip' }),
        '/zstd': serve('noise', { 'content-encoding': 'zstd' }),
      };
      (answers[request.url ?? ''] ?? serve('fine'))(request, response);
    });
    const safe = fetcher({ maxPerHost: 1, limits: { headersMillis: 500, idleMillis: 500 } });
    const faults = [
      '404',
      'silence',
      'stall',
      'loop',
      'inside',
      'large',
      'long',
      'bomb',
      'noise',
      'zstd',
    ];
    const outcomes = await Promise.allSettled(
      [...faults, 'fine'].map((path) => safe.fetch(`${origin}/${path}`, small)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...faults.map(() => 'rejected'),
      'fulfilled',
    ]);
  });
});

describe('a refusal', () => {
  test.each(['http://127.0.0.1:1/', 'http://10.1.2.3/', 'http://[fd00::1]/'])(
    'of %s does not tell the address',
    async (link) => {
      const fault = await fetcher()
        .fetch(link, small)
        .catch((error) => String(error.message));
      expect(fault).toMatch(/^[A-Z][a-z, ]+$/);
    },
  );
});
