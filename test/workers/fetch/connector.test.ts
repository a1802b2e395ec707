import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SafeFetchSettings } from '../../../workers/fetch/safe-fetch.ts';
import { listen } from '../../support/free-port.ts';
import { plantRaw, plantServer, redirectTo, serve } from '../../support/servers.ts';
import { selfSigned } from './certificate.ts';
import { expectRejected, fetcher, PRIVATE_NAME, resolvingFetcher, SMALL } from './fetching.ts';

const closing = serve('x', { connection: 'close' });

describe('a host name', () => {
  test('is resolved once, and is sent in the host header', async () => {
    const { port, requests } = await plantServer(closing);
    const { safe, asked } = resolvingFetcher([['127.0.0.1']]);
    const fetched = await safe.fetch(`http://Shop.Example.:${port}/1.png`, SMALL);
    expect(asked).toEqual(['shop.example']);
    expect(requests[0]?.headers.host).toBe(`shop.example:${port}`);
    expect(fetched.finalUrl).toBe(`http://shop.example:${port}/1.png`);
  });

  test('that changes its answer is checked again for the next connection', async () => {
    const { port, requests } = await plantServer(closing);
    const { safe, asked } = resolvingFetcher([['127.0.0.1'], ['10.0.0.1']]);
    const link = `http://rebind.example:${port}/`;
    await safe.fetch(link, SMALL);
    expect(asked).toHaveLength(1);
    await expect(safe.fetch(link, SMALL)).rejects.toThrow(PRIVATE_NAME);
    expect(asked).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  test('that changes its answer within a redirect is checked again', async () => {
    const { port, requests } = await plantServer((request, response) => {
      response.setHeader('connection', 'close');
      redirectTo(`http://other.example:${port}/`)(request, response);
    });
    const { safe } = resolvingFetcher([['127.0.0.1'], ['169.254.169.254']]);
    await expect(safe.fetch(`http://rebind.example:${port}/`, SMALL)).rejects.toThrow(PRIVATE_NAME);
    expect(requests).toHaveLength(1);
  });

  test.each([
    { answer: ['127.0.0.1', '10.0.0.1'] },
    { answer: ['10.0.0.1', '127.0.0.1'] },
    { answer: ['127.0.0.1', '::1'] },
    { answer: ['127.0.0.1', '::ffff:10.0.0.1'] },
    { answer: ['127.0.0.1', 'fe80::1%eth0'] },
    { answer: ['127.0.0.1', '64:ff9b::a00:1'] },
  ])('with $answer is rejected because one of them is private', async ({ answer }) => {
    const { port, requests } = await plantServer(closing);
    const { safe } = resolvingFetcher([answer]);
    await expect(safe.fetch(`http://both.example:${port}/`, SMALL)).rejects.toThrow(PRIVATE_NAME);
    expect(requests).toEqual([]);
  });

  test('with an allowed and a public address is limited to the ports of the public one', async () => {
    const { port } = await plantServer(closing);
    const { safe } = resolvingFetcher([['127.0.0.1', '93.184.216.34']]);
    await expectRejected(safe.fetch(`http://both.example:${port}/`, SMALL), 'port');
  });

  test('with an unreachable and a reachable address is reached', async () => {
    const { port, requests } = await plantServer(closing);
    const { safe } = resolvingFetcher([['127.0.0.2', '127.0.0.1']]);
    await safe.fetch(`http://shop.example:${port}/`, SMALL);
    expect(requests).toHaveLength(1);
  });

  test('of this machine is rejected', async () => {
    const attempt = fetcher({ allow: [] }).fetch('http://localhost/', SMALL);
    await expect(attempt).rejects.toThrow(PRIVATE_NAME);
  });

  const unknown = () => Promise.reject(new Error('ENOTFOUND'));
  const never = () => new Promise<string[]>(() => {});
  test.each([
    { what: 'without an address', resolve: async () => [], reason: 'dns' },
    { what: 'that does not exist', resolve: unknown, reason: 'dns' },
    { what: 'whose DNS servers do not answer', resolve: never, reason: 'timeout' },
  ])('$what is rejected: $reason', async ({ resolve, reason }) => {
    const { safe } = resolvingFetcher([], { resolve, limits: { connectMillis: 50 } });
    await expectRejected(safe.fetch('http://shop.example/', SMALL), reason);
  });
});

test('a private name and an unknown one are rejected alike, and after the same time', async () => {
  const rejectionOf = async (answer: string[]) => {
    const { safe } = resolvingFetcher([answer], { limits: { hostRejectionMillis: 100 } });
    const startedAt = performance.now();
    const error = await safe.fetch('http://inner.example/', SMALL).catch((caught) => caught);
    expect(performance.now() - startedAt).toBeGreaterThan(95);
    const { message, reason, retryable, status } = error;
    return { message, reason, retryable, status };
  };
  const unknown = await rejectionOf([]);
  expect(unknown).toMatchObject({ reason: 'dns', retryable: true });
  expect(await rejectionOf(['10.0.0.1'])).toEqual(unknown);
  expect(await rejectionOf(['::1', '93.184.216.34'])).toEqual(unknown);
});

test('a closed port is rejected', async () => {
  const { safe } = resolvingFetcher([]);
  await expectRejected(safe.fetch('http://127.0.0.1:1/', SMALL), 'connect');
});

describe('a secure connection', () => {
  const identity = selfSigned('shop.example');
  const shop = (settings: Partial<SafeFetchSettings> = {}) =>
    resolvingFetcher([['127.0.0.1']], { ca: identity.cert, ...settings });

  test('goes to the pinned address and verifies the name in the link', async () => {
    const { port, requests } = await plantServer(closing, identity);
    const { safe } = shop();
    await safe.fetch(`https://shop.example:${port}/`, SMALL);
    expect(requests[0]?.headers.host).toBe(`shop.example:${port}`);
    expect(requests[0]?.socket).toHaveProperty('servername', 'shop.example');
  });

  test.each([
    { what: 'for another name', host: 'other.example', ca: identity.cert },
    { what: 'for a name, on an IP address', host: '127.0.0.1', ca: identity.cert },
    { what: 'of an unknown authority', host: 'shop.example', ca: selfSigned('shop.example').cert },
  ])('with a certificate $what is rejected', async ({ host, ca }) => {
    const { port, requests } = await plantServer(closing, identity);
    const { safe } = shop({ ca });
    await expectRejected(safe.fetch(`https://${host}:${port}/`, SMALL), 'tls');
    expect(requests).toEqual([]);
  });

  test('fails with a server without TLS', async () => {
    const { origin } = await plantRaw('HTTP/1.1 400 Bad Request\r\n\r\n');
    const { safe } = shop();
    await expectRejected(safe.fetch(origin.replace('http', 'https'), SMALL), 'tls');
  });

  test('times out with a server that never starts TLS', async () => {
    const mute = createServer(() => {});
    onTestFinished(() => void mute.close());
    const port = await listen(mute);
    const { safe } = shop({ limits: { connectMillis: 50 } });
    await expectRejected(safe.fetch(`https://shop.example:${port}/`, SMALL), 'timeout');
  });

  test('may not redirect to an insecure one', async () => {
    const plain = await plantServer(serve('x'));
    const { port } = await plantServer(redirectTo(plain.origin), identity);
    const { safe } = shop();
    await expectRejected(safe.fetch(`https://shop.example:${port}/`, SMALL), 'downgrade');
    expect(plain.requests).toEqual([]);
  });

  test('may, if the operator allows it; the headers of the secure one stay there', async () => {
    const plain = await plantServer(serve('plain'));
    const { port } = await plantServer(redirectTo(plain.origin), identity);
    const { safe } = resolvingFetcher([['127.0.0.1']], { ca: identity.cert, allowDowngrade: true });
    const headers = { authorization: 'Basic secret' };
    const fetched = await safe.fetch(`https://shop.example:${port}/`, { ...SMALL, headers });
    expect(fetched).toMatchObject({ status: 200, finalUrl: `${plain.origin}/` });
    expect(plain.requests[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    'http://10.0.0.1:8080/',
    'http://inner.example:8080/',
    'http://[::ffff:a9fe:a9fe]:8080/',
  ])('may not then redirect to %s, on a port that is allowed', async (to) => {
    const { port, requests } = await plantServer(redirectTo(to), identity);
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const open = { allowDowngrade: true, ports: [8080, port] };
    const { safe } = resolvingFetcher(answers, { ca: identity.cert, ...open });
    await expect(safe.fetch(`https://shop.example:${port}/`, SMALL)).rejects.toMatchObject({
      name: 'FetchError',
      reason: expect.stringMatching(/^(private-address|dns)$/),
    });
    expect(requests).toHaveLength(1);
  });

  test('may be the target of an insecure redirect', async () => {
    const secure = await plantServer(closing, identity);
    const { port } = await plantServer(redirectTo(`https://shop.example:${secure.port}/`));
    const { safe } = shop();
    const fetched = await safe.fetch(`http://shop.example:${port}/`, SMALL);
    expect(fetched.finalUrl).toBe(`https://shop.example:${secure.port}/`);
  });
});
