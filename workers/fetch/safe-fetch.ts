import { Agent, type Dispatcher } from 'undici';
import { addressRule } from './addresses.ts';
import { ACCEPT_ENCODING, canDecode, collect, decodedBody } from './body.ts';
import { pinningConnector, type Resolve, systemResolve } from './connector.ts';
import { asFetchError, FetchError } from './fetch-error.ts';
import { createHostSlots } from './host-slots.ts';
import { nextUrl, readUrl } from './url.ts';
import { watchOver } from './watch.ts';

export { FetchError, type FetchErrorReason } from './fetch-error.ts';

const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Of an answer nobody reads: more than this, and the connection is given up instead. */
const DISCARD_BYTES = 16_384;

/** How long each step may take, milliseconds. */
export interface FetchLimits {
  /** Name, TCP and TLS together. */
  connectMillis: number;
  /** From the request sent to the headers read. */
  headersMillis: number;
  /** Between two pieces of the body. */
  idleMillis: number;
  /** All of it, redirects included; waiting for a place at a busy host does not count. */
  totalMillis: number;
}

const LIMITS: FetchLimits = {
  connectMillis: 10_000,
  headersMillis: 20_000,
  idleMillis: 20_000,
  totalMillis: 60_000,
};

export interface SafeFetchSettings {
  /** Networks in CIDR notation that may be reached besides public addresses, on any port. */
  allow: readonly string[];
  /** How we introduce ourselves. */
  userAgent: string;
  /** Requests at once to one host; 4 unless told. */
  maxPerHost?: number;
  limits?: Partial<FetchLimits>;
  /** The operating system's unless told. */
  resolve?: Resolve;
  /** Certificate authorities in PEM, trusted instead of those that Node knows. */
  ca?: string;
}

/** What is asked of a remote server. */
export interface FetchOrder {
  /** The most the body may have, compressed or not. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Only GET follows redirects. */
  method?: 'GET' | 'POST';
  /** Names in lower case; they are not shown to another origin that a redirect leads to. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** What a former answer said; unchanged content is then not sent again. */
  etag?: string;
  lastModified?: string;
  /** Instead of the usual limit: a feed read slowly may take as long as it is worked on. */
  totalMillis?: number;
}

/** What an answer says of its body, as sent. */
export interface FetchedHeaders {
  contentType: string | undefined;
  etag: string | undefined;
  lastModified: string | undefined;
}

export interface NotModified {
  notModified: true;
  headers: FetchedHeaders;
  finalUrl: string;
}

interface Answered {
  notModified: false;
  /** 200 to 299. */
  status: number;
  headers: FetchedHeaders;
  /** Where redirects led. */
  finalUrl: string;
}

export type Fetched = NotModified | (Answered & { bytes: Uint8Array });
export type Opened = NotModified | (Answered & OpenBody);

/** To be read or discarded: until then it keeps a place at its host, at most as long as it may take. */
interface OpenBody {
  /** Throws FetchRefused while read; who stops reading hangs up. */
  body: AsyncIterable<Uint8Array>;
  /** For who needs only the status. */
  discard(): void;
}

type Headers = Dispatcher.ResponseData['headers'];

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const told = (headers: Headers): FetchedHeaders => ({
  contentType: headerOf(headers, 'content-type'),
  etag: headerOf(headers, 'etag'),
  lastModified: headerOf(headers, 'last-modified'),
});

/** What can be told from the head alone. */
function faultOf(
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

/** Reads the rest so that the connection can serve again, within reason. */
const discard = ({ body }: Dispatcher.ResponseData) => void body.dump({ limit: DISCARD_BYTES });

/**
 * Fetches what strangers name: only from public addresses or the allowed networks, checked for
 * every connection, within limits of size and time. It keeps no cookies and knows no proxy.
 * @throws Error when `allow` has something that is no network
 */
export function createSafeFetch(settings: SafeFetchSettings) {
  const { allow, userAgent, maxPerHost = 4, resolve = systemResolve, ca } = settings;
  const limits = { ...LIMITS, ...settings.limits };
  const lanes = createHostSlots(maxPerHost);
  const agent = new Agent({
    connect: pinningConnector({
      rule: addressRule(allow),
      resolve,
      connectMillis: limits.connectMillis,
      ...(ca && { ca }),
    }),
    connections: maxPerHost,
    headersTimeout: limits.headersMillis,
    bodyTimeout: limits.idleMillis,
  });

  /** One request, holding a place at its host until the body is over. */
  async function ask(url: URL, headers: FetchOrder['headers'], order: FetchOrder, millis: number) {
    const { method = 'GET', body, etag, lastModified, signal } = order;
    const leave = await lanes.enter(url.hostname, signal).catch((error) => {
      throw new FetchError('aborted', { cause: error });
    });
    const startedAt = performance.now();
    const watch = watchOver(millis, signal);
    const over = () => {
      watch.end();
      leave();
    };
    try {
      const answer = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: {
          accept: '*/*',
          ...(etag && { 'if-none-match': etag }),
          ...(lastModified && { 'if-modified-since': lastModified }),
          ...headers,
          'accept-encoding': ACCEPT_ENCODING,
          'user-agent': userAgent,
        },
        ...(body !== undefined && { body }),
        signal: watch.signal,
      });
      answer.body.once('close', over);
      return { answer, millis: performance.now() - startedAt };
    } catch (error) {
      over();
      throw asFetchError(error, 'connect');
    }
  }

  /** Follows redirects by hand: each address is as much a stranger's as the first. */
  async function follow(link: string, order: FetchOrder) {
    let url = readUrl(link);
    let { headers = {}, totalMillis: leftMillis = limits.totalMillis } = order;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const { answer, millis } = await ask(url, headers, order, leftMillis);
      if (!REDIRECTS.includes(answer.statusCode)) return { url, answer };
      discard(answer);
      if (order.method === 'POST') throw new FetchError('redirects');
      const next = nextUrl(url, headerOf(answer.headers, 'location'));
      if (next.origin !== url.origin) headers = {};
      url = next;
      leftMillis -= millis;
    }
    throw new FetchError('redirects');
  }

  async function open(link: string, order: FetchOrder): Promise<Opened> {
    const { url, answer } = await follow(link, order);
    const { statusCode: status, headers } = answer;
    const finalUrl = url.href;
    const isConditional = order.etag !== undefined || order.lastModified !== undefined;
    if (status === 304 && isConditional) {
      discard(answer);
      return { notModified: true, headers: told(headers), finalUrl };
    }
    const fault = faultOf(answer, order.maxBytes);
    if (fault) {
      discard(answer);
      throw fault;
    }
    const body = decodedBody(answer.body, headerOf(headers, 'content-encoding'), order.maxBytes);
    return {
      notModified: false,
      status,
      headers: told(headers),
      finalUrl,
      body,
      discard: () => discard(answer),
    };
  }

  return {
    /**
     * The whole body at once.
     * @throws FetchRefused
     */
    async fetch(link: string, order: FetchOrder): Promise<Fetched> {
      const opened = await open(link, order);
      if (opened.notModified) return opened;
      const { notModified, status, headers, finalUrl, body } = opened;
      return { notModified, status, headers, finalUrl, bytes: await collect(body) };
    },
    /**
     * The body as a stream that waits for its reader.
     * @throws FetchRefused
     */
    open,
    /** Breaks off what is under way and closes all connections. */
    close: (): Promise<void> => agent.destroy(),
  };
}

export type SafeFetch = ReturnType<typeof createSafeFetch>;
