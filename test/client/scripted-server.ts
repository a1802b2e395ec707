import type { RequestListener, ServerResponse } from 'node:http';
import { createClient } from '../../packages/client/src/client.ts';
import type { ClientOptions } from '../../packages/client/src/interface.ts';
import { type Planted, plantServer } from '../support/servers.ts';

/** The PNG signature and some more bytes. */
export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

type Headers = Record<string, string>;

/** Responds with a complete body. */
export const respondWith =
  (status: number, body: string | Uint8Array, headers: Headers = {}): RequestListener =>
  (request, response) => {
    const answer = () => response.writeHead(status, headers).end(body);
    if (request.readableEnded) answer();
    else request.resume().once('end', answer);
  };

export const jsonResponse = (value: unknown, status = 200): RequestListener =>
  respondWith(status, JSON.stringify(value), {
    'content-type': 'application/json',
    'x-request-id': 'r-1',
  });

export const problemResponse = (
  status: number,
  type: string,
  headers: Headers = {},
): RequestListener =>
  respondWith(status, JSON.stringify({ type, title: 'A title', status, detail: 'A detail' }), {
    'content-type': 'application/problem+json',
    'x-request-id': 'r-problem',
    ...headers,
  });

export const imageResponse: RequestListener = respondWith(200, PNG, {
  'content-type': 'image/png',
  'x-request-id': 'r-picture',
  'x-model': 'garment-cutout',
});

/** Sends the first chunks of a response and then breaks the connection. */
export const cutOff =
  (chunks: readonly (string | Uint8Array)[], headers: Headers): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(200, headers);
    writeAll(response, chunks, () => response.destroy());
  };

/** Writes chunks one after the other, each flushed before the next. */
export function writeAll(
  response: ServerResponse,
  [chunk, ...rest]: readonly (string | Uint8Array)[],
  done: () => void,
): void {
  if (chunk === undefined) done();
  else response.write(chunk, () => setImmediate(() => writeAll(response, rest, done)));
}

/** Starts a server that gives these responses in turn, and repeats the last one. */
export function startScriptedServer(...responses: readonly RequestListener[]): Promise<Planted> {
  let next = 0;
  return plantServer((request, response) => {
    const respond = responses[Math.min(next++, responses.length - 1)];
    respond?.(request, response);
  });
}

/** Creates a client that records its delays instead of waiting; jitter is always the maximum. */
export function createTestClient(planted: Pick<Planted, 'origin'>, options: ClientOptions = {}) {
  const waits: number[] = [];
  let millis = 0;
  const client = createClient({
    baseUrl: planted.origin,
    key: 'sv_test',
    ...options,
    timing: {
      async sleep(time) {
        waits.push(time);
        millis += time;
      },
      now: () => millis,
      random: () => 1,
    },
  });
  return { client, waits };
}

/** Starts a server that gives these responses in turn, and a client of it. */
export async function serveScript(responses: readonly RequestListener[], options?: ClientOptions) {
  const server = await startScriptedServer(...responses);
  return { server, ...createTestClient(server, options) };
}

/** Collects the values of an iterable. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** Returns the error that a call rejects with. */
export const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'the call succeeded',
    (error: unknown) => error,
  );
