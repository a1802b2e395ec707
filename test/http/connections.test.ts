import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collectBody } from '../../src/http/body-stream.ts';
import { json, type Route } from '../../src/http/route.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { keyOf, open, type Raw, requestText, row, serve, TEST_ROUTE } from './serve.ts';

const MAX = 50;

/** Ends requests in progress at `/held`. */
let endHeld: () => void = () => {};
let held: Promise<void>;
/** What `/held-stream` sends. */
let endless: Readable;

const ROUTES: readonly Route[] = [
  row({ ...TEST_ROUTE, path: '/keyed', handle: () => json({}) }),
  row({ ...TEST_ROUTE, scope: 'keyless', path: '/open', handle: () => json({}) }),
  row({ ...TEST_ROUTE, path: '/held', handle: () => held.then(() => json({ held: true })) }),
  row({
    ...TEST_ROUTE,
    path: '/held-stream',
    handle: () => held.then(() => ({ body: endless })),
  }),
  row({
    ...TEST_ROUTE,
    method: 'POST',
    path: '/json',
    body: z.unknown(),
    handle: () => json({}),
  }),
  row({
    ...TEST_ROUTE,
    scope: 'keyless',
    method: 'POST',
    path: '/sign-in',
    body: z.unknown(),
    maxBodyBytes: 1024,
    handle: () => json({}),
  }),
  row({
    ...TEST_ROUTE,
    method: 'POST',
    path: '/upload',
    stream: { 'text/csv': 'binary' },
    async handle(call) {
      const body = call.bodyStream();
      if (body.kind !== 'bytes') return json({});
      return json({ bytes: (await collectBody(body.stream, 1e9)).length });
    },
  }),
];

type Served = Awaited<ReturnType<typeof serve>>;
let server: Served;
const start = async (deps: Partial<ServerOptions> = {}) => {
  held = new Promise((resolve) => {
    endHeld = resolve;
  });
  endless = new Readable({ read: () => {} });
  server = await serve(ROUTES, { maxConnections: MAX, ...deps });
};
afterEach(async () => {
  endHeld();
  server.drain();
  await server.app.close();
});

const openAll = (count: number, bytes: string): Promise<Raw[]> =>
  Promise.all(Array.from({ length: count }, () => open(server.url, bytes)));

/** Sends a request on a connection of its own; returns the status. */
async function statusOf(line: string, headers: readonly string[] = []): Promise<string> {
  const { closed } = await open(server.url, requestText(line, [...headers, 'Connection: close']));
  return / (\d{3}) /.exec(await closed)?.[1] ?? 'no response';
}

const json100 = ['Content-Type: application/json', 'Content-Length: 100'];

