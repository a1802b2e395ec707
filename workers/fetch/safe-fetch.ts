import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { EXPANSION } from '../../src/feed-formats/expand.ts';
import type { FetchErrorReason } from '../../src/platform/links/fetch-error.ts';
import { FetchError, innerReason, toFetchError } from '../../src/platform/links/fetch-error.ts';
import { addressRule, parseUrl, redirectUrl } from '../../src/platform/links/link-rule.ts';
import { ACCEPT_ENCODING, canDecode, decodedBody, type SpeedLimit } from './body.ts';
import { createResolve, pinningConnector, type Resolve } from './connector.ts';
import { Cookies } from './cookies.ts';
import { startDeadline } from './deadline.ts';
import { FetchPool } from './fetch-pool.ts';

export { FetchError, type FetchErrorReason } from '../../src/platform/links/fetch-error.ts';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** The images that are read; a server that asks may send another kind to anyone else. */
export const ACCEPT_IMAGES = 'image/jpeg,image/png,image/webp,*/*;q=0.1';
/** An unread body of up to this many bytes is drained; beyond it the connection is closed. */
const MAX_DRAINED_BYTES = 16_384;
/** Concurrent requests of all clients; one client has no more than are left for others. */
const MAX_REQUESTS = 512;

/** The limits of each step; times are in milliseconds. */
const LIMITS = {
  /** DNS, TCP and TLS together. */
  connectMillis: 10_000,
  /** How soon at the earliest a host name is rejected: names inside the operator's network look like unknown ones. */
  hostRejectionMillis: 500,
  /** From the sent request to the received headers. */
  headersMillis: 20_000,
  /** Between two chunks of the body. */
  idleMillis: 20_000,
  /** Until an unread body ends. */
  drainMillis: 1000,
  /** How long a server may ask to keep an idle connection open. */
  keepAliveMillis: 10_000,
  /** Everything, redirects included; waiting for a slot at a busy host does not count. */
  totalMillis: 60_000,
  /** Of every body. */
  speed: { minBytesPerSecond: 8 * 1024, windowMillis: 10_000, graceMillis: 5000 },
  /** Of compressed bodies. */
  expansion: EXPANSION,
};

export interface SafeFetchSettings {
  /** Networks in CIDR notation that may be reached in addition to public addresses, on any port. */
  allow: readonly string[];
  /** Of public addresses, besides 80 and 443. */
  ports?: readonly number[];
  /** Whether a redirect may lead from https to http. */
  allowDowngrade?: boolean;
  userAgent: string;
  /** Concurrent requests of one client to one host; 4 by default. All clients together have twice as many. */
  maxPerHost?: number;
  limits?: Partial<typeof LIMITS>;
  /** Called with each failure, once. */
  onError?: (reason: FetchErrorReason, host: string) => void;
  /** By default, the system's DNS servers and hosts file. */
  resolve?: Resolve;
  /** Certificate authorities in PEM, trusted instead of Node's own. */
  ca?: string;
}

export interface FetchRequest {
  /** Limit for the body, both compressed and decompressed. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Clients use a busy host in turn; requests without one share a turn. */
  client?: string;
  /** Only GET follows redirects. */
  method?: 'GET' | 'POST';
  /** Names in lower case; not sent to another origin that a redirect leads to. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Sent to every server, in place of the product's name. */
  userAgent?: string | undefined;
  referer?: string | undefined;
  /** What the server is asked for, also after redirects; anything by default. */
  accept?: string;
  /** From an earlier response; an unchanged body is then not sent again. */
  etag?: string;
  lastModified?: string;
  /** Overrides the default limit: reading a feed takes as long as its processing. */
  totalMillis?: number;
  /** Applies in addition to the default. */
  speed?: SpeedLimit;
}

type FetchedHeaders = ReturnType<typeof bodyHeaders>;

interface NotModified {
  notModified: true;
  headers: FetchedHeaders;
  finalUrl: string;
}

interface ResponseHead {
  notModified: false;
  /** 200 to 299. */
  status: number;
  headers: FetchedHeaders;
  /** The URL after all redirects. */
  finalUrl: string;
}

export type FetchResult = NotModified | (ResponseHead & { bytes: Uint8Array });
type FetchStream = NotModified | (ResponseHead & OpenBody);

/** Must be read or discarded: until then it holds a slot of its host, at most until the deadline. */
interface OpenBody {
  /** Throws FetchError while it is read. A reader that stops closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** For callers that need only the status. */
  discard(): void;
}

type Headers = Dispatcher.ResponseData['headers'];

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** The headers of a response that concern its body, as sent. */
const bodyHeaders = (headers: Headers) => ({
  contentType: headerOf(headers, 'content-type'),
  etag: headerOf(headers, 'etag'),
  lastModified: headerOf(headers, 'last-modified'),
});

/** Returns an error if status and headers already rule the response out. */
function checkHead(
  { statusCode, headers }: Dispatcher.ResponseData,
  maxBytes: number,
): FetchError | undefined {
  if (statusCode < 200 || statusCode > 299) {
    const retryAfter = headerOf(headers, 'retry-after');
    return new FetchError('status', { status: statusCode, retryAfter });
  }
  if (Number(headers['content-length']) > maxBytes) return new FetchError('too-large');
  if (!canDecode(headerOf(headers, 'content-encoding'))) return new FetchError('encoding');
  return undefined;
}

/**
 * A client for untrusted URLs. It connects only to public addresses or the allowed networks, checked for every
 * connection, within limits of size and time. Cookies last for the redirects of one request. It uses no proxy.
 */
export class SafeFetch {
  readonly #settings;
  readonly #limits;
  readonly #hosts;
  readonly #agent;

