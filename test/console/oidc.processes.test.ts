import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { findChromium, openBrowser } from '../support/chromium.ts';
import { freePort } from '../support/free-port.ts';
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts';
import { reportMissing } from '../support/requirement.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type KeyRegister, openKeyRegister } from './key-register.ts';
import { seriousViolations, watch } from './page.ts';

const SHOP = 'oidc-shop';
const ROLES = [
  { value: 'staff', client: SHOP, scopes: ['background-removal:process', 'account'] },
  { value: 'editors', client: SHOP, scopes: ['look-engine:read'] },
  { value: 'orphans', client: 'nobodys', scopes: ['account'] },
];

let provider: OidcProvider;
let stack: Stack;
let register: KeyRegister;
let settings: NodeJS.ProcessEnv;
beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  provider = await startOidcProvider(url);
  settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_NAME: 'Shop ID',
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_ROLES: JSON.stringify(ROLES),
  };
  stack = await startStack(settings);
  register = await openKeyRegister(stack);
});
afterAll(async () => {
  register.redis.disconnect();
  await stack.stop();
  await provider.stop();
});

/** A browser as far as signing in needs one: cookies by host and port, and redirects one by one. */
class Visitor {
  readonly #jars = new Map<string, Map<string, string>>();

  cookies = (url: string): string =>
    [...(this.#jars.get(new URL(url).origin) ?? [])].map((pair) => pair.join('=')).join('; ');

  async go(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.cookies(url) },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value && !/max-age=0/i.test(line)) jar.set(name, value);
      else jar.delete(name);
    }
    this.#jars.set(origin, jar);
    return response;
  }

  /** Goes where it is sent until an address of the console. */
  async follow(url: string, name: string): Promise<string> {
    let [at, form]: [string, Record<string, string>?] = [url];
    while (!at.startsWith(stack.url)) {
      const response = await this.go(at, form);
      const text = await response.text();
      const [, action] = /action="([^"]+)"/.exec(text) ?? [];
      const next = response.headers.get('location') ?? action;
      if (!next) throw new Error(`${at}: ${response.status} ${text.slice(0, 500)}`);
      at = new URL(next, at).href;
      form = undefined;
      if (action) {
        const isLogin = text.includes('name="login"');
        form = isLogin ? { prompt: 'login', login: name, password: 'any' } : { prompt: 'consent' };
      }
    }
    return at;
  }

  /** Begins a sign-in, and returns the address of the provider that it leads to. */
  async begin(query = ''): Promise<URL> {
    const response = await this.go(`${stack.url}/console/sign-in${query}`);
    expect(response.status).toBe(303);
    return new URL(response.headers.get('location') ?? '');
  }

  /** Signs in up to the address at which the provider sends the browser back. */
  async comeBack(name: string, change = (_: URL) => {}): Promise<string> {
    const url = await this.begin();
    change(url);
    return this.follow(url.href, name);
  }

  signIn = async (name: string): Promise<Response> => this.go(await this.comeBack(name));

  /** Calls the API as the console does. */
  call = (path: string, body?: object): Promise<Response> =>
    fetch(stack.url + path, {
      headers: {
        cookie: this.cookies(stack.url),
        'x-selvage-console': '1',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });

  session = async (): Promise<unknown> => (await this.call('/console/session')).json();
}

/** Checks that a response is a page that says what went wrong, and that nobody is signed in. */
async function expectRefusal(response: Response, status: number, says: string | RegExp) {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).toMatch(says);
  expect(response.headers.getSetCookie().join()).not.toContain('selvage-console=');
}

/** Has the provider answer something else for the rest of a test. */
function lie(route: string, answer: (body: Record<string, unknown>) => unknown): void {
  provider.lies.set(route, answer);
  onTestFinished(() => void provider.lies.delete(route));
}

const keyOfShop = () =>
  stack.key({ client: SHOP, scopes: ['background-removal:process', 'account'], quotaPerDay: 500 });

