import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestIdOf } from '../../src/http/request-head.ts';
import type { HttpServer, ServerOptions } from '../../src/http/server.ts';
import { row, serve, TEST_ROUTE } from './serve.ts';

const ECHO = row({
  ...TEST_ROUTE,
  path: '/echo',
  scope: 'keyless',
  handle: ({ baseUrl, remoteAddress }) => ({ body: { baseUrl, remoteAddress } }),
});

const LOOPBACK = ['127.0.0.0/8'];
const BEHIND_TLS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' };

/** What a client learns of itself. `own` stands for the server's own address. */
function servedWith(deps: Partial<ServerOptions>) {
  let server: HttpServer & { url: string };
  beforeAll(async () => {
    server = await serve([ECHO], deps);
  });
  afterAll(() => server.app.close());
  return async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/echo`, { headers });
    const body = (await response.json()) as { baseUrl?: string; remoteAddress?: string };
    return { status: response.status, ...body, isOwn: body.baseUrl === server.url };
  };
}

describe('without TRUST_PROXY', () => {
  const ask = servedWith({});
  test.each([
    BEHIND_TLS,
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a b' },
  ])('headers of strangers are ignored: %j', async (headers) => {
    const { status, isOwn, remoteAddress } = await ask(headers as Record<string, string>);
    const expected = { status: 200, isOwn: true, remoteAddress: '127.0.0.1' };
    expect({ status, isOwn, remoteAddress }).toEqual(expected);
  });
});

describe('with TRUST_PROXY', () => {
  const ask = servedWith({ trustedProxies: LOOPBACK });

  test.each<[Record<string, string>, string]>([
    [BEHIND_TLS, 'https://shop.example'],
    [{ ...BEHIND_TLS, 'x-forwarded-host': 'shop.example:8443' }, 'https://shop.example:8443'],
    [{ ...BEHIND_TLS, 'x-forwarded-host': 'SHOP.example:443' }, 'https://shop.example'],
    [{ ...BEHIND_TLS, 'x-forwarded-proto': 'http, HTTPS' }, 'https://shop.example'],
    [{ ...BEHIND_TLS, 'x-forwarded-host': 'a.example, b.example' }, 'https://b.example'],
  ])('%j is %s', async (headers, baseUrl) => {
    expect(await ask(headers)).toMatchObject({ status: 200, baseUrl });
  });

  test('a proxy that says nothing changes nothing', async () => {
    expect(await ask()).toMatchObject({ isOwn: true, remoteAddress: '127.0.0.1' });
  });

  test('the client is the last address that no trusted proxy has', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 127.0.0.2' };
    expect(await ask(headers)).toMatchObject({ remoteAddress: '203.0.113.7' });
  });

  test.each<Record<string, string>>([
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-proto': 'https, javascript' },
    { 'x-forwarded-proto': 'https://evil.example/#' },
    { 'x-forwarded-host': 'evil.example/path' },
    { 'x-forwarded-host': 'user@evil.example' },
    { 'x-forwarded-host': 'a b' },
    { 'x-forwarded-host': 'a:99999' },
  ])('hostile headers are rejected: %j', async (headers) => {
    expect(await ask(headers)).toMatchObject({
      status: 400,
      type: 'invalid-request',
      detail: expect.stringContaining('X-Forwarded-'),
    });
  });
});

describe('with TRUST_PROXY of another network', () => {
  const ask = servedWith({ trustedProxies: ['10.0.0.0/8', 'fd00::/8'] });
  test('headers of other neighbours are ignored', async () => {
    expect(await ask(BEHIND_TLS)).toMatchObject({ isOwn: true });
  });
});

describe('with PUBLIC_URL', () => {
  const ask = servedWith({ trustedProxies: LOOPBACK, publicUrl: 'https://images.example' });
  test('it goes before all headers', async () => {
    expect(await ask(BEHIND_TLS)).toMatchObject({ baseUrl: 'https://images.example' });
  });
});

const idOf = (sent?: string | string[]) =>
  requestIdOf({ headers: sent === undefined ? {} : { 'x-request-id': sent } } as never);

test("a client's own safe id is used", () => {
  expect(idOf('order-17.retry_2')).toBe('order-17.retry_2');
  expect(idOf('x'.repeat(128))).toHaveLength(128);
});

const UNUSABLE = [undefined, '', 'x'.repeat(129), 'a b', 'a\nb', '<b>', 'é'];
test.each(UNUSABLE)('%j is replaced by a new id', (sent) => {
  expect(idOf(sent)).toMatch(/^[0-9a-f-]{36}$/);
  expect(idOf(sent)).not.toBe(idOf(sent));
});
