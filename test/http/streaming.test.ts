import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { collectBody } from '../../src/http/body-stream.ts';
import type { Limits } from '../../src/http/limits.ts';
import { type Call, json, type Route } from '../../src/http/route.ts';
import { HttpServer } from '../../src/http/server.ts';
import { createLog } from '../../src/platform/log.ts';
import { Problem } from '../../src/platform/problem.ts';
import { row } from './serve.ts';

const TIMES = { wholeMillis: 300, idleMillis: 300 };

let server: HttpServer | undefined;
afterEach(async () => {
  server?.drain();
  await server?.app.close();
});

const routeOf = (method: 'POST' | 'GET', more: Partial<Route>): Route =>
  row({
    method,
    path: '/here',
    scope: 'keyless',
    operationId: 'test',
    responses: {},
    handle: () => json({}),
    ...more,
  });

/** Serves one route. Resolves to its URL. */
async function serveRoute(row: Route, bodyTimes = TIMES): Promise<string> {
  server = new HttpServer({
    routes: [row],
    lookUp: async () => undefined,
    limits: { admit: () => Promise.reject(new Error('keyless')) } satisfies Pick<Limits, 'admit'>,
    log: createLog('test', 'silent'),
    maxImageBytes: 1000,
    problemBase: undefined,
    bodyTimes,
    observe: () => {},
  });
  return server.app.listen({ host: '127.0.0.1', port: 0 });
}

const STREAM = { 'text/csv': 'binary', 'multipart/form-data': 'binary' } as const;

/** Returns what a handler read of a streamed body. */
async function readStreamed(call: Call): Promise<object> {
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
  return { contentType: body.contentType, bytes: bytes.length };
}

const streaming = (
  handle: (call: Call) => Promise<object> = readStreamed,
  times = TIMES,
): Promise<string> => {
  const handled = async (call: Call) => json(await handle(call));
  return serveRoute(routeOf('POST', { stream: STREAM, handle: handled }), times);
};

const post = (url: string, type: string, body: RequestInit['body']): Promise<Response> =>
  fetch(`${url}/here`, { method: 'POST', headers: { 'content-type': type }, body: body ?? null });

/** Opens a connection and sends the head of a request and part of its body. */
async function sendPartialRequest(
  url: string,
  head: readonly string[],
  body: string,
): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(['POST /here HTTP/1.1', 'Host: x', ...head, '', body].join('\r\n'));
  return socket;
}

async function readText(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}