describe('a full server', () => {
  // biome-ignore format: a table reads best aligned
  const HOLDERS: readonly [what: string, bytes: string][] = [
    ['nothing', ''],
    ['half of the headers', 'GET /open HTTP/1.1\r\nHost: x\r\nX-A: '],
    ['half of a body, without a key', requestText('POST /sign-in', json100, '{')],
    ['half of a body, with an unknown key', requestText('POST /json', [...json100, 'Authorization: Bearer wrong'], '{')],
    ['half of a body to an unknown address', requestText('POST /none', json100, '{')],
  ];

  test.each(HOLDERS)('serves others when strangers send %s', async (_, bytes) => {
    await start();
    const strangers = await openAll(2 * MAX, bytes);
    expect(await statusOf('GET /keyed', [keyOf('honest')])).toBe('200');
    expect(await statusOf('GET /open')).toBe('200');
    const { connections, evictedConnections } = server.figures();
    expect(connections.keyless).toBeLessThanOrEqual(MAX);
    expect(evictedConnections.new).toBe(0);
    for (const { socket } of strangers) socket.destroy();
  });

  test('does not interrupt requests and uploads of accepted keys', async () => {
    await start();
    const stream = await open(server.url, requestText('GET /held', [keyOf('honest')]));
    const head = ['Content-Type: text/csv', 'Content-Length: 6', keyOf('honest')];
    const upload = await open(server.url, requestText('POST /upload', head, 'abc'));
    await expect.poll(() => server.figures().connections.accepted).toBe(2);
    const strangers = await openAll(3 * MAX, requestText('POST /sign-in', json100, '{'));
    await expect.poll(() => server.figures().evictedConnections.keyless).toBeGreaterThan(MAX);
    upload.socket.write('def');
    await expect.poll(upload.text).toContain('"bytes":6');
    endHeld();
    await expect.poll(stream.text).toContain('"held":true');
    for (const { socket } of [stream, upload, ...strangers]) socket.destroy();
  });

  test('keeps idle connections of accepted keys while strangers have more than half', async () => {
    await start();
    const known = await open(server.url, requestText('GET /keyed', [keyOf('honest')]));
    await expect.poll(() => server.figures().connections.idle).toBe(1);
    const strangers = await openAll(3 * MAX, '');
    known.socket.write(requestText('GET /keyed', [keyOf('honest'), 'Connection: close']));
    expect((await known.closed).match(/ 200 OK/g)).toHaveLength(2);
    for (const { socket } of strangers) socket.destroy();
  });

  test('closes the longest idle connection if those of accepted keys fill it', async () => {
    await start();
    const request = requestText('GET /keyed', [keyOf('many')]);
    const idle: Raw[] = [];
    for (let at = 0; at < MAX; at++) {
      const raw = await open(server.url, request);
      await expect.poll(raw.text).toContain('{}');
      idle.push(raw);
    }
    expect(await statusOf('GET /keyed', [keyOf('honest')])).toBe('200');
    await idle[0]?.closed;
    expect(server.figures().evictedConnections).toEqual({ keyless: 0, idle: 1, new: 0 });
    for (const { socket } of idle) socket.destroy();
  });

  test('gives one key half of the connections at most, and another key still finds one', async () => {
    await start();
    const greedy = await openAll(MAX, requestText('GET /held', [keyOf('greedy')]));
    await expect
      .poll(() => greedy.filter(({ text }) => text().includes(' 503 ')).length)
      .toBe(MAX / 2);
    const rejected = await greedy.find(({ text }) => text().includes(' 503 '))?.closed;
    expect(rejected).toMatch(/retry-after: 1\r\n/i);
    expect(rejected).toMatch(/connection: close\r\n/i);
    expect(server.figures().connections.accepted).toBe(MAX / 2);
    expect(server.figures().rejectedConnections).toEqual({ full: 0, share: MAX / 2 });
    expect(await statusOf('GET /keyed', [keyOf('honest')])).toBe('200');
    // A rejected request has cost its rate, but no quota.
    expect(server.admitted.requests).toMatchObject({ greedy: MAX });
    expect(server.admitted.refunds).toMatchObject({ greedy: MAX / 2 });
    for (const { socket } of greedy) socket.destroy();
  });
});

describe('a body that nobody needs', () => {
  const LARGE = 5e6;
  const large = ['Content-Type: application/json', `Content-Length: ${LARGE}`];

  // biome-ignore format: a table reads best aligned
  const EARLY: readonly [line: string, headers: readonly string[], status: number][] = [
    ['POST /none', [], 404],
    ['DELETE /json', [], 405],
    ['POST /json', [], 401],
    ['POST /json', ['Authorization: Bearer wrong'], 401],
    ['POST /sign-in', [], 413],
    ['POST /json', [keyOf('honest')], 413],
  ];

  test.each(EARLY)('%s %s is answered at once, before the body', async (line, headers, status) => {
    await start();
    const raw = await open(server.url, requestText(line, [...large, ...headers], '{'), true);
    await expect.poll(raw.text).toMatch(/\r\n\r\n\{.*\}$/);
    expect(raw.text()).toContain(` ${status} `);
    expect(raw.text()).toMatch(/connection: close\r\n/i);
    expect(server.figures().bodyBytes).toBe(0);
    // The client may finish sending, and is not reset before.
    raw.socket.end('x'.repeat(LARGE - 1));
    await finished(raw.socket, { readable: false });
    await raw.closed;
  });

  test('is not read for long', async () => {
    await start({ bodyTimes: { keylessMillis: 300 } });
    const raw = await open(server.url, requestText('POST /none', large, '{'));
    expect(await raw.closed).toContain(' 404 ');
  });

  test('is not read without end', async () => {
    await start({ bodyTimes: { keylessMillis: 600_000 } });
    const endless = ['Content-Type: application/json', 'Content-Length: 100000000000'];
    const raw = await open(server.url, requestText('POST /none', endless));
    const mebibyte = Buffer.alloc(2 ** 20);
    const send = () => {
      while (!raw.socket.destroyed && raw.socket.write(mebibyte)) {}
    };
    raw.socket.on('drain', send);
    send();
    expect(await raw.closed).toContain(' 404 ');
  });

  test('is not asked for', async () => {
    await start();
    const expecting = [...json100, 'Expect: 100-continue'];
    const rejected = await open(server.url, requestText('POST /json', expecting));
    await expect.poll(rejected.text).toMatch(/^HTTP\/1.1 401 /);
    const known = [...expecting, keyOf('honest'), 'Connection: close'];
    const accepted = await open(server.url, requestText('POST /json', known));
    await expect.poll(accepted.text).toMatch(/^HTTP\/1.1 100 /);
    accepted.socket.write('1'.repeat(100));
    expect(await accepted.closed).toContain(' 200 ');
    rejected.socket.destroy();
  });
});

