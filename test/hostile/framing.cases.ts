import { expect, test } from 'vitest';
import type { Stack } from '../support/stack.ts';
import { bodyOf, chunked, exchange, requestOf } from './wire.ts';

const TARGETS = 'POST /look/v1/targets';
const BODY = JSON.stringify({
  weather: { tempC: 8, windMs: 5, humidityPct: 90, condition: 'rain' },
  met: 1.6,
});
const size = BODY.length.toString(16);
const LENGTH = `Content-Length: ${BODY.length}`;
const TE = 'Transfer-Encoding';
const HOST = 'Host: x';
const LIVE = 'GET /livez';

/** A request smuggled behind another: if it were served, its request id would show it. */
const SMUGGLED = requestOf(LIVE, [HOST, 'X-Request-Id: smuggled'], '');
const many = (count: number, header: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => header(at));

type Row = [what: string, bytes: (key: string) => string | Uint8Array, status?: number];

/** A request for targets with a valid key. */
const requestTargets = (more: readonly string[], body: string) => (key: string) =>
  requestOf(
    TARGETS,
    [HOST, `Authorization: Bearer ${key}`, 'Content-Type: application/json', ...more],
    body,
  );
const plain = (bytes: string | Uint8Array) => () => bytes;
const live = (...headers: string[]) => plain(requestOf(LIVE, headers, SMUGGLED));

