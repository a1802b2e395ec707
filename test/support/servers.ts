import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A server of the test's own on 127.0.0.1, closed when the test is over. */
export interface Planted {
  port: number;
  /** For http servers and TLS ones alike, without a final slash. */
  origin: string;
  /** Every request that came, in order. */
  requests: IncomingMessage[];
}

/** Private key and certificate in PEM, for a server that speaks TLS. */
export interface Identity {
  key: string;
  cert: string;
}

async function listening(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Plants an HTTP server. */
export async function plantServer(answer: RequestListener, identity?: Identity): Promise<Planted> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    answer(request, response);
  };
  const server = identity ? createTlsServer(identity, listener) : createServer(listener);
  const port = await listening(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, origin: `${identity ? 'https' : 'http'}://127.0.0.1:${port}`, requests };
}

/** Plants a server that says exactly these bytes to whoever asks, valid HTTP or not, and hangs up. */
export async function plantRaw(bytes: string | Uint8Array): Promise<{ origin: string }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}); // the other side may be gone first
    socket.once('data', () => socket.end(bytes));
  });
  const port = await listening(server);
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${port}` };
}

/** Answers 200 with these bytes. */
export const serve =
  (bytes: string | Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, headers).end(bytes);
  };

/** Answers with nothing but a status. */
export const fail =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status).end('<html><body>An error page</body></html>');
  };

export const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { location }).end('<a href>Moved</a>');
  };

/** Takes the request and never says a word. */
export const silence: RequestListener = () => {};

/** Says a few bytes of a body and then nothing more. */
export const stall: RequestListener = (_request, response) => {
  response.writeHead(200);
  response.write('a beginning');
};

/** Always says one more byte, never enough of them. */
export const drip: RequestListener = (_request, response) => {
  const drops = setInterval(() => response.write('.'), 5);
  response.once('close', () => clearInterval(drops));
};

/** Sends one piece over and over as fast as it is taken. */
export const endless =
  (piece: Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    function* forever() {
      while (true) yield piece;
    }
    response.writeHead(200, headers);
    Readable.from(forever())
      .on('error', () => {})
      .pipe(response);
  };