describe('somebody who signs in at the provider', () => {
  test('acts for the client of their role, with its scopes and the limits of its key', async () => {
    const { record } = await keyOfShop();
    const ann = new Visitor();
    const response = await ann.signIn('ann');
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`${stack.url}/`);
    expect(await ann.session()).toEqual({
      signedIn: true,
      client: SHOP,
      scopes: ROLES[0]?.scopes,
      person: 'ann@shop.example (ann)',
    });
    const usage = await (await ann.call('/intake/v1/usage')).json();
    expect(usage).toMatchObject({ client: SHOP, quota: { limit: 500 } });
    const outfits = await ann.call('/look/v1/targets', {});
    expect(await outfits.json()).toMatchObject({ type: 'insufficient-scope' });
    await register.keys.revoke(record.id);
    expect(await ann.session()).toEqual({ signedIn: false });
  });

  test('gets a session by cookies that scripts and other sites cannot read', async () => {
    await keyOfShop();
    const ann = new Visitor();
    const begun = await ann.go(`${stack.url}/console/sign-in`);
    const [attempt = ''] = begun.headers.getSetCookie();
    for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=600']) {
      expect(attempt.split('; ')).toContain(flag);
    }
    const url = new URL(begun.headers.get('location') ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const back = await ann.go(await ann.follow(url.href, 'ann'));
    const cookies = back.headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    expect(cookies[0]).toMatch(/^selvage-sign-in=;.*Max-Age=0/);
    expect(cookies[1]).toMatch(/^selvage-console=[\w-]{43};.*HttpOnly; SameSite=Strict$/);
    const overTls = await fetch(`${stack.url}/console/sign-in`, {
      redirect: 'manual',
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect(overTls.headers.get('set-cookie')).toMatch(/^__Host-selvage-sign-in=.*; Secure/);
  });

  test('is in the log of requests, and cannot make a key that allows more than the role', async () => {
    const { key } = await stack.key({ client: SHOP });
    const ann = new Visitor();
    await ann.signIn('ann');
    const response = await ann.call('/account/v1/keys', {
      name: 'more',
      scopes: ['look-engine:read'],
    });
    expect(await response.json()).toMatchObject({
      type: 'insufficient-scope',
      errors: [{ pointer: '/scopes' }],
    });
    const id = response.headers.get('x-request-id');
    const log = () => ann.call(`/account/v1/requests/${id}`).then((found) => found.json());
    await expect.poll(log).toMatchObject({
      requests: [{ operation: 'createKey', client: SHOP, person: 'ann@shop.example (ann)' }],
    });
    const audited = async () =>
      JSON.stringify(await register.redis.xrange('{selvage}:audit', '-', '+'));
    await expect.poll(audited).toMatch(/ann@shop\.example \(ann\)/);
    expect(await audited()).not.toMatch(/code=|eyJ|id_token|slv_/);
    expect(await audited()).not.toContain(ann.cookies(stack.url).split('=')[1]);
    const made = await ann.call('/account/v1/keys', { name: 'as much' });
    expect(await made.json()).toMatchObject({ scopes: ROLES[0]?.scopes, current: false });
    const { keys } = z
      .object({ keys: z.array(z.object({ id: z.string(), prefix: z.string() })) })
      .parse(await (await ann.call('/account/v1/keys')).json());
    const own = keys.find(({ prefix }) => key.startsWith(prefix));
    const rotated = await ann.call(`/account/v1/keys/${own?.id}/rotate`, {});
    expect(await rotated.json()).toMatchObject({ type: 'insufficient-scope' });
  });

  test('without an e-mail is named by the subject, and has the first role that fits', async () => {
    await keyOfShop();
    const bob = new Visitor();
    await bob.signIn('bob');
    expect(await bob.session()).toMatchObject({ scopes: ['look-engine:read'], person: 'bob' });
  });

  test('signs out here, and then there', async () => {
    await keyOfShop();
    const ann = new Visitor();
    await ann.signIn('ann');
    const ended = await fetch(`${stack.url}/console/session`, {
      method: 'DELETE',
      headers: { cookie: ann.cookies(stack.url) },
    });
    expect(ended.status).toBe(204);
    expect(await ann.session()).toEqual({ signedIn: false });
    const there = await ann.go(`${stack.url}/console/sign-in/end`);
    const url = new URL(there.headers.get('location') ?? '');
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${stack.url}/`);
    expect((await ann.go(url.href)).status).toBe(200); // it asks, as it must without an ID token
  });

  test('that no role lets in is told what to ask for', async () => {
    const response = await new Visitor().signIn('eve');
    await expectRefusal(
      response,
      403,
      /You are eve@elsewhere\.example \(eve\).*&quot;groups&quot; is &quot;&lt;b&gt;visitors&lt;\/b&gt;&quot;/s,
    );
  });

  test('for a client without keys is told to ask for one', async () => {
    await expectRefusal(await new Visitor().signIn('olga'), 403, /client nobodys.* no live key/);
  });

  test('leaves no secret in a log', () => {
    const logs = stack.logs();
    expect(logs).toContain('ann@shop.example (ann)');
    expect(logs).not.toMatch(/code=|eyJ|id_token/);
    expect(logs).not.toContain(provider.clientSecret);
  });

  test('is signed out when the role is gone', async () => {
    await keyOfShop();
    const [ann, bob] = [new Visitor(), new Visitor()];
    await ann.signIn('ann');
    await bob.signIn('bob');
    await stack.gateway.end();
    await stack.startGateway({ OIDC_ROLES: JSON.stringify(ROLES.slice(1)) });
    expect(await ann.session()).toEqual({ signedIn: false });
    expect(await bob.session()).toMatchObject({ signedIn: true });
    await stack.gateway.end();
    await stack.startGateway();
  });
});

describe('an answer of the provider is refused', () => {
  const back = async (change?: (url: URL) => void) => {
    const visitor = new Visitor();
    return visitor.go(await visitor.comeBack('ann', change));
  };

  test('that comes a second time', async () => {
    await keyOfShop();
    const ann = new Visitor();
    const url = await ann.comeBack('ann');
    const cookie = ann.cookies(stack.url);
    expect((await ann.go(url)).status).toBe(303);
    await expectRefusal(await ann.go(url), 400, 'ten minutes ago, or in another browser');
    const replayed = await fetch(url, { redirect: 'manual', headers: { cookie } });
    await expectRefusal(replayed, 401, 'used before, or has expired');
  });

  test('that another browser has asked for', async () => {
    const url = await new Visitor().comeBack('ann');
    await expectRefusal(await new Visitor().go(url), 400, 'in another browser');
    const other = new Visitor();
    await other.begin();
    await expectRefusal(await other.go(url), 400, 'A later sign-in has replaced this one');
  });

  test('whose nonce is that of another sign-in', async () => {
    const response = await back((url) => url.searchParams.set('nonce', 'another'));
    await expectRefusal(response, 502, 'Shop ID cannot be trusted: its answer is not valid');
  });

  test('whose code belongs to another verifier', async () => {
    const response = await back((url) => url.searchParams.set('code_challenge', 'x'.repeat(43)));
    await expectRefusal(response, 401, 'used before, or has expired');
  });

  test('whose signature is not that of the provider', async () => {
    lie('token', ({ id_token, ...rest }) => ({
      ...rest,
      id_token: String(id_token).replace(/\.[^.]+$/, `.${'A'.repeat(342)}`),
    }));
    await expectRefusal(await back(), 502, 'its answer is not valid');
  });

  test.each([
    ['that has expired', { exp: 1000, iat: 900 }, 'its clock and that of this service differ'],
    ['of the future', { iat: 9e9, nbf: 9e9 }, 'its clock and that of this service differ'],
    ['for somebody else', { aud: 'another-client' }, 'its answer is not valid'],
    ['of somebody other than the userinfo', { sub: 'bob' }, 'its answer is not valid'],
    ['of another issuer', { iss: 'https://evil.example' }, 'its answer is not valid'],
  ])('with a token %s', async (_title, claims, says) => {
    lie('token', (body) => ({ ...body, id_token: provider.resigned(body.id_token, claims) }));
    await expectRefusal(await back(), 502, says);
  });

  test('that is not JSON, or larger than a megabyte', async () => {
    lie('token', () => 'x');
    await expectRefusal(await back(), 502, 'its answer is not valid');
    lie('token', (body) => ({ ...body, more: 'x'.repeat(2 ** 21) }));
    await expectRefusal(await back(), 502, 'its answer is not valid');
  });

  test('that says no, and nothing of it becomes part of the page', async () => {
    const visitor = new Visitor();
    const { searchParams } = await visitor.begin();
    const answer = (error: string) =>
      `${stack.url}/console/sign-in/callback?${new URLSearchParams({ state: searchParams.get('state') ?? '', iss: provider.issuer, error })}`;
    const cookie = visitor.cookies(stack.url);
    const go = (error: string) => fetch(answer(error), { headers: { cookie } });
    await expectRefusal(
      await go('access_denied'),
      401,
      'Shop ID has not signed you in: access_denied',
    );
    const hostile = await go('<script>alert(1)</script>');
    await expectRefusal(hostile, 401, 'has not signed you in: an error');
  });

  test('and no address leads away from the console', async () => {
    await keyOfShop();
    const ann = new Visitor();
    const url = await ann.begin(
      '?return_to=https://evil.example&redirect_uri=https://evil.example',
    );
    expect(url.href).not.toContain('evil');
    const response = await ann.go(
      `${await ann.follow(url.href, 'ann')}&return_to=https://evil.example`,
    );
    expect(response.headers.get('location')).toBe(`${stack.url}/`);
  });
});