describe('a streamed body', () => {
  test('can be larger than the limit of other bodies', async () => {
    const response = await post(await streaming(), 'Text/CSV; charset="utf-8"', 'x'.repeat(3e6));
    expect(await response.json()).toEqual({ contentType: 'text/csv; charset=utf-8', bytes: 3e6 });
  });

  test('of another type, or of none, is 415', async () => {
    const url = await streaming();
    expect((await post(url, 'application/json', '{}')).status).toBe(415);
    expect((await fetch(`${url}/here`, { method: 'POST' })).status).toBe(415);
  });

  test('can be a form of files with any names, each truncated if it is too large', async () => {
    const form = new FormData();
    form.append('note', 'no file');
    form.append('a', new Blob(['x'.repeat(10)]), 'folder/Größe.jpg');
    form.append('b', new Blob(['x'.repeat(200_000)]), 'large.jpg');
    for (let i = 0; i < 500; i++) form.append('c', new Blob(['abc']), `${i}.png`);
    const response = await fetch(`${await streaming()}/here`, { method: 'POST', body: form });
    const { files } = (await response.json()) as { files: unknown[] };
    expect(files.slice(0, 4)).toEqual([
      ['', 7, false],
      ['Größe.jpg', 10, false],
      ['large.jpg', 1000, true],
      ['0.png', 3, false],
    ]);
    expect(files).toHaveLength(503);
  });

  test('that is declared a form but is none is 400', async () => {
    const url = await streaming();
    const truncated = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nabc';
    for (const [type, body] of [
      ['multipart/form-data', 'abc'],
      ['multipart/form-data; boundary=x', 'abc'],
      ['multipart/form-data; boundary=x', truncated],
    ] as const) {
      const response = await post(url, type, body);
      expect(await response.json()).toMatchObject({ type: 'invalid-request' });
    }
  });

  test('of files fails its reader with a Problem if it stops within a file', async () => {
    const head = ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 1000'];
    const part = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nabc';
    expect(await readText(await sendPartialRequest(await streaming(), head, part))).toMatch(
      / 408 /,
    );
  });

  const FILE = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nabc\r\n';

  test.each([
    ['bytes', 'text/csv', 'x'],
    ['files', 'multipart/form-data; boundary=x', FILE],
  ])(
    'of %s can be rejected half-way, and the client reads the response after sending everything',
    async (_kind, type, part) => {
      const reject = async (call: Call): Promise<object> => {
        const body = call.bodyStream();
        for await (const _ of body.kind === 'files' ? body.files : body.stream) break;
        throw new Problem('conflict', 'No more');
      };
      const url = await streaming(reject, { wholeMillis: 60_000, idleMillis: 60_000 });
      const rest = part.repeat(30e6 / part.length);
      const length = `Content-Length: ${part.length + rest.length}`;
      const socket = await sendPartialRequest(url, [`Content-Type: ${type}`, length], part);
      socket.write(rest);
      await once(socket, 'drain');
      const [response] = await once(socket, 'data');
      expect(String(response)).toMatch(/^HTTP\/1.1 409 /);
      socket.destroy();
    },
  );

  test('that stalls is 408, and the connection closes', async () => {
    const url = await streaming();
    const head = ['Content-Type: text/csv', 'Content-Length: 1000'];
    const response = await readText(await sendPartialRequest(url, head, 'abc'));
    expect(response).toMatch(/^HTTP\/1.1 408 /);
    expect(response).toContain('"type":"request-timeout"');
  });

  test('does not time out while its handler is busy', async () => {
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

  test('ends with 503 when the server shuts down', async () => {
    const url = await streaming(async (call) => {
      server?.drain();
      return readStreamed(call);
    });
    const head = ['Content-Type: text/csv', 'Content-Length: 1000'];
    const response = await readText(await sendPartialRequest(url, head, 'abc'));
    expect(response).toMatch(/^HTTP\/1.1 503 /);
    expect(response).toMatch(/retry-after: 1/i);
  });

  test('fails its reader with an error if the client disconnects', async () => {
    let onError: (error: unknown) => void;
    const failure = new Promise((resolve) => {
      onError = resolve;
    });
    const url = await streaming((call) =>
      readStreamed(call).catch((error) => {
        onError(error);
        return {};
      }),
    );
    const head = ['Content-Type: text/csv', 'Content-Length: 1000'];
    const socket = await sendPartialRequest(url, head, 'abc');
    socket.destroy();
    expect(await failure).toMatchObject({ detail: 'The client disconnected' });
  });
});

describe('an ordinary body', () => {
  const OPEN = 'Content-Type: application/json';

  test.each([
    ['JSON', [OPEN, 'Content-Length: 100'], '{"a":'],
    ['a form', ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 100'], '--x\r\n'],
  ])('of %s that is not complete in time is 408', async (_, head, body) => {
    const url = await serveRoute(
      routeOf('POST', { handle: async (call) => json((await call.imageForm()).fields) }),
    );
    const response = await readText(await sendPartialRequest(url, head, body));
    expect(response).toMatch(/^HTTP\/1.1 408 /);
    expect(response).toContain('"type":"request-timeout"');
    expect(response).toMatch(/x-request-id: \S/i);
  });

  test('that no handler reads does not keep its connection open', async () => {
    const url = await serveRoute(routeOf('GET', {}));
    const socket = await sendPartialRequest(url, [OPEN, 'Content-Length: 100'], '{');
    expect(await readText(socket)).toMatch(/^HTTP\/1.1 405 /);
  });

  test('of a slow client that completes in time is read', async () => {
    const url = await serveRoute(
      routeOf('POST', { handle: async (call) => json((await call.imageForm()).fields) }),
    );
    const headers = [OPEN, 'Content-Length: 7', 'Connection: close'];
    const socket = await sendPartialRequest(url, headers, '{"a"');
    socket.write(':1}');
    expect(await readText(socket)).toMatch(/^HTTP\/1.1 200 /);
  });
});
