import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { EXPANSION } from '../../src/feed-formats/expand.ts';
import { FEED_MEDIA_TYPES } from '../../src/feed-formats/sniff.ts';
import { batchClient } from '../support/batches.ts';
import { postBody } from '../support/client.ts';
import type { Stack } from '../support/stack.ts';
import { type Operation, readOperations } from './operations.ts';

const nested = (opening: string, middle: string, closing: string, depth = 50_000) =>
  opening.repeat(depth) + middle + closing.repeat(depth);
const members = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;

/** JSON that every endpoint must reject. */
// biome-ignore format: a table reads best aligned
const MALICIOUS_JSON: Readonly<Record<string, string | Buffer>> = {
  'nested lists': nested('[', '', ']'),
  'nested objects': nested('{"a":', '1', '}'),
  'a nested member': `{"weather":${nested('[', '', ']')}}`,
  'half of a nest': '[{"a":'.repeat(50_000),
  '20,000 members': members(20_000),
  '250,000 values': `[${'1,'.repeat(250_000)}1]`,
  'a name of 500 KB': `{"${'n'.repeat(500_000)}":1}`,
  'a number of 100,000 digits': `{"met":${'9'.repeat(100_000)},"key":${'9'.repeat(100_000)}}`,
  'numbers past all counting': '{"met":1e999,"weather":{"tempC":-1e999},"expiresInSeconds":1e400}',
  'the same name twice': '{"met":1,"met":2}',
  '__proto__': '{"__proto__":{"isAdmin":true}}',
  '__proto__ in escapes': '{"\\u005f_proto__":{"isAdmin":true}}',
  '__proto__ deep inside': '{"weather":{"a":[{"__proto__":{"isAdmin":true}}]}}',
  'constructor.prototype': '{"constructor":{"prototype":{"isAdmin":true}}}',
  'half a pair of surrogates': '{"\\ud800":"\\udfff"}',
  'bytes that are not UTF-8': Buffer.from('7b2261223a22fffe227d', 'hex'),
  'an overlong slash': Buffer.from('7b2261223a22c0af227d', 'hex'),
  'UTF-16': Buffer.from('{"met":1}', 'utf16le'),
  'a NUL': '{"a":"\\u0000"}\0',
  'a text': '"x"',
  'NaN': '{"met":NaN}',
  'comments': '{/*a*/"met":1}',
};

const B = 'b0';
const END = `--${B}--\r\n`;
const part = (what: string, body = 'x', more = '') =>
  `--${B}\r\nContent-Disposition: form-data; ${what}\r\n${more}\r\n${body}\r\n`;
const times = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join('');

/** The responses to a form that is rejected; what a path names does not exist, and FastAPI has 422. */
const rejectionsAt = (path: string): number[] => [
  400,
  413,
  415,
  ...(path.includes('{') ? [404] : []),
  ...(path.startsWith('/compat/') ? [422] : []),
];

/** This installation declares no source, and one is looked up first. */
const UNDECLARED = '/intake/v1/sources/';

/** Malicious forms. */
// biome-ignore format: a table reads best aligned
const FORMS: Readonly<Record<string, string>> = {
  '2,000 fields': times(2000, (at) => part(`name="f${at}"`)) + END,
  '1,000 files': times(1000, (at) => part(`name="image"; filename="f${at}"`)) + END,
  'a form in a form': part('name="image"', part('name="a"; filename="b"') + END, 'Content-Type: multipart/mixed; boundary=b1\r\n') + END,
  'no end': part('name="image"; filename="a.jpg"', 'x'.repeat(1000)),
  'no boundary': 'x'.repeat(500_000),
  'nothing but dashes': '-'.repeat(500_000),
  'boundaries that are nearly there': part('name="image"; filename="a"', `\r\n--${B.slice(0, -1)}`.repeat(50_000)) + END,
  'a part with a header of 1 MB': part('name="image"; filename="a.jpg"', 'x', `X-A: ${'a'.repeat(1e6)}\r\n`) + END,
  'a part with 20,000 headers': part('name="image"; filename="a.jpg"', 'x', times(20_000, (at) => `X${at}: a\r\n`)) + END,
  'a field with a name of 64 KB': part(`name="${'n'.repeat(65_536)}"`) + END,
  'a file with a name of 64 KB': part(`name="image"; filename="${'n'.repeat(65_536)}"`) + END,
  'a file outside': part('name="image"; filename="../../../../etc/passwd"') + END,
  'a file outside, encoded': part(`name="image"; filename*=UTF-8''%2e%2e%2f%00`) + END,
  'a file with a NUL in its name': part('name="image"; filename="a\0b.jpg"') + END,
  'a file with a line break in its name': part('name="image"; filename="a%0d%0aX: y.jpg"') + END,
  '__proto__': part('name="__proto__"') + part('name="constructor"') + END,
  'a field without a name': `--${B}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${END}`,
  'a part without headers': `--${B}\r\n\r\nx\r\n${END}`,
  'a change of the letters': part('name="_charset_"', 'utf-7') + END,
  'only the end': END,
};

