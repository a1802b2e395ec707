import { request as rawRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { postBase64, postImage, rawExchange } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { startGateway, useSharedStack } from '../support/use-stack.ts';

const SHOP = 'https://shop.example';
const METRICS_KEY = 'a-scraper-of-this-test';

const { stack, key, intake, batches } = await useSharedStack();
const shirt = await drawnShirt({ width: 200, height: 240, format: 'jpeg' });

type Headers = Record<string, string>;

const ask = (path: string, headers: Headers = {}, method = 'GET'): Promise<Response> =>
  fetch(`${stack.url}${path}`, { method, headers });
const askAs = (path: string, headers: Headers = {}): Promise<Response> =>
  ask(path, { authorization: `Bearer ${key}`, ...headers });

interface Raw {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

/** Asks without decompressing the response. */
const askRaw = (path: string, headers: Headers = {}, method = 'GET', body = ''): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const request = rawRequest(`${stack.url}${path}`, { method, headers }, async (response) => {
      const chunks = await response.toArray();
      const { statusCode: status, headers } = response;
      resolve({ status, headers, bytes: Buffer.concat(chunks) });
    });
    request.on('error', reject).end(body);
  });

const GZIP = { 'accept-encoding': 'br, gzip;q=0.9' };

describe('a page of another origin', () => {
  const preflight = (
    path: string,
    origin: string,
    method = 'POST',
    wanted = 'authorization,idempotency-key',
  ) => {
    const name = 'access-control-request';
    const headers = { origin, [`${name}-method`]: method, [`${name}-headers`]: wanted };
    return ask(path, headers, 'OPTIONS');
  };

  test('that is allowed can call the API and read its headers', async () => {
    const asked = await preflight('/bg/v1/background-removals', SHOP);
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(asked.headers.get('vary')).toContain('Origin');
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
    const allowed = asked.headers.get('access-control-allow-headers')?.toLowerCase();
    const own = ['idempotency-key', 'prefer', 'last-event-id'];
    for (const name of ['authorization', 'content-type', ...own]) expect(allowed).toContain(name);
    expect(allowed).not.toContain('x-selvage-console');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await postImage(stack, shirt, { key, headers: { origin: SHOP } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
    const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase();
    for (const name of ['x-request-id', 'retry-after', 'ratelimit', 'location', 'etag']) {
      expect(exposed).toContain(name);
    }
    await answer.arrayBuffer();
  });

  test('that is allowed can read the problem of a failed request', async () => {
    const answer = await ask('/intake/v1/usage', { origin: SHOP });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
  });

  const ORIGINS = ['https://evil.example', 'null', `${SHOP}.evil.example`];
  test.each(ORIGINS)('%s cannot call the API', async (origin) => {
    const asked = await preflight('/bg/v1/background-removals', origin);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    const answer = await askAs('/intake/v1/usage', { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('vary')).toContain('Origin'); // a cache must not mix the answers
  });

  const PATHS = ['/look/v1/params', '/taxonomy/v1/options'];
  test.each(PATHS)('can read %s, whatever it is', async (path) => {
    const origin = 'https://any.example';
    const asked = await preflight(path, origin, 'GET', 'if-none-match');
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const answer = await ask(path, { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
    await answer.arrayBuffer();
  });

  test('cannot read what is not the API', async () => {
    for (const path of ['/', '/docs', '/openapi.json', '/ops/queues', '/nowhere']) {
      const answer = await ask(path, { origin: SHOP });
      expect(answer.headers.get('access-control-allow-origin'), path).toBeNull();
      await answer.arrayBuffer();
    }
  });

  test('OPTIONS that is no preflight lists the methods, and is a 404 at no address', async () => {
    const answer = await ask('/bg/v1/background-removals', { origin: SHOP }, 'OPTIONS');
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    const nowhere = await preflight('/no/such/thing', SHOP);
    expect(await nowhere.json()).toMatchObject({ type: 'not-found' });
  });
});

describe('compression', () => {
  test('of JSON and HTML over 1 kB, for those who accept it', async () => {
    for (let count = 0; count < 3; count++) await batches.open();
    const paths = ['/intake/v1/batches', '/openapi.json', '/taxonomy/v1/options', '/problems'];
    for (const path of [...paths, '/look/v1/params', '/look/v1/meta']) {
      const authorization = `Bearer ${key}`;
      const plain = await askRaw(path, { authorization });
      expect(plain.headers, path).not.toHaveProperty('content-encoding');
      const { headers, bytes } = await askRaw(path, { authorization, ...GZIP });
      expect(headers['content-encoding'], path).toBe('gzip');
      expect(String(headers.vary).toLowerCase(), path).toContain('accept-encoding');
      expect(headers['content-length'], path).toBe(String(bytes.length));
      expect(gunzipSync(bytes).equals(plain.bytes), path).toBe(true);
      expect(bytes.length, path).toBeLessThan(0.6 * plain.bytes.length);
    }
  });

  const FILES = ['/', '/console/main.js', '/console/style/base.css', '/docs/static/swagger-ui.css'];
  test.each(FILES)('of the files of pages: %s', async (path) => {
    const plain = await askRaw(path);
    const { headers, bytes } = await askRaw(path, GZIP);
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
    const { etag = '' } = headers;
    expect((await askRaw(path, { ...GZIP, 'if-none-match': String(etag) })).status).toBe(304);
  });

  test('of computed outfits, and of problems', async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...GZIP };
    const weather = { tempC: 5, windMs: 3, humidityPct: 60, condition: 'rain' };
    const items = Array.from({ length: 60 }, (_, at) => ({ id: `x${at}` }));
    const body = JSON.stringify({ weather, met: 2, items });
    const answer = await askRaw('/look/v1/outfits', headers, 'POST', body);
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(answer.bytes).toString())).toMatchObject({ status: 400 });
  });

  test.each([
    ['short JSON', () => askRaw('/livez', GZIP)],
    [
      'what refuses it',
      () => askRaw('/taxonomy/v1/options', { 'accept-encoding': 'gzip;q=0, br' }),
    ],
  ])('not of %s', async (_, send) => {
    expect((await send()).headers).not.toHaveProperty('content-encoding');
  });

  test('not of images, in base64 neither, of lines or of events', async () => {
    const sent = { key, headers: GZIP };
    const png = await postImage(stack, shirt, sent);
    expect(png.headers.get('content-encoding')).toBeNull();
    await png.arrayBuffer();
    const base64 = await postBase64(stack, shirt.toString('base64'), sent);
    expect(base64.headers.get('content-encoding')).toBeNull();
    expect((await base64.text()).length).toBeGreaterThan(1024);
    const id = await batches.open();
    await batches.send(id, Array.from({ length: 30 }, () => '{}\n').join(''));
    await batches.cancel(id);
    for (const report of ['errors', 'events']) {
      const answer = await askAs(`/intake/v1/batches/${id}/${report}`, GZIP);
      expect(answer.headers.get('content-encoding'), report).toBeNull();
      await answer.text();
    }
  });

  test('not of what a cookie opens: its length could tell a secret', async () => {
    const signedIn = await fetch(`${stack.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { cookie, 'x-selvage-console': '1', ...GZIP };
    const answer = await askRaw('/intake/v1/batches', headers);
    expect(answer.bytes.length).toBeGreaterThan(1024);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });

  test('of a request is rejected as before', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await askRaw('/look/v1/targets', headers, 'POST', 'x');
    expect(JSON.parse(answer.bytes.toString())).toMatchObject({ type: 'unsupported-media-type' });
  });
});

describe('caching', () => {
  test.each([
    '/openapi.json',
    '/problems',
    '/problems/conflict',
    '/look/v1/params',
    '/look/v1/meta',
    '/taxonomy/v1/options',
    '/',
    '/console/index.html',
    '/docs/static/swagger-ui.css',
  ])('%s has a tag and is not sent again to a client that has it', async (path) => {
    const first = await askAs(path);
    expect(first.status).toBe(200);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    expect(first.headers.get('cache-control')).toMatch(/max-age|no-cache/);
    await first.arrayBuffer();
    // fetch would add Cache-Control: no-cache.
    const headers = { authorization: `Bearer ${key}`, 'if-none-match': etag };
    const again = await askRaw(path, headers);
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test('what is personal, a problem or of the moment is not stored', async () => {
    const { id } = await readJob(await intake.post(shirt));
    const paths = [
      `/jobs/${id}`,
      '/jobs/none',
      '/usage',
      '/batches',
      '/feeds',
      '/webhooks',
      '/webhooks/deliveries',
    ].map((path) => `/intake/v1${path}`);
    const others = ['/readyz', '/metrics', '/no/such/page', '/problems/none', '/console/session'];
    for (const path of [...paths, ...others]) {
      const answer = await askAs(path);
      expect(answer.headers.get('cache-control'), path).toContain('no-store');
      await answer.arrayBuffer();
    }
    const sent = await ask('/taxonomy/v1/options?locale=xx');
    expect([sent.status, sent.headers.get('cache-control')]).toEqual([400, 'no-store']);
  });
});

test('OPTIONS * lists the methods of the service', async () => {
  const answer = await rawExchange(
    stack.url,
    'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1.1 204 /);
  expect(answer.toLowerCase()).toContain(
    '\r\nallow: get, head, post, put, patch, delete, options\r\n',
  );
});

test.each([
  ['/bg/v1/background-removals', 'POST, OPTIONS'],
  ['/taxonomy/v1/options', 'GET, HEAD, OPTIONS'],
])('TRACE %s is a 405 problem with Allow, and nothing is echoed', async (path, allow) => {
  const answer = await rawExchange(
    stack.url,
    `TRACE ${path} HTTP/1.1\r\nHost: x\r\nX-Secret: canary\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 405 /);
  expect(answer.toLowerCase()).toContain(`\r\nallow: ${allow.toLowerCase()}\r\n`);
  expect(answer).toContain('"type":"method-not-allowed"');
  expect(answer).not.toContain('canary');
});

describe('metrics', () => {
  test('are open on the port of the API unless the settings say otherwise', async () => {
    const answer = await ask('/metrics');
    const expected = [200, expect.stringContaining('selvage_build_info')];
    expect([answer.status, await answer.text()]).toEqual(expected);
  });

  test('with a key need it', async () => {
    const closed = await startGateway(stack, { METRICS_KEY });
    for (const [authorization, status] of [
      ['', 401],
      [`Bearer ${METRICS_KEY}x`, 401],
      [`Bearer ${key}`, 401],
      [`Bearer ${METRICS_KEY}`, 200],
    ] as const) {
      const answer = await fetch(`${closed.url}/metrics`, { headers: { authorization } });
      expect(answer.status).toBe(status);
      if (status === 401) {
        expect(await answer.json()).toMatchObject({ type: 'unauthorized' });
        expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      } else await answer.arrayBuffer();
    }
    expect(closed.output()).not.toContain(METRICS_KEY);
  });

  test('on a port of their own are not on that of the API', async () => {
    const apart = await startGateway(stack, { METRICS_PORT: '0', METRICS_KEY });
    expect((await fetch(`${apart.url}/metrics`)).status).toBe(404);
    const origin = `http://127.0.0.1:${apart.metricsPort}`;
    expect((await fetch(`${origin}/metrics`)).status).toBe(401);
    expect((await fetch(`${origin}/livez`)).status).toBe(404);
    const headers = { authorization: `Bearer ${METRICS_KEY}` };
    const answer = await fetch(`${origin}/metrics`, { headers });
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toContain('selvage_http_request_seconds');
  });
});
