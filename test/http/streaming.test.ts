import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { collectBody } from '../../src/http/body-stream.ts';
import type { Limits } from '../../src/http/limits.ts';
import { type Call, json, type Route, route } from '../../src/http/route.ts';
import { createServer, type HttpServer } from '../../src/http/server.ts';
import { createLog } from '../../src/platform/log.ts';
import { Problem } from '../../src/platform/problem.ts';

const TIMES = { wholeMillis: 300, idleMillis: 300 };

let server: HttpServer | undefined;
afterEach(async () => {
  server?.drain();
  await server?.app.close();
});

const routeOf = (method: 'POST' | 'GET', more: Partial<Route>): Route =>
  route({
    method,
    path: '/here',
    scope: 'keyless',
    summary: 'Of a test',
    answers: {},
    handle: () => json({}),
    ...more,
  });

/** Serves one route and answers its address. */
async function serveRoute(row: Route, bodyTimes = TIMES): Promise<string> {
  server = createServer({
    routes: [row],
    lookUp: async () => undefined,
    limits: { admit: () => Promise.reject(new Error('keyless')) } satisfies Limits,
    sunsets: [],
    log: createLog('test', 'silent'),
    maxImageBytes: 1000,
    sniff: () => undefined,
    problemBase: undefined,
    bodyTimes,
    observe: () => {},
  });
  return server.app.listen({ host: '127.0.0.1', port: 0 });
}

const STREAM = { 'text/csv': 'binary', 'multipart/form-data': 'binary' } as const;

/** What a handler saw of a streamed body. */
async function seen(call: Call): Promise<object> {
  const body = call.bodyStream();
  if (body.kind === 'files') {
    const files: unknown[] = [];
    for await (const { name, stream, isTruncated } of body.files) {
      const bytes = await collectBody(stream, 1e9);
      files.push([name, bytes.length, isTruncated()]);
    }
    return { files };
  }
  const bytes = await collectBody(body.stream, 1e9);
  return { mediaType: body.mediaType, charset: body.charset, bytes: bytes.length };
}

const streaming = (
  handle: (call: Call) => Promise<object> = seen,
  times = TIMES,
): Promise<string> => {
  const handled = async (call: Call) => json(await handle(call));
  return serveRoute(routeOf('POST', { stream: STREAM, handle: handled }), times);
};

const post = (url: string, type: string, body: RequestInit['body']): Promise<Response> =>
  fetch(`${url}/here`, { method: 'POST', headers: { 'content-type': type }, body: body ?? null });

/** A connection that has sent the head of a request and some of its body. */
async function halfRequest(url: string, head: readonly string[], body: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(['POST /here HTTP/1.1', 'Host: x', ...head, '', body].join('\r\n'));
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}

