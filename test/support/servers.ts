import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { listen } from './free-port.ts';

/** A private server on 127.0.0.1, closed when the test ends. */
export interface Planted {
  port: number;
  /** With the scheme http or https, without a trailing slash. */
  origin: string;
  /** Every request received, in order. */
  requests: IncomingMessage[];
}

/** Private key and certificate in PEM, for a TLS server. */
export interface Identity {
  key: string;
  cert: string;
}

/** Starts an HTTP server. @param host the address to listen on */
export async function plantServer(
  answer: RequestListener,
  identity?: Identity,
  host?: string,
): Promise<Planted> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    answer(request, response);
  };
  const server = identity ? createTlsServer(identity, listener) : createServer(listener);
  const port = await listen(server, host);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, origin: `${identity ? 'https' : 'http'}://127.0.0.1:${port}`, requests };
}

/** Starts a server that sends exactly these bytes to every client, valid HTTP or not, and closes. */
export async function plantRaw(bytes: string | Uint8Array): Promise<{ origin: string }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}); // the client may close first
    socket.once('data', () => socket.end(bytes));
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${port}` };
}

/** Starts a server whose headers arrive byte by byte and never end. */
export async function plantDrippingHeaders(): Promise<{ origin: string }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 OK\r\nx-drops: ');
    const drops = setInterval(() => socket.write('.'), 5);
    socket.once('close', () => clearInterval(drops));
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${port}` };
}

/** Responds 200 with these bytes. */
export const serve =
  (bytes: string | Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, headers).end(bytes);
  };

/** Responds with only a status. */
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

/** Accepts the request and never responds. */
export const silence: RequestListener = () => {};

/** Sends a few bytes of a body and then nothing more. */
export const stall: RequestListener = (_request, response) => {
  response.writeHead(200);
  response.write('a beginning');
};

/** Sends one byte at a time and never ends. */
export const drip: RequestListener = (_request, response) => {
  const drops = setInterval(() => response.write('.'), 5);
  response.once('close', () => clearInterval(drops));
};

/** Sends one chunk repeatedly, as fast as it is read. */
export const endless =
  (chunk: Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    function* forever() {
      while (true) yield chunk;
    }
    response.writeHead(200, headers);
    Readable.from(forever())
      .on('error', () => {})
      .pipe(response);
  };
