import { describe, expect, test } from 'vitest';
import type { Stack } from '../support/stack.ts';
import { bodyOf, chunked, requestOf, say } from './wire.ts';

const TARGETS = 'POST /look/v1/targets';
const WISH = JSON.stringify({
  weather: { tempC: 8, windMs: 5, humidityPct: 90, condition: 'rain' },
  met: 1.6,
});
const size = WISH.length.toString(16);
const LENGTH = `Content-Length: ${WISH.length}`;
const TE = 'Transfer-Encoding';
const HOST = 'Host: x';
const LIVE = 'GET /livez';

/** What a smuggler hides behind a request: served, it would say so by its id. */
const SMUGGLED = requestOf(LIVE, [HOST, 'X-Request-Id: smuggled'], '');
const many = (count: number, header: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => header(at));

type Row = [what: string, bytes: (key: string) => string | Uint8Array, status?: number];

/** A request for targets by a known key. */
const asked = (more: readonly string[], body: string) => (key: string) =>
  requestOf(
    TARGETS,
    [HOST, `Authorization: Bearer ${key}`, 'Content-Type: application/json', ...more],
    body,
  );
const plain = (bytes: string | Uint8Array) => () => bytes;
const live = (...headers: string[]) => plain(requestOf(LIVE, headers, SMUGGLED));