test('a server may take as long to load as a busy machine needs', async () => {
  await start();
  expect(server.app.initialConfig.pluginTimeout).toBe(0);
});

test('a body without a key has little time', async () => {
  await start({ bodyTimes: { keylessMillis: 300 } });
  const raw = await open(server.url, requestText('POST /sign-in', json100, '{'));
  const keyed = await open(server.url, requestText('POST /json', [...json100, keyOf('a')], '{'));
  expect(await raw.closed).toContain(' 408 ');
  expect(keyed.text()).toBe('');
  keyed.socket.destroy();
});

describe('requests that wait for an earlier one on their connection', () => {
  const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const EMPTY_CHUNK = '0\r\n\r\n';

  test('return what they hold when the connection closes', async () => {
    await start();
    const queued = [
      ...Array(5).fill(requestText('GET /keyed', [keyOf('greedy')])),
      ...Array(4).fill(requestText('POST /sign-in', CHUNKED, EMPTY_CHUNK)),
    ].join('');
    for (let count = 1; count <= MAX / 5; count++) {
      const raw = await open(server.url, requestText('GET /held', [keyOf('greedy')]) + queued);
      await expect.poll(() => server.admitted.requests.greedy).toBe(6 * count);
      raw.socket.destroy();
    }
    await expect.poll(() => server.figures().bodyBytes).toBe(0);
    await expect
      .poll(() => server.figures().connections)
      .toEqual({ keyless: 0, idle: 0, accepted: 0 });
    expect(await statusOf('GET /keyed', [keyOf('greedy')])).toBe('200');
    expect(server.figures()).toMatchObject({
      rejectedBodies: { full: 0, share: 0 },
      rejectedConnections: { full: 0, share: 0 },
    });
  });

  test('end their streams, even those that start later', async () => {
    await start();
    const raw = await open(
      server.url,
      ['GET /held', 'GET /held-stream'].map((line) => requestText(line, [keyOf('a')])).join(''),
    );
    await expect.poll(() => server.admitted.requests.a).toBe(2);
    raw.socket.destroy();
    await expect.poll(() => server.figures().connections.accepted).toBe(0);
    endHeld();
    await expect.poll(() => endless.destroyed).toBe(true);
  });

  test('are ten at most: the next one closes the connection', async () => {
    await start();
    const raw = await open(server.url, requestText('GET /held', [keyOf('a')]).repeat(100));
    expect(await raw.closed).toBe('');
    expect(server.admitted.requests.a ?? 0).toBeLessThanOrEqual(10);
    await expect.poll(() => server.figures().connections.accepted).toBe(0);
    const few = requestText('GET /keyed', [keyOf('a')]).repeat(9);
    const last = requestText('GET /keyed', [keyOf('a'), 'Connection: close']);
    const { closed } = await open(server.url, few + last);
    expect((await closed).match(/ 200 OK/g)).toHaveLength(10);
  });
});