  /** @throws Error if an entry of `allow` is not a network */
  constructor(settings: SafeFetchSettings) {
    const { allow, ports, maxPerHost = 4, resolve = createResolve(), ca } = settings;
    const limits = { ...LIMITS, ...settings.limits };
    const maxConnections = 2 * maxPerHost;
    this.#settings = settings;
    this.#limits = limits;
    this.#hosts = new FetchPool({
      total: MAX_REQUESTS,
      perClientAndHost: maxPerHost,
      perHost: maxConnections,
    });
    this.#agent = new Agent({
      connect: pinningConnector({
        rule: addressRule(allow, ports),
        resolve,
        connectMillis: limits.connectMillis,
        rejectionMillis: limits.hostRejectionMillis,
        ...(ca && { ca }),
      }),
      connections: maxConnections,
      headersTimeout: limits.headersMillis,
      bodyTimeout: limits.idleMillis,
      keepAliveMaxTimeout: limits.keepAliveMillis,
    });
  }

  /** Drains the body within limits, so that the connection can be reused. */
  #discard({ body }: Dispatcher.ResponseData): void {
    const signal = AbortSignal.timeout(this.#limits.drainMillis);
    body.dump({ limit: MAX_DRAINED_BYTES, signal }).catch(() => {}); // then the connection is closed
  }

  /** Sends one request; it holds a slot of its host until the body is closed. */
  async #send(url: URL, headers: FetchRequest['headers'], request: FetchRequest, millis: number) {
    const {
      method = 'GET',
      accept = '*/*',
      body,
      etag,
      lastModified,
      referer,
      signal,
      client = '',
    } = request;
    const releaseHost = await this.#hosts
      .acquire({ client, host: url.hostname }, signal)
      .catch((error) => {
        throw new FetchError('aborted', { cause: error });
      });
    const startedAt = performance.now();
    const deadline = startDeadline(millis, signal);
    const onClose = () => {
      deadline.clear();
      releaseHost();
    };
    try {
      const response = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: {
          accept,
          ...(etag && { 'if-none-match': etag }),
          ...(lastModified && { 'if-modified-since': lastModified }),
          ...(referer && { referer }),
          ...headers,
          'accept-encoding': ACCEPT_ENCODING,
          'user-agent': request.userAgent ?? this.#settings.userAgent,
        },
        ...(body !== undefined && { body }),
        signal: deadline.signal,
      });
      response.body.once('close', onClose);
      return { response, millis: performance.now() - startedAt };
    } catch (error) {
      onClose();
      throw toFetchError(error, 'connect');
    }
  }

  /** Follows redirects here and not in undici: each URL is as untrusted as the first. */
  async #follow(link: string, request: FetchRequest) {
    let url = parseUrl(link);
    let { headers = {}, totalMillis: leftMillis = this.#limits.totalMillis } = request;
    const cookies = new Cookies();
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const { response, millis } = await this.#send(
        url,
        { ...headers, ...cookies.headersFor(url) },
        request,
        leftMillis,
      );
      cookies.take(url, response.headers['set-cookie']);
      if (!REDIRECT_STATUSES.includes(response.statusCode)) return { url, response };
      this.#discard(response);
      if (request.method === 'POST') throw new FetchError('redirects');
      const next = redirectUrl(
        url,
        headerOf(response.headers, 'location'),
        this.#settings.allowDowngrade,
      );
      if (next.origin !== url.origin) headers = {};
      url = next;
      leftMillis -= millis;
    }
    throw new FetchError('redirects');
  }

  #reportError(link: string, error: unknown): void {
    const host = URL.canParse(link) ? new URL(link).hostname : '';
    if (error instanceof FetchError) this.#settings.onError?.(innerReason(error), host);
  }

  async *#reportErrors(body: AsyncIterable<Uint8Array>, link: string) {
    try {
      yield* body;
    } catch (error) {
      this.#reportError(link, error);
      throw error;
    }
  }

  /** With backpressure. @throws FetchError */
  async open(link: string, request: FetchRequest): Promise<FetchStream> {
    const opened = await this.#open(link, request).catch((error) => {
      this.#reportError(link, error);
      throw error;
    });
    return opened.notModified ? opened : { ...opened, body: this.#reportErrors(opened.body, link) };
  }

  async #open(link: string, request: FetchRequest): Promise<FetchStream> {
    const { url, response } = await this.#follow(link, request);
    const { statusCode: status, headers } = response;
    const finalUrl = url.href;
    const isConditional = request.etag !== undefined || request.lastModified !== undefined;
    if (status === 304 && isConditional) {
      this.#discard(response);
      return { notModified: true, headers: bodyHeaders(headers), finalUrl };
    }
    const error = checkHead(response, request.maxBytes);
    if (error) {
      this.#discard(response);
      throw error;
    }
    const encoding = headerOf(headers, 'content-encoding');
    return {
      notModified: false,
      status,
      headers: bodyHeaders(headers),
      finalUrl,
      body: decodedBody(response.body, encoding, {
        maxBytes: request.maxBytes,
        expansion: this.#limits.expansion,
        speeds: request.speed ? [this.#limits.speed, request.speed] : [this.#limits.speed],
      }),
      discard: () => this.#discard(response),
    };
  }

  /** @throws FetchError */
  async fetch(link: string, request: FetchRequest): Promise<FetchResult> {
    const opened = await this.open(link, request);
    if (opened.notModified) return opened;
    const { discard: _, body, ...head } = opened;
    return { ...head, bytes: Buffer.concat(await Readable.from(body).toArray()) };
  }

  /** Aborts running requests and closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
