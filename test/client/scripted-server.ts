import type { RequestListener, ServerResponse } from 'node:http';
import { createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/interface.ts';
import { type Planted, plantServer } from '../support/servers.ts';

/** The eight bytes that every PNG begins with, and some more. */
export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

type Headers = Record<string, string>;

/** Answers with a whole body. */
export const says =
  (status: number, body: string | Uint8Array, headers: Headers = {}): RequestListener =>
  (request, response) => {
    const answer = () => response.writeHead(status, headers).end(body);
    if (request.readableEnded) answer();
    else request.resume().once('end', answer);
  };

export const json = (value: unknown, status = 200): RequestListener =>
  says(status, JSON.stringify(value), {
    'content-type': 'application/json',
    'x-request-id': 'r-1',
  });

export const problem = (status: number, type: string, headers: Headers = {}): RequestListener =>
  says(status, JSON.stringify({ type, title: 'A title', status, detail: 'A detail' }), {
    'content-type': 'application/problem+json',
    'x-request-id': 'r-problem',
    ...headers,
  });

export const picture: RequestListener = says(200, PNG, {
  'content-type': 'image/png',
  'x-request-id': 'r-picture',
  'x-model': 'garment-cutout',
});

/** Begins an answer with these pieces and then cuts the connection. */
export const cutOff =
  (pieces: readonly (string | Uint8Array)[], headers: Headers): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(200, headers);
    writeAll(response, pieces, () => response.destroy());
  };

/** Writes pieces one after the other, each on its way before the next. */
export function writeAll(
  response: ServerResponse,
  [piece, ...rest]: readonly (string | Uint8Array)[],
  done: () => void,
): void {
  if (piece === undefined) done();
  else response.write(piece, () => setImmediate(() => writeAll(response, rest, done)));
}

/** A server that gives its answers in turn, the last one over and over. */
export function scripted(...answers: readonly RequestListener[]): Promise<Planted> {
  let next = 0;
  return plantServer((request, response) => {
    const answer = answers[Math.min(next++, answers.length - 1)];
    answer?.(request, response);
  });
}

/** A client that does not wait, and says for how long it would have; jitter is the most there is. */
export function impatient(planted: Pick<Planted, 'origin'>, options: ClientOptions = {}) {
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

/** What an iterator gives, to its end. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** The error that a call ends with. */
export const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