// biome-ignore format: a table reads best aligned
const REJECTED: readonly Row[] = [
  ['CL.TE', requestTargets(['Content-Length: 5', `${TE}: chunked`], `0\r\n\r\n${SMUGGLED}`)],
  ['TE.CL', requestTargets([`${TE}: chunked`, 'Content-Length: 5'], `0\r\n\r\n${SMUGGLED}`)],
  ['the same length twice', requestTargets([LENGTH, LENGTH], BODY + SMUGGLED)],
  ['two lengths', requestTargets([LENGTH, 'Content-Length: 3'], BODY + SMUGGLED)],
  ['a list of lengths', requestTargets([`${LENGTH}, ${BODY.length}`], BODY + SMUGGLED)],
  ['a length with a sign', requestTargets([`Content-Length: +${BODY.length}`], BODY + SMUGGLED)],
  ['a negative length', requestTargets(['Content-Length: -1'], BODY + SMUGGLED)],
  ['a length in hexadecimal', requestTargets([`Content-Length: 0x${size}`], BODY + SMUGGLED)],
  ['a length past all counting', requestTargets([`Content-Length: ${'9'.repeat(30)}`], BODY + SMUGGLED)],
  ['an empty length', requestTargets(['Content-Length: '], BODY + SMUGGLED)],
  ['a length of two words', requestTargets(['Content-Length: 8 1'], BODY + SMUGGLED)],
  ['an encoding that is none', requestTargets([`${TE}: cow`], chunked(BODY) + SMUGGLED)],
  ['identity', requestTargets([`${TE}: identity`, LENGTH], BODY + SMUGGLED)],
  ['chunked, identity', requestTargets([`${TE}: chunked, identity`], chunked(BODY) + SMUGGLED)],
  ['identity, chunked', requestTargets([`${TE}: identity, chunked`], chunked(BODY) + SMUGGLED)],
  ['gzip, chunked', requestTargets([`${TE}: gzip, chunked`], chunked(BODY) + SMUGGLED)],
  ['chunked in quotes', requestTargets([`${TE}: "chunked"`], chunked(BODY) + SMUGGLED)],
  ['chunked after a vertical tab', requestTargets([`${TE}:\x0bchunked`], chunked(BODY) + SMUGGLED)],
  ['chunked before a NUL', requestTargets([`${TE}: chunked\0`], chunked(BODY) + SMUGGLED)],
  ['a space before the colon of the encoding', requestTargets([`${TE} : chunked`], chunked(BODY) + SMUGGLED)],
  ['chunked twice', requestTargets([`${TE}: chunked`, `${TE}: chunked`], chunked(BODY) + SMUGGLED)],
  ['chunked, then another', requestTargets([`${TE}: chunked`, `${TE}: cow`], chunked(BODY) + SMUGGLED)],
  ['another, then chunked', requestTargets([`${TE}: cow`, `${TE}: chunked`], chunked(BODY) + SMUGGLED)],
  ['a folded encoding', requestTargets([`${TE}:\r\n chunked`], `0\r\n\r\n${SMUGGLED}`)],
  ['chunks in HTTP/1.0', (key) => requestTargets([`${TE}: chunked`], chunked(BODY) + SMUGGLED)(key).replace('1.1', '1.0')],
  ['a chunk size ended by a bare LF', requestTargets([`${TE}: chunked`], `${size}\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk size past all counting', requestTargets([`${TE}: chunked`], `${'f'.repeat(17)}\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a negative chunk size', requestTargets([`${TE}: chunked`], `-1\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk size with 0x', requestTargets([`${TE}: chunked`], `0x${size}\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk longer than its size', requestTargets([`${TE}: chunked`], `3\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk extension of 40 KB', requestTargets([`${TE}: chunked`], `${size};a=${'b'.repeat(40_000)}\r\n${BODY}\r\n0\r\n\r\n`)],
  ['trailers that say a length', requestTargets([`${TE}: chunked`], `${size}\r\n${BODY}\r\n0\r\nContent-Length: 3\r\n\r\n${SMUGGLED}`)],
  ['trailers of 40 KB', requestTargets([`${TE}: chunked`], `${size}\r\n${BODY}\r\n0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`), 431],
  ['two hosts', live(HOST, 'Host: y')],
  ['no host', live()],
  ['a host that is none', live('Host: a b/?')],
  ['a port that is no number', live('Host: a:b')],
  ['a port past all ports', live('Host: a:99999')],
  ['a host with an escape that is none', live('Host: a%')],
  ['a host with half an address', live('Host: [::1')],
  ['two keys', requestTargets(['Authorization: Bearer other', LENGTH], BODY + SMUGGLED)],
  ['two media types', requestTargets(['Content-Type: text/plain', LENGTH], BODY + SMUGGLED)],
  ['an expectation nobody has', requestTargets(['Expect: 200-ok', LENGTH], BODY + SMUGGLED)],
  ['a folded header', live(HOST, 'X-A: b', ' c')],
  ['a first header that is folded', live(' Host: x')],
  ['a space before a colon', live('Host : x')],
  ['a header without a name', live(HOST, ': b')],
  ['a NUL in a value', live(HOST, 'X-A: a\0b')],
  ['a NUL in a name', live(HOST, 'X\0A: b')],
  ['an escape in a value', live(HOST, 'X-A: \x1b[31m')],
  ['bare LF for line ends', plain(`${LIVE} HTTP/1.1\nHost: x\n\n${SMUGGLED}`)],
  ['one bare LF', plain(`${LIVE} HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n${SMUGGLED}`)],
  ['a bare CR', plain(`${LIVE} HTTP/1.1\r\nHost: x\rX-A: b\r\n\r\n${SMUGGLED}`)],
  ['a space in the path', plain(requestOf('GET /li vez', [HOST], SMUGGLED))],
  ['a control byte in the path', plain(requestOf('GET /li\x01vez', [HOST], SMUGGLED))],
  ['a NUL in the path', plain(requestOf('GET /li\0vez', [HOST], SMUGGLED))],
  ['a path that is an authority', plain(requestOf('GET example.com:80', [HOST], SMUGGLED))],
  ['HTTP/0.9', plain('GET /livez\r\n\r\n')],
  ['HTTP/1.2', plain(`${LIVE} HTTP/1.2\r\nHost: x\r\n\r\n${SMUGGLED}`)],
  ['HTTP/2.0 in words', plain(`${LIVE} HTTP/2.0\r\nHost: x\r\n\r\n${SMUGGLED}`)],
  ['the preface of HTTP/2', plain(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0`)],
  ['a greeting of TLS', plain(Buffer.concat([Buffer.from('16030100a5010000a10303', 'hex'), Buffer.alloc(200, 1)]))],
  ['a method nobody has', plain(requestOf('BREW /pot', [HOST], SMUGGLED))],
  ['CONNECT', plain(requestOf('CONNECT 127.0.0.1:6379', [HOST], SMUGGLED)), 405],
  ['300 headers', live(HOST, ...many(300, (at) => `A${at}: b`)), 431],
  ['3,000 headers that hide the length', requestTargets([...many(3000, () => 'a:'), LENGTH], BODY + SMUGGLED), 431],
  ['a header of 1 MB', live(HOST, `X: ${'a'.repeat(1e6)}`), 431],
  ['a path of 20 KB', plain(requestOf(`GET /${'a'.repeat(20_000)}`, [HOST], SMUGGLED)), 431],
  ['a compressed body', requestTargets(['Content-Encoding: gzip', LENGTH], BODY + SMUGGLED), 415],
  ['a body that is said to be compressed twice', requestTargets(['Content-Encoding: gzip, identity', LENGTH], BODY + SMUGGLED), 415],
];

const CLOSE = 'Connection: close';

// biome-ignore format: a table reads best aligned
const SERVED: readonly Row[] = [
  ['an empty host', plain(requestOf(LIVE, ['Host: ', CLOSE], ''))],
  ['an address and a port as host', plain(requestOf(LIVE, ['Host: [::1]:8080', CLOSE], ''))],
  ['a length', requestTargets([LENGTH, CLOSE], BODY)],
  ['chunks', requestTargets([`${TE}: chunked`, CLOSE], chunked(BODY))],
  ['chunks in capitals, after a tab', requestTargets([`${TE}:\tChunked`, CLOSE], chunked(BODY))],
  ['chunks with extensions', requestTargets([`${TE}: chunked`, CLOSE], `${size};a=b\r\n${BODY}\r\n0;c\r\n\r\n`)],
  ['HTTP/1.0 without a host', plain(`${LIVE} HTTP/1.0\r\n\r\n`)],
  ['an address with its host', plain(requestOf('GET http://elsewhere.example/livez', [HOST, CLOSE], ''))],
  ['an upgrade to HTTP/2', live(HOST, 'Connection: Upgrade, close', 'Upgrade: h2c')],
  ['a body where none is wanted', plain(requestOf(LIVE, [HOST, CLOSE, `Content-Length: ${SMUGGLED.length}`], SMUGGLED))],
];

/** Requests that a proxy may parse differently. */
export function framingCases(stack: Stack, key: string): void {
  test.each(REJECTED)(
    'a request is rejected with one problem, and the bytes after it are not served, if it has %s',
    async (_, bytes, status = 400) => {
      const said = await exchange(stack.url, bytes(key));
      expect(said.statuses).toEqual([status]);
      expect(said.text).toMatch(/content-type: application\/problem\+json/i);
      const problem = bodyOf(said);
      expect(problem).toMatchObject({ status, requestId: expect.any(String) });
      expect(said.text.toLowerCase()).not.toContain('x-request-id: smuggled');
    },
  );

  test('a request that cannot be parsed has its problem also for a client that reads it late', async () => {
    const bytes = requestOf(LIVE, [HOST, `X: ${'a'.repeat(8e6)}`]);
    const said = await exchange(stack.url, bytes, { readsLate: true });
    expect(said.statuses).toEqual([431]);
  });

  test.each(SERVED)('a request is served once if it has %s', async (_, bytes) => {
    expect((await exchange(stack.url, bytes(key))).statuses).toEqual([200]);
  });

  test('trailers are ignored', async () => {
    const trailers = 'X-Request-Id: trailer\r\nAuthorization: Bearer other';
    const body = `${size}\r\n${BODY}\r\n0\r\n${trailers}\r\n\r\n`;
    const said = await exchange(stack.url, requestTargets([`${TE}: chunked`, CLOSE], body)(key));
    expect(said.statuses).toEqual([200]);
    expect(said.text).not.toContain('trailer');
  });

  test('100-continue is sent once, then the response', async () => {
    const bytes = requestTargets(['Expect: 100-Continue', LENGTH, CLOSE], BODY)(key);
    expect((await exchange(stack.url, bytes)).statuses).toEqual([100, 200]);
  });

  test('a body that becomes invalid after its request was rejected gets no second response', async () => {
    const head = requestOf('POST /intake/v1/batches/x/items', [
      HOST,
      'Content-Type: text/csv',
      `${TE}: chunked`,
    ]);
    expect((await exchange(stack.url, `${head}5\r\nabcde\r\nnonsense`)).statuses).toEqual([401]);
  });

  test('no smuggled request was served or is logged as served', () => {
    const lines = stack.logs().split('\n');
    expect(
      lines.filter((line) => line.includes('smuggled') && line.includes('"status":200')),
    ).toEqual([]);
  });
}
