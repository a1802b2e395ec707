import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../support/free-port.ts';
import { selfSigned } from './certificate.ts';
import { expectRejected, fetcher } from './fetching.ts';

/** As much as waits for a reader: then undici pauses its parser. */
const PAUSING_BYTES = 65_536;
/** Until the end of the connection has arrived. */
const REST_MILLIS = 200;

const HOST = 'shop.example';
const identity = selfSigned(HOST);

/** Starts a server that sends a response and then does something to its connection. */
async function plant(
  response: string,
  afterwards: (socket: Socket) => void,
  scheme: 'http' | 'https' = 'http',
): Promise<string> {
  const answer = (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(response, () => afterwards(socket)));
  };
  const server = scheme === 'https' ? createTlsServer(identity, answer) : createServer(answer);
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return `${scheme}://${HOST}:${port}`;
}

/** Opens a body and lets it wait. */
async function openAndRest(origin: string): Promise<{ read(): Promise<number>; abort(): void }> {
  const safe = fetcher({ resolve: async () => ['127.0.0.1'], ca: identity.cert });
  const stop = new AbortController();
  const opened = await safe.open(origin, { maxBytes: 10_000_000, signal: stop.signal });
  if (opened.notModified) throw new Error('not modified');
  await sleep(REST_MILLIS);
  return {
    async read() {
      let bytes = 0;
      for await (const chunk of opened.body) bytes += chunk.length;
      return bytes;
    },
    abort: () => stop.abort(),
  };
}

const end = (socket: Socket): void => void socket.end();
/** Once the client has read what there is: a reset discards the rest. */
const reset = (socket: Socket): void => void setTimeout(() => socket.resetAndDestroy(), 100);

const lengths = [
  { length: 'announced', header: (bytes: number) => `Content-Length: ${bytes}\r\n` },
  { length: 'not announced', header: () => '' },
];
/** Multiples of what pauses the parser, and others. */
const sizes = [PAUSING_BYTES, PAUSING_BYTES + 4464, 2 * PAUSING_BYTES, 3_000_000];
const cases = lengths.flatMap((length) => sizes.map((bytes) => ({ ...length, bytes })));

const responseOf = (header: string, bytes: number): string =>
  `HTTP/1.1 200 OK\r\nConnection: close\r\n${header}\r\n${'a'.repeat(bytes)}`;

// An error that nothing catches fails the run, here and in production.
test.each(cases)(
  'a body of $bytes bytes, $length, is read after its server closed the connection',
  async ({ header, bytes }) => {
    const body = await openAndRest(await plant(responseOf(header(bytes), bytes), end));
    expect(await body.read()).toBe(bytes);
  },
);

test.each(lengths)('so is a secure one, $length', async ({ header }) => {
  const response = responseOf(header(PAUSING_BYTES), PAUSING_BYTES);
  const body = await openAndRest(await plant(response, end, 'https'));
  expect(await body.read()).toBe(PAUSING_BYTES);
});

test.each(lengths)('a body, $length, is truncated by a reset', async ({ header }) => {
  const response = responseOf(header(PAUSING_BYTES), PAUSING_BYTES);
  const body = await openAndRest(await plant(response, reset));
  await expectRejected(body.read(), 'truncated');
});

test('a body can be aborted after its server closed the connection', async () => {
  const body = await openAndRest(await plant(responseOf('', PAUSING_BYTES), end));
  body.abort();
  await expectRejected(body.read(), 'aborted');
});
