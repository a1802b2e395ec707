import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { listen } from './free-port.ts';
import { drawnShirt } from './images.ts';

/** A file on a retailer's server. */
export interface Resource {
  body: string | Uint8Array;
  type: string;
  /** Derived from the body by default; null for a server without ETags. */
  etag?: string | null;
  lastModified?: string;
}

/** A retailer's server: feeds and images, with ETags, and failures of every kind. */
export interface FeedServer {
  origin: string;
  /** Every request received, in order. */
  requests: { path: string; headers: IncomingHttpHeaders; status: number }[];
  /** Adds or replaces a file; returns its URL. */
  put(path: string, resource: Resource | RequestListener): string;
  /** Adds an image, a different one for each number; returns its URL. */
  putImage(path: string, picture: number): Promise<string>;
  remove(path: string): void;
  close(): Promise<void>;
}

const etagOf = (body: string | Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;

/** Responds as web servers do: 304 if the client already has the file. */
function serveResource({ body, type, etag, lastModified }: Resource): RequestListener {
  const tag = etag === undefined ? etagOf(body) : etag;
  const headers = {
    'content-type': type,
    ...(tag !== null && { etag: tag }),
    ...(lastModified !== undefined && { 'last-modified': lastModified }),
  };
  return (request, response) => {
    const { 'if-none-match': noneMatch, 'if-modified-since': since } = request.headers;
    const isKnown =
      noneMatch === undefined
        ? lastModified !== undefined && since === lastModified
        : tag !== null && noneMatch === tag;
    if (isKnown) response.writeHead(304, headers).end();
    else
      response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  };
}

const pictures = new Map<number, Promise<Buffer>>();

/** Draws a small image that is different for each number, and always the same for one. */
export function pictureOf(number: number): Promise<Buffer> {
  const known = pictures.get(number);
  if (known) return known;
  const drawn = drawnShirt({
    width: 60 + (number % 200),
    height: 80 + Math.floor(number / 200),
    format: 'jpeg',
  });
  pictures.set(number, drawn);
  return drawn;
}

/** Starts a retailer's server on 127.0.0.1. */
export async function startFeedServer(): Promise<FeedServer> {
  const resources = new Map<string, RequestListener>();
  const requests: FeedServer['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const { headers } = request;
    response.once('close', () => requests.push({ path, headers, status: response.statusCode }));
    (resources.get(path) ?? badResponses.notFound)(request, response);
  });
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;

  function put(path: string, resource: Resource | RequestListener): string {
    const listener = typeof resource === 'function' ? resource : serveResource(resource);
    resources.set(path, listener);
    return origin + path;
  }
  return {
    origin,
    requests,
    put,
    putImage: async (path, picture) =>
      put(path, { body: await pictureOf(picture), type: 'image/jpeg' }),
    remove: (path) => void resources.delete(path),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const page = (words: string): string => `<!doctype html><html><body><p>${words}</p></body></html>`;

/** The ways retailers' servers fail. */
export const badResponses = {
  notFound: ((_request, response) =>
    response
      .writeHead(404, { 'content-type': 'text/html' })
      .end(page('Not found'))) as RequestListener,
  /** An HTML page with status 200 instead of the file. */
  htmlPage: serveResource({ body: page('Please log in'), type: 'text/html', etag: null }),
  /** Accepts the request and never responds. */
  silence: (() => {}) as RequestListener,
  /** Sends half of the announced body, then closes the connection. */
  truncated:
    (body: string | Uint8Array, type: string): RequestListener =>
    (_request, response) => {
      const bytes = Buffer.from(body);
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    },
  redirectTo:
    (location: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(302, { location }).end(),
  /** Fails a number of times, then succeeds. */
  failing(times: number, then: Resource): RequestListener {
    let left = times;
    const better = serveResource(then);
    return (request, response) => {
      if (left-- > 0) response.writeHead(503).end();
      else better(request, response);
    };
  },
  /** Announces a body of 3 GiB. */
  huge: ((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': 3 * 2 ** 30 });
    response.write('a beginning');
  }) as RequestListener,
};