describe('a provider', () => {
  /** Starts the gateway anew, so that it knows nothing of the provider. */
  async function forget(env: NodeJS.ProcessEnv = {}): Promise<void> {
    await stack.gateway.end();
    await stack.startGateway(env);
  }
  const begin = () => fetch(`${stack.url}/console/sign-in`, { redirect: 'manual' });

  test('that cannot be reached is named, and asked again by the next', async () => {
    await forget();
    await provider.stop();
    await expectRefusal(
      await begin(),
      503,
      'Shop ID cannot be reached; try again later, or use a key',
    );
    await provider.start();
    expect((await begin()).status).toBe(303);
  });

  test('that says it is another issuer is not used', async () => {
    await forget();
    lie('discovery', (body) => ({ ...body, issuer: 'https://evil.example' }));
    await expectRefusal(await begin(), 502, 'it says that it is another issuer');
  });

  test('that rejects the secret is named', async () => {
    await forget({ OIDC_CLIENT_SECRET: 'wrong' });
    const visitor = new Visitor();
    const response = await visitor.go(await visitor.comeBack('ann'));
    await expectRefusal(
      response,
      502,
      'Shop ID rejects this service; tell the operator to check OIDC_CLIENT_ID',
    );
    await forget();
  });
});

const found = await findChromium();
if ('missing' in found) {
  reportMissing('chromium', found.missing);
  test.skip(`the sign-in in a browser (${found.missing})`);
} else {
  test('a browser signs in by the button, and out at both', async () => {
    await keyOfShop();
    const browser = await openBrowser(found.path);
    onTestFinished(() => browser.close());
    const { page, errors } = await watch(await browser.newContext(), stack.url);
    await page.goto(stack.url);
    const button = page.getByRole('button', { name: 'Sign in with Shop ID' });
    await button.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await button.click();
    await page.locator('[name=login]').fill('ann');
    await page.locator('[name=password]').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('#cut-drop').waitFor();
    expect(await page.locator('#sign-out').getAttribute('title')).toBe('ann@shop.example (ann)');
    await page.locator('#sign-out').click();
    await page.getByRole('link', { name: 'Sign out of Shop ID too' }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
    await page.goto(`${stack.url}/console/sign-in/callback`);
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.locator('#key').waitFor();
    // The provider's pages ask for fonts of another host.
    expect(errors.filter((error) => !/400|ERR_NAME/.test(error))).toEqual([]);
  });
}
