import { describe, expect, onTestFinished, test } from 'vitest';
import { mintKey } from '../../src/auth/key-record.ts';
import { Sessions } from '../../src/auth/sessions.ts';
import { rawExchange } from '../support/client.ts';
import type { Console } from './page.ts';

const OWN_PAGE = { 'x-selvage-console': '1' };

/** Tests of sessions over HTTP, without a browser. */
export function sessionCases({ stack, register }: Pick<Console, 'stack' | 'register'>): void {
  const session = (method: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(`${stack.url}/console/session`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  const usage = (headers: Record<string, string>) =>
    fetch(`${stack.url}/intake/v1/usage`, { headers });

  /** Signs in and returns the cookie as a browser sends it back. */
  async function signIn(key: string, headers: Record<string, string> = {}) {
    const response = await session('POST', headers, { key });
    expect(response.status).toBe(200);
    const setCookie = response.headers.get('set-cookie') ?? '';
    return { setCookie, cookie: setCookie.split(';', 1)[0] ?? '', body: await response.json() };
  }

  describe('a sign-in', () => {
    test('exchanges a key for a cookie that scripts and other sites cannot read', async () => {
      const { key, record } = await stack.key();
      const { setCookie, body } = await signIn(key);
      expect(setCookie).toMatch(/^selvage-console=[\w-]{43};/);
      for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=43200']) {
        expect(setCookie.split('; ')).toContain(flag);
      }
      expect(setCookie).not.toContain('Secure');
      expect(body).toMatchObject({ signedIn: true, client: record.client });
      expect(JSON.stringify(body)).not.toContain(key);
      expect(await stack.logs()).not.toContain(key);
    });

    test('behind TLS the cookie is never sent over plain HTTP', async () => {
      const { key } = await stack.key();
      const overTls = { 'x-forwarded-proto': 'https' };
      const { setCookie, cookie } = await signIn(key, overTls);
      expect(setCookie).toMatch(/^__Host-selvage-console=[\w-]{43};.*; Secure/);
      expect(setCookie).not.toContain('Domain');
      expect((await usage({ cookie, ...overTls, ...OWN_PAGE })).status).toBe(200);
      // Another host of the domain, or somebody on a plain connection, could have planted it.
      const planted = cookie.replace('__Host-', '');
      expect((await usage({ cookie: planted, ...overTls, ...OWN_PAGE })).status).toBe(401);
      expect((await usage({ cookie, ...OWN_PAGE })).status).toBe(401);
      const ended = await session('DELETE', { cookie, ...overTls });
      expect(ended.headers.get('set-cookie')).toMatch(/^__Host-selvage-console=;.*Max-Age=0/);
      expect((await usage({ cookie, ...overTls, ...OWN_PAGE })).status).toBe(401);
    });

    test('of more than 1 KiB is rejected before its body is sent', async () => {
      const head = ['Host: x', 'Content-Type: application/json', 'Content-Length: 1048576'];
      const request = ['POST /console/session HTTP/1.1', ...head, '', '{'].join('\r\n');
      const response = await rawExchange(stack.url, request);
      expect(response).toMatch(/^HTTP\/1.1 413 /);
    });

    test('with an invalid key is rejected', async () => {
      const response = await session('POST', {}, { key: 'slv_nonsense' });
      expect(response.status).toBe(401);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(await response.json()).toMatchObject({ type: 'unauthorized' });
    });

    test('is recognized until it ends', async () => {
      const { key, record } = await stack.key({ client: 'again' });
      const { cookie } = await signIn(key);
      const current = async () => (await session('GET', { cookie })).json();
      expect(await current()).toMatchObject({ signedIn: true, client: record.client });
      const ended = await session('DELETE', { cookie });
      expect(ended.status).toBe(204);
      expect(ended.headers.get('set-cookie')).toContain('Max-Age=0');
      expect(await current()).toEqual({ signedIn: false });
      expect((await usage({ cookie, ...OWN_PAGE })).status).toBe(401);
    });

    test('is stored only as a hash, for twelve hours', async () => {
      const { key } = await stack.key();
      const { cookie } = await signIn(key);
      const id = cookie.slice('selvage-console='.length);
      const names = await register.redis.keys('{selvage}:session:*');
      const stored = (await Promise.all(names.map((name) => register.redis.get(name)))).join();
      expect(`${names} ${stored}`).not.toContain(id);
      expect(stored).not.toContain(key);
      const ttls = await Promise.all(names.map((name) => register.redis.ttl(name)));
      expect(Math.max(...ttls)).toBeLessThanOrEqual(12 * 3600);
      expect(Math.min(...ttls)).toBeGreaterThan(11 * 3600);
    });
  });

  describe('many sign-ins', () => {
    /** Tries to sign in with each key, and returns the responses. */
    const tryAll = (keys: readonly string[]) =>
      Promise.all(keys.map((key) => session('POST', {}, { key })));
    const statuses = (responses: readonly Response[]) => responses.map(({ status }) => status);

    test('count as requests of the key', async () => {
      const rate = { count: 2, periodSeconds: 3600 };
      const { key } = await stack.key({ rate });
      const responses = await tryAll(Array(20).fill(key));
      expect(statuses(responses).sort()).toEqual([200, 200, ...Array(18).fill(429)]);
      const accepted = responses.filter(({ ok }) => ok);
      const remaining = accepted.map(({ headers }) => headers.get('ratelimit-remaining'));
      expect(remaining.sort()).toEqual(['0', '1']);
      const rejected = responses.find(({ status }) => status === 429);
      expect(await rejected?.json()).toMatchObject({ type: 'rate-limit-exceeded' });
      expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await usage({ authorization: `Bearer ${key}` })).status).toBe(429);
    });

    test('with a key leave five sessions: the oldest end', async () => {
      const { key } = await stack.key();
      const cookies: string[] = [];
      for (let i = 0; i < 7; i++) cookies.push((await signIn(key)).cookie);
      const statusOf = async (cookie: string) => (await usage({ cookie, ...OWN_PAGE })).status;
      const open = () => Promise.all(cookies.map(statusOf));
      expect(await open()).toEqual([401, 401, 200, 200, 200, 200, 200]);

      // A session that was signed out makes room for the next.
      await session('DELETE', { cookie: cookies[6] ?? '' });
      cookies.push((await signIn(key)).cookie);
      expect(await open()).toEqual([401, 401, 200, 200, 200, 200, 401, 200]);
    });

    test('with wrong keys are limited by address, and keep no right key out', async () => {
      // Later tests sign in from this address too.
      onTestFinished(async () => {
        await register.redis.del('{selvage}:rate:sign-in:127.0.0.1');
      });
      const { key } = await stack.key();
      const wrong = [mintKey(), 'junk', ...Array.from({ length: 38 }, mintKey)];
      const responses = await tryAll(wrong);
      const rejected = responses.filter(({ status }) => status === 429);
      expect(new Set(statuses(responses))).toEqual(new Set([401, 429]));
      expect(rejected.length).toBeGreaterThan(15);
      for (const response of rejected) {
        expect(await response.json()).toMatchObject({ type: 'rate-limit-exceeded' });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(response.headers.get('set-cookie')).toBeNull();
      }
      await signIn(key);
    });
  });

  describe('a request with the cookie', () => {
    test('counts as its key, with that key’s scopes and limits', async () => {
      const { key, record } = await stack.key({ client: 'few', scopes: ['look-engine:read'] });
      const { cookie } = await signIn(key);
      const response = await usage({ cookie, ...OWN_PAGE });
      expect(await response.json()).toMatchObject({ client: record.client });
      expect(response.headers.get('ratelimit-limit')).toBe('10000');
      const targets = await fetch(`${stack.url}/look/v1/targets`, {
        method: 'POST',
        headers: { cookie, ...OWN_PAGE, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(await targets.json()).toMatchObject({ type: 'insufficient-scope', status: 403 });
    });

    test('is rejected if it does not come from the console', async () => {
      const { key } = await stack.key();
      const { cookie } = await signIn(key);
      const response = await usage({ cookie });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ type: 'foreign-origin' });
    });

    test('uses the bearer key if there is one', async () => {
      const [mine, other] = [
        await stack.key({ client: 'mine' }),
        await stack.key({ client: 'other' }),
      ];
      const { cookie } = await signIn(mine.key);
      const response = await usage({ cookie, authorization: `Bearer ${other.key}` });
      expect(await response.json()).toMatchObject({ client: other.record.client });
      const wrong = await usage({ cookie, ...OWN_PAGE, authorization: 'Bearer wrong' });
      expect(wrong.status).toBe(401);
    });

    test('ends at once when its key is revoked', async () => {
      const { key, record } = await stack.key();
      const { cookie } = await signIn(key);
      await register.keys.revoke(record.id);
      expect((await usage({ cookie, ...OWN_PAGE })).status).toBe(401);
    });

    test('ends at once when its key is rotated, although the key itself has a grace period', async () => {
      const { key, record } = await stack.key({ client: 'rotating' });
      const { cookie } = await signIn(key);
      await register.keys.rotate(record.id, 3600);
      expect((await usage({ cookie, ...OWN_PAGE })).status).toBe(401);
      expect((await usage({ authorization: `Bearer ${key}` })).status).toBe(200);
      const again = await signIn(key);
      expect((await usage({ cookie: again.cookie, ...OWN_PAGE })).status).toBe(200);
    });

    test('of an unknown session is rejected', async () => {
      const cookie = `selvage-console=${'x'.repeat(43)}`;
      expect((await usage({ cookie, ...OWN_PAGE })).status).toBe(401);
      const { redis, keys } = register;
      const sessions = new Sessions(redis, keys, undefined, async () => {});
      expect(await sessions.findCaller('x'.repeat(43))).toBeUndefined();
    });
  });

  describe('the files of the page', () => {
    test('need no key, have a strict policy, and are cached', async () => {
      for (const path of [
        '/',
        '/console/main.js',
        '/console/style/base.css',
        '/console/mark.svg',
      ]) {
        const response = await fetch(stack.url + path);
        expect(response.status, path).toBe(200);
        expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
        expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        const etag = response.headers.get('etag') ?? '';
        const again = await rawExchange(
          stack.url,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`,
        );
        expect(again, path).toMatch(/^HTTP\/1.1 304 /);
      }
    });

    test.each(['/console/no-such-file.js', '/console/..%2fserve.ts', '/console/%2e%2e/serve.ts'])(
      '%s is not found',
      async (path) => {
        const response = await fetch(stack.url + path);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      },
    );
  });
}