const ENCODINGS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;
const ZEROS = Buffer.alloc(3e5);
/** Beyond what a feed of its compressed size may become. */
const BOMB_BYTES = 32 * 1024 * 1024;

/** Whether an endpoint reads a body of this type as a feed, which may be compressed. */
const isFeedBody = ({ method, path }: Operation, type: string): boolean =>
  method === 'POST' &&
  /^\/intake\/v1\/feeds(?:\/inspect|\/\{\w+\}\/runs)?$/.test(path) &&
  FEED_MEDIA_TYPES.some((each) => each === type);

/** Bodies made to break parsers. */
export async function bodyCases(stack: Stack, key: string): Promise<void> {
  const operations = await readOperations(stack.url);
  const batchId = await batchClient(stack, key).open();

  const send = ({ method, path }: Operation, type: string, body: string | Buffer, headers = {}) =>
    fetch(`${stack.url}${path.replaceAll(/\{\w+\}/g, batchId)}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': type, ...headers },
      body,
    });
  const taking = (type: string) => operations.filter(({ bodies }) => bodies.includes(type));

  test.each(Object.entries(MALICIOUS_JSON))(
    '%s as JSON is rejected by every endpoint',
    async (_, body) => {
      const endpoints = taking('application/json');
      expect(endpoints.length).toBeGreaterThan(10);
      for (const operation of endpoints) {
        const response = await send(operation, 'application/json', body);
        const text = await response.text();
        const fine = operation.path.startsWith(UNDECLARED) ? [400, 404, 413] : [400, 413];
        expect(fine, `${operation.path}: ${text.slice(0, 200)}`).toContain(response.status);
        expect(text.length, operation.path).toBeLessThan(40_000);
      }
    },
  );

  test('no JSON at all is rejected by every endpoint that needs a body', async () => {
    const endpoints = taking('application/json').filter(({ needsBody }) => needsBody);
    expect(endpoints.length).toBeGreaterThan(10);
    for (const operation of endpoints) {
      const response = await send(operation, 'application/json', '');
      expect(response.status, operation.path).toBe(400);
      await response.arrayBuffer();
    }
  });

  test.each(Object.entries(FORMS))(
    'a form with %s is rejected or accepted, without other effects',
    async (_, body) => {
      const endpoints = taking('multipart/form-data');
      expect(endpoints.length).toBeGreaterThan(3);
      for (const operation of endpoints) {
        const response = await send(operation, `multipart/form-data; boundary=${B}`, body);
        const text = await response.text();
        const fine = operation.path.endsWith('/items') ? [200, 400] : rejectionsAt(operation.path);
        expect(fine, `${operation.path}: ${text.slice(0, 200)}`).toContain(response.status);
        expect(text.length, operation.path).toBeLessThan(40_000);
      }
    },
  );

  describe.each(Object.entries(ENCODINGS))('a body in %s', (encoding, compress) => {
    test('is rejected by every endpoint that reads no feed in it, and never decompressed', async () => {
      const bomb = compress(ZEROS);
      const endpoints = operations.filter(({ bodies }) => bodies.length > 0);
      expect(endpoints.length).toBeGreaterThan(10);
      for (const operation of endpoints)
        for (const type of operation.bodies) {
          if (encoding === 'gzip' && isFeedBody(operation, type)) continue;
          const headers = { 'content-encoding': encoding };
          const response = await send(operation, `${type}; boundary=b`, bomb, headers);
          expect(response.status, `${operation.path} ${type}`).toBe(415);
          expect(response.headers.get('accept-encoding')).toBe('identity');
          await response.arrayBuffer();
        }
    });
  });

  test('a feed in gzip is decompressed only within its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(BOMB_BYTES, 'id,image_link\n'));
    const { freeBytes, ratio } = EXPANSION;
    expect(freeBytes + ratio * bomb.length).toBeLessThan(BOMB_BYTES);
    const headers = { 'content-encoding': 'gzip' };
    const feeds = operations.flatMap((operation) =>
      operation.bodies
        .filter((type) => isFeedBody(operation, type))
        .map((type) => ({ operation, type })),
    );
    expect(feeds.length).toBeGreaterThan(10);
    for (const { operation, type } of feeds) {
      const response = await send(operation, type, bomb, headers);
      const text = await response.text();
      const name = `${operation.path} ${type}: ${text.slice(0, 200)}`;
      // A run is looked for before its body is read, an inspection reads only the beginning, and an upload is
      // decompressed on its way to storage: it is refused at the limit, not accepted for its run to fail.
      if (operation.path.endsWith('/runs')) expect(response.status, name).toBe(404);
      else if (operation.path.endsWith('/inspect')) expect(response.status, name).toBe(200);
      else {
        expect(response.status, name).toBe(400);
        expect(text, name).toContain('many times larger than its compressed form');
      }
    }
  });

  test('no prototype is polluted, and the gateway still responds', async () => {
    const { key: fresh } = await stack.key();
    const answer = await postBody(stack, '{}', { key: fresh });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('isAdmin');
    expect(stack.gateway.child.exitCode).toBeNull();
    expect(stack.logs()).not.toContain('"type":"internal-error"');
  });
}