describe('a body that is read as it comes', () => {
  test('may be larger than any limit on bodies', async () => {
    const response = await post(await streaming(), 'Text/CSV; charset="utf-8"', 'x'.repeat(3e6));
    expect(await response.json()).toEqual({ mediaType: 'text/csv', charset: 'utf-8', bytes: 3e6 });
  });

  test('of another type is 415, and so is one of none', async () => {
    const url = await streaming();
    expect((await post(url, 'application/json', '{}')).status).toBe(415);
    expect((await fetch(`${url}/here`, { method: 'POST' })).status).toBe(415);
  });

  test('may be a form of files, each cut where it is too large, whatever it is called', async () => {
    const form = new FormData();
    form.append('note', 'passed over');
    form.append('a', new Blob(['x'.repeat(10)]), 'folder/Größe.jpg');
    form.append('b', new Blob(['x'.repeat(200_000)]), 'large.jpg');
    for (let i = 0; i < 500; i++) form.append('c', new Blob(['abc']), `${i}.png`);
    const response = await fetch(`${await streaming()}/here`, { method: 'POST', body: form });
    const { files } = (await response.json()) as { files: unknown[] };
    expect(files.slice(0, 3)).toEqual([
      ['Größe.jpg', 10, false],
      ['large.jpg', 1000, true],
      ['0.png', 3, false],
    ]);
    expect(files).toHaveLength(502);
  });

  test('that is no form though it says so is a 400', async () => {
    const url = await streaming();
    const torn = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nabc';
    for (const [type, body] of [
      ['multipart/form-data', 'abc'],
      ['multipart/form-data; boundary=x', 'abc'],
      ['multipart/form-data; boundary=x', torn],
    ] as const) {
      const response = await post(url, type, body);
      expect(await response.json()).toMatchObject({ type: 'invalid-request' });
    }
  });

  test('of files is a Problem for the reader where it ends in the middle of one', async () => {
    const head = ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 1000'];
    const part = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nabc';
    expect(await textOf(await halfRequest(await streaming(), head, part))).toMatch(/ 408 /);
  });

  test('is refused half-way with an answer that a client reads when it has sent all', async () => {
    const refuse = async (call: Call): Promise<object> => {
      const body = call.bodyStream();
      if (body.kind === 'bytes') for await (const _ of body.stream) break;
      throw new Problem('conflict', 'No more');
    };
    const url = await streaming(refuse, { wholeMillis: 60_000, idleMillis: 60_000 });
    const head = ['Content-Type: text/csv', 'Content-Length: 30000000'];
    const socket = await halfRequest(url, head, '');
    socket.write('x'.repeat(30e6));
    await once(socket, 'drain');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 409 /);
    socket.destroy();
  });

  test('that stops coming is a 408, and the connection goes', async () => {
    const url = await streaming();
    const head = ['Content-Type: text/csv', 'Content-Length: 1000'];
    const answer = await textOf(await halfRequest(url, head, 'abc'));
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"type":"request-timeout"');
  });

  test('is not hurried while nobody asks for its bytes', async () => {
    const url = await streaming(async (call) => {
      const body = call.bodyStream();
      let bytes = 0;
      if (body.kind === 'files') return {};
      for await (const chunk of body.stream) {
        bytes += chunk.length;
        if (bytes === chunk.length) await once(AbortSignal.timeout(2 * TIMES.idleMillis), 'abort');
      }
      return { bytes };
    });
    expect(await (await post(url, 'text/csv', 'x'.repeat(3e6))).json()).toEqual({ bytes: 3e6 });
  });

  test('ends with a 503 where the server shuts down', async () => {
    const url = await streaming(async (call) => {
      server?.drain();
      return seen(call);
    });
    const head = ['Content-Type: text/csv', 'Content-Length: 1000'];
    const answer = await textOf(await halfRequest(url, head, 'abc'));
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    expect(answer).toMatch(/retry-after: 1/i);
  });

  test('that breaks off is an error to whoever reads it', async () => {
    let failed: (error: unknown) => void;
    const failure = new Promise((resolve) => {
      failed = resolve;
    });
    const url = await streaming((call) =>
      seen(call).catch((error) => {
        failed(error);
        return {};
      }),
    );
    const head = ['Content-Type: text/csv', 'Content-Length: 1000'];
    const socket = await halfRequest(url, head, 'abc');
    socket.destroy();
    expect(await failure).toMatchObject({ detail: 'The client hung up' });
  });
});

describe('an ordinary body', () => {
  const OPEN = 'Content-Type: application/json';

  test.each([
    ['JSON', [OPEN, 'Content-Length: 100'], '{"a":'],
    ['a form', ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 100'], '--x\r\n'],
  ])('of %s that is not there in time is a 408 problem', async (_, head, body) => {
    const url = await serveRoute(
      routeOf('POST', { handle: async (call) => json((await call.imageForm()).fields) }),
    );
    const answer = await textOf(await halfRequest(url, head, body));
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"type":"request-timeout"');
    expect(answer).toMatch(/x-request-id: \S/i);
  });

  test('that nobody reads does not keep its connection', async () => {
    const url = await serveRoute(routeOf('GET', {}));
    const socket = await halfRequest(url, [OPEN, 'Content-Length: 100'], '{');
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 405 /);
  });

  test('of a slow client that makes it in time is read', async () => {
    const url = await serveRoute(
      routeOf('POST', { handle: async (call) => json((await call.imageForm()).fields) }),
    );
    const socket = await halfRequest(url, [OPEN, 'Content-Length: 7', 'Connection: close'], '{"a"');
    socket.write(':1}');
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 200 /);
  });
});
