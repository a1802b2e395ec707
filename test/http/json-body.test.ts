import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { json, type Reply } from '../../src/http/route.ts';
import { row, serve, TEST_ROUTE } from './serve.ts';

const echo = { ...TEST_ROUTE, method: 'POST', scope: 'keyless' } as const;

const Response = z.object({
  body: z.unknown().optional(),
  bodyBytes: z.number().optional(),
  detail: z.string().optional(),
});

/** Both routes return what their handlers get, and the memory that the body takes meanwhile. */
const handle = ({ body }: { body: unknown }): Reply =>
  json({ body, bodyBytes: server.figures().bodyBytes });
const server = await serve([
  row({ ...echo, path: '/parsed', body: z.unknown(), handle }),
  row({ ...echo, path: '/text', uncheckedBody: z.unknown(), handle }),
]);
afterAll(() => server.app.close());

async function post(path: string, body: string | Uint8Array) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/${path}`, { method: 'POST', headers, body });
  const { body: received, bodyBytes, detail } = Response.parse(await response.json());
  return { status: response.status, body: received, bodyBytes, detail };
}

describe('the JSON of a handler that parses it', () => {
  const TEXTS = [[' {"a": 1} '], ['{"a":'], ['{"__proto__": {}}'], ['"größer"']];
  test.each(TEXTS)('arrives as it was sent: %s', async (text) => {
    expect(await post('text', text)).toMatchObject({ status: 200, body: text });
  });

  test('takes the memory of its text, two bytes for a character past ASCII', async () => {
    const values = JSON.stringify(Array.from({ length: 1000 }, () => 1));
    expect(await post('text', values)).toMatchObject({ bodyBytes: values.length });
    expect((await post('parsed', values)).bodyBytes).toBeGreaterThan(50 * values.length);
    expect(await post('text', '"größer"')).toMatchObject({ bodyBytes: 16 });
  });
});

const NOT_UTF_8 = Uint8Array.of(0x22, 0xff, 0x22);

describe.each(['parsed', 'text'])('a %s body', (path) => {
  test.each([
    [400, 'is empty', 'The body is empty; send a JSON object', ''],
    [400, 'is not UTF-8', 'The body is not UTF-8; send its text in UTF-8', NOT_UTF_8],
    [413, 'has too many values', 'The JSON has more than 200000 values', '['.repeat(200_001)],
  ])('is rejected with %i if it %s', async (status, _what, detail, body) => {
    expect(await post(path, body)).toMatchObject({ status, detail });
  });
});

const NO_VALUE =
  'The body is not JSON: it has a value that JSON has not, such as NaN or a text without quotes';
const FORBIDDEN =
  'The body has a forbidden member: "__proto__", or "prototype" in "constructor"; remove it';

test.each([
  ['{"a":', 'The body is not JSON: it ends early'],
  ['{"a": NaN}', NO_VALUE],
  ['{"a": 1,\n  b: 2}', 'The body is not JSON: it breaks at line 2, character 3'],
  ["{'a': 1}", 'The body is not JSON: it breaks at line 1, character 2'],
  ['{"__proto__": {"a": 1}}', FORBIDDEN],
  ['{"a": [{"constructor": {"prototype": {}}}]}', FORBIDDEN],
])('a body that no handler should see is rejected: %s', async (text, detail) => {
  expect(await post('parsed', text)).toMatchObject({ status: 400, detail });
});