// biome-ignore format: a table reads best aligned
const REFUSED: readonly Row[] = [
  ['CL.TE', asked(['Content-Length: 5', `${TE}: chunked`], `0\r\n\r\n${SMUGGLED}`)],
  ['TE.CL', asked([`${TE}: chunked`, 'Content-Length: 5'], `0\r\n\r\n${SMUGGLED}`)],
  ['the same length twice', asked([LENGTH, LENGTH], WISH + SMUGGLED)],
  ['two lengths', asked([LENGTH, 'Content-Length: 3'], WISH + SMUGGLED)],
  ['a list of lengths', asked([`${LENGTH}, ${WISH.length}`], WISH + SMUGGLED)],
  ['a length with a sign', asked([`Content-Length: +${WISH.length}`], WISH + SMUGGLED)],
  ['a negative length', asked(['Content-Length: -1'], WISH + SMUGGLED)],
  ['a length in hexadecimal', asked([`Content-Length: 0x${size}`], WISH + SMUGGLED)],
  ['a length past all counting', asked([`Content-Length: ${'9'.repeat(30)}`], WISH + SMUGGLED)],
  ['an empty length', asked(['Content-Length: '], WISH + SMUGGLED)],
  ['a length of two words', asked(['Content-Length: 8 1'], WISH + SMUGGLED)],
  ['an encoding that is none', asked([`${TE}: cow`], chunked(WISH) + SMUGGLED)],
  ['identity', asked([`${TE}: identity`, LENGTH], WISH + SMUGGLED)],
  ['chunked, identity', asked([`${TE}: chunked, identity`], chunked(WISH) + SMUGGLED)],
  ['identity, chunked', asked([`${TE}: identity, chunked`], chunked(WISH) + SMUGGLED)],
  ['gzip, chunked', asked([`${TE}: gzip, chunked`], chunked(WISH) + SMUGGLED)],
  ['chunked in quotes', asked([`${TE}: "chunked"`], chunked(WISH) + SMUGGLED)],
  ['chunked after a vertical tab', asked([`${TE}:\x0bchunked`], chunked(WISH) + SMUGGLED)],
  ['chunked before a NUL', asked([`${TE}: chunked\0`], chunked(WISH) + SMUGGLED)],
  ['a space before the colon of the encoding', asked([`${TE} : chunked`], chunked(WISH) + SMUGGLED)],
  ['chunked twice', asked([`${TE}: chunked`, `${TE}: chunked`], chunked(WISH) + SMUGGLED)],
  ['chunked, then another', asked([`${TE}: chunked`, `${TE}: cow`], chunked(WISH) + SMUGGLED)],
  ['another, then chunked', asked([`${TE}: cow`, `${TE}: chunked`], chunked(WISH) + SMUGGLED)],
  ['a folded encoding', asked([`${TE}:\r\n chunked`], `0\r\n\r\n${SMUGGLED}`)],
  ['chunks in HTTP/1.0', (key) => asked([`${TE}: chunked`], chunked(WISH) + SMUGGLED)(key).replace('1.1', '1.0')],
  ['a chunk size ended by a bare LF', asked([`${TE}: chunked`], `${size}\n${WISH}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk size past all counting', asked([`${TE}: chunked`], `${'f'.repeat(17)}\r\n${WISH}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a negative chunk size', asked([`${TE}: chunked`], `-1\r\n${WISH}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk size with 0x', asked([`${TE}: chunked`], `0x${size}\r\n${WISH}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk longer than its size', asked([`${TE}: chunked`], `3\r\n${WISH}\r\n0\r\n\r\n${SMUGGLED}`)],
  ['a chunk extension of 40 KB', asked([`${TE}: chunked`], `${size};a=${'b'.repeat(40_000)}\r\n${WISH}\r\n0\r\n\r\n`)],
  ['trailers that say a length', asked([`${TE}: chunked`], `${size}\r\n${WISH}\r\n0\r\nContent-Length: 3\r\n\r\n${SMUGGLED}`)],
  ['trailers of 40 KB', asked([`${TE}: chunked`], `${size}\r\n${WISH}\r\n0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`), 431],
  ['two hosts', live(HOST, 'Host: y')],
  ['no host', live()],
  ['a host that is none', live('Host: a b/?')],
  ['two keys', asked(['Authorization: Bearer other', LENGTH], WISH + SMUGGLED)],
  ['two media types', asked(['Content-Type: text/plain', LENGTH], WISH + SMUGGLED)],
  ['an expectation nobody has', asked(['Expect: 200-ok', LENGTH], WISH + SMUGGLED)],
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
  ['CONNECT', plain(requestOf('CONNECT 127.0.0.1:6379', [HOST], SMUGGLED)), 405],
  ['300 headers', live(HOST, ...many(300, (at) => `A${at}: b`)), 431],
  ['3,000 headers that hide the length', asked([...many(3000, () => 'a:'), LENGTH], WISH + SMUGGLED), 431],
  ['a header of 1 MB', live(HOST, `X: ${'a'.repeat(1e6)}`), 431],
  ['a path of 20 KB', plain(requestOf(`GET /${'a'.repeat(20_000)}`, [HOST], SMUGGLED)), 431],
  ['a compressed body', asked(['Content-Encoding: gzip', LENGTH], WISH + SMUGGLED), 415],
  ['a body that is said to be compressed twice', asked(['Content-Encoding: gzip, identity', LENGTH], WISH + SMUGGLED), 415],
];

const CLOSE = 'Connection: close';

// biome-ignore format: a table reads best aligned
const SERVED: readonly Row[] = [
  ['a length', asked([LENGTH, CLOSE], WISH)],
  ['chunks', asked([`${TE}: chunked`, CLOSE], chunked(WISH))],
  ['chunks in capitals, after a tab', asked([`${TE}:\tChunked`, CLOSE], chunked(WISH))],
  ['chunks with extensions', asked([`${TE}: chunked`, CLOSE], `${size};a=b\r\n${WISH}\r\n0;c\r\n\r\n`)],
  ['HTTP/1.0 without a host', plain(`${LIVE} HTTP/1.0\r\n\r\n`)],
  ['an address with its host', plain(requestOf('GET http://elsewhere.example/livez', [HOST, CLOSE], ''))],
  ['a wish for HTTP/2', live(HOST, 'Connection: Upgrade, close', 'Upgrade: h2c')],
  ['a body where none is wanted', plain(requestOf(LIVE, [HOST, CLOSE, `Content-Length: ${SMUGGLED.length}`], SMUGGLED))],
];

/** Requests that another program on the way may read differently. */
export function framingCases(stack: () => Stack, key: () => string): void {
  describe('a request is refused with one problem, and what follows it is not served, where it has', () => {
    test.each(REFUSED)('%s', async (_, bytes, status = 400) => {
      const said = await say(stack().url, bytes(key()));
      expect(said.statuses).toEqual([status]);
      expect(said.text).toMatch(/content-type: application\/problem\+json/i);
      const problem = bodyOf(said);
      expect(problem).toMatchObject({ status, requestId: expect.any(String) });
      expect(said.text.toLowerCase()).not.toContain('x-request-id: smuggled');
    });
  });

  describe('a request is served, once, that has', () => {
    test.each(SERVED)('%s', async (_, bytes) => {
      expect((await say(stack().url, bytes(key()))).statuses).toEqual([200]);
    });
  });

  test('trailers are passed over', async () => {
    const trailers = 'X-Request-Id: trailer\r\nAuthorization: Bearer other';
    const body = `${size}\r\n${WISH}\r\n0\r\n${trailers}\r\n\r\n`;
    const said = await say(stack().url, asked([`${TE}: chunked`, CLOSE], body)(key()));
    expect(said.statuses).toEqual([200]);
    expect(said.text).not.toContain('trailer');
  });

  test('100-continue is said once, then the answer', async () => {
    const bytes = asked(['Expect: 100-Continue', LENGTH, CLOSE], WISH)(key());
    expect((await say(stack().url, bytes)).statuses).toEqual([100, 200]);
  });

  test('a body that goes wrong after its request was refused gets no second answer', async () => {
    const head = requestOf('POST /intake/v1/batches/x/items', [
      HOST,
      'Content-Type: text/csv',
      `${TE}: chunked`,
    ]);
    expect((await say(stack().url, `${head}5\r\nabcde\r\nnonsense`)).statuses).toEqual([401]);
  });

  test('nothing smuggled was served, and none of it is in the log as served', () => {
    const lines = stack().logs().split('\n');
    expect(
      lines.filter((line) => line.includes('smuggled') && line.includes('"status":200')),
    ).toEqual([]);
  });
}
