import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Problem, type ProblemType } from '../platform/problem.ts';
import { hasCode } from '../platform/system-error.ts';

const SAFE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the client's own `X-Request-Id` if it is safe to repeat and log, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && SAFE.test(sent) ? sent : randomUUID();
}

/** Returns the media type in a `Content-Type`, lower-case and without parameters; empty without one. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();

const AS_A_PART =
  'send the image as the file part `image` of a form, as `curl -F image=@photo.jpg`';

const AS_LINES = 'objects of JSON, one a line, are application/x-ndjson';

/** Returns what to do with a body of another type, if that is likely what is meant. */
function adviceFor(sent: string, accepted: readonly string[]): string {
  const isFile = /^image\/|^application\/(octet-stream|x-www-form-urlencoded)$/.test(sent);
  if (isFile && accepted.includes('multipart/form-data')) return `; ${AS_A_PART}`;
  if (sent === 'application/json' && accepted.includes('application/x-ndjson'))
    return `; ${AS_LINES}`;
  return '';
}

/** Returns the problem of a body of a type that the endpoint does not read; undefined for other errors. */
export function mediaTypeProblem(
  error: unknown,
  { headers, routeOptions }: FastifyRequest,
): Problem | undefined {
  if (!hasCode(error, 'FST_ERR_CTP_INVALID_MEDIA_TYPE')) return undefined;
  const accepted = routeOptions.config.accepts ?? [];
  if (accepted.length === 0) return undefined;
  const sent = mediaTypeOf(headers['content-type'])
    .slice(0, 100)
    .replaceAll(/[^\w/.+-]/g, '?');
  const detail = `Send ${accepted.join(' or ')} here, not ${sent || 'a body without a type'}${adviceFor(sent, accepted)}`;
  return new Problem('unsupported-media-type', detail, { cause: error });
}

/** More than any known client sends; far less than Node accepts before it drops headers silently. */
const MAX_HEADERS = 200;

/** Repeated, these are ambiguous: a proxy before this server may have read the other value. */
const SINGLE_HEADERS = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-encoding',
  'expect',
]);

/** RFC 3986: the characters of a host and its port. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]+$/;

/** Whether links can be built on a host. An empty one is allowed by RFC 9112. */
const isHost = (host: string): boolean =>
  host === '' || (HOST.test(host) && URL.canParse(`http://${host}`));

type Rejection = [type: ProblemType, detail: string, headers?: Readonly<Record<string, string>>];

function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (SINGLE_HEADERS.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

const hasHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host !== undefined || httpVersion === '1.0';

/** The paths that read feeds, and decompress them within limits. */
const DECOMPRESSING = /^\/intake\/v1\/feeds(?:\/inspect|\/[^/?]+\/runs)?(?=\?|$)/;

/** Whether the body is read as it is, or is a feed that is decompressed; JSON is no feed there. */
function isDecoded({ headers, url = '' }: IncomingMessage): boolean {
  const { 'content-encoding': encoding = 'identity', 'content-type': type } = headers;
  if (/^identity$/i.test(encoding)) return true;
  const isFeed = DECOMPRESSING.test(url) && mediaTypeOf(type) !== 'application/json';
  return isFeed && /^(?:x-)?gzip$/i.test(encoding);
}

/** Each rule returns why a request is rejected, or nothing. The first rejection is the response. */
const RULES: readonly ((request: IncomingMessage) => Rejection | false | undefined)[] = [
  ({ httpVersionMajor }) => httpVersionMajor !== 1 && ['invalid-request', 'Use HTTP/1.1'],
  ({ rawHeaders }) =>
    rawHeaders.length > 2 * MAX_HEADERS && [
      'headers-too-large',
      `There are more than ${MAX_HEADERS} headers`,
    ],
  (request) => {
    const name = repeatedHeader(request);
    return name !== undefined && ['invalid-request', `The header ${name} is sent more than once`];
  },
  (request) => !hasHost(request) && ['invalid-request', 'The header Host is missing'],
  ({ headers }) => !isHost(headers.host ?? '') && ['invalid-request', 'Host is not a valid host'],
  ({ headers }) =>
    (headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked' && [
      'invalid-request',
      'Transfer-Encoding can only be chunked',
    ],
  ({ headers }) =>
    (headers.expect ?? '100-continue').toLowerCase() !== '100-continue' && [
      'invalid-request',
      'Expect can only be 100-continue',
    ],
  (request) =>
    !isDecoded(request) && [
      'unsupported-media-type',
      'Send the body as it is, without Content-Encoding',
      { 'accept-encoding': 'identity' },
    ],
];

/**
 * Rejects requests that a proxy may have read differently: where they end, which host they are for,
 * who sends them. The connection closes with the response, and nothing that has already arrived
 * after the request is served: it may be the rest of this request (request smuggling).
 */
export class FramingCheck {
  readonly #closing = new WeakSet<Socket>();

  #reject(socket: Socket, [type, detail, headers = {}]: Rejection): never {
    this.#closing.add(socket);
    throw new Problem(type, detail, { headers: { ...headers, connection: 'close' } });
  }

  /** @throws Problem invalid-request, headers-too-large, unsupported-media-type */
  check(request: IncomingMessage): void {
    const { socket } = request;
    if (this.#closing.has(socket)) {
      this.#reject(socket, ['invalid-request', 'The previous request was rejected']);
    }
    for (const rule of RULES) {
      const rejection = rule(request);
      if (rejection) this.#reject(socket, rejection);
    }
  }
}

type Forwarded = Pick<FastifyRequest, 'protocol' | 'host'>;

/**
 * Checks what a trusted proxy says about the request of its client: links are made of it. Headers of others are
 * ignored.
 * @throws Problem invalid-request
 */
export function checkForwarded({ protocol, host }: Forwarded): void {
  if (!/^https?$/i.test(protocol)) {
    throw new Problem('invalid-request', 'X-Forwarded-Proto can only be http or https');
  }
  if (!isHost(host)) {
    throw new Problem('invalid-request', 'X-Forwarded-Host is not a valid host');
  }
}

/** Returns scheme and host by which a client has reached this service, as far as trusted proxies tell. */
export const requestOrigin = ({ protocol, host }: Forwarded): string =>
  new URL(`${protocol}://${host || 'localhost'}`).origin;

/** What a client prefers to the answer itself (RFC 7240): a job. */
export interface Preference {
  /** Respond now and deliver the result later. */
  respondAsync: boolean;
  /** Seconds the client waits for the result itself. */
  waitSeconds: number | undefined;
}

const WAIT = /^wait\s*=\s*"?(\d{1,6})"?$/i;
const ASYNC = /^respond-async$/i;

/** Returns what a `Prefer` says of jobs; undefined if it prefers none. Other preferences are ignored. */
export function readPrefer(header: string | string[] | undefined): Preference | undefined {
  const tokens = [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((token) => token.split(';')[0]!.trim());
  const respondAsync = tokens.some((token) => ASYNC.test(token));
  const [wait] = tokens.flatMap((token) => WAIT.exec(token)?.[1] ?? []);
  if (wait === undefined)
    return respondAsync ? { respondAsync, waitSeconds: undefined } : undefined;
  return { respondAsync, waitSeconds: Number(wait) };
}
