import { setTimeout as sleep } from 'node:timers/promises';

/** One request and its real answer. */
export interface Exchange {
  method: string;
  /** Without the query. */
  path: string;
  /** The JSON or text that was sent, if any. */
  request: unknown;
  status: number;
  headers: Headers;
  /** Without parameters; empty if there is no body. */
  mediaType: string;
  /** JSON if it is that, text if it is text, otherwise undefined. */
  body: unknown;
}

export interface Sent {
  /** JSON, unless it is text, a form or bytes. */
  body?: object | string;
  type?: string;
  headers?: Record<string, string>;
  /** Without it the recorder's own; empty for none. */
  key?: string;
}

/** Sends requests, and records them with their answers. */
export interface Recorder {
  exchanges: readonly Exchange[];
  /** Sends a request; the path may have a query. */
  send(method: string, path: string, sent?: Sent): Promise<Exchange>;
  /** Reads something until it is as wanted. Only the last answer is recorded. */
  until(path: string, isReady: (body: unknown) => boolean): Promise<Exchange>;
}

const TIMEOUT_MILLIS = 45_000;
const POLL_MILLIS = 100;

const isJson = (type: string): boolean => /[/+]json$/.test(type);
const isText = (type: string): boolean => /^text\/|ndjson$|xml$/.test(type);

function bodyOf({ body, type }: Sent): { init: RequestInit['body']; type: Record<string, string> } {
  if (body === undefined) return { init: null, type: type ? { 'content-type': type } : {} };
  if (body instanceof FormData) return { init: body, type: {} };
  if (typeof body === 'string')
    return { init: body, type: { 'content-type': type ?? 'text/plain' } };
  return { init: JSON.stringify(body), type: { 'content-type': type ?? 'application/json' } };
}

async function exchange(
  baseUrl: string,
  method: string,
  path: string,
  sent: Sent & { key: string },
): Promise<Exchange> {
  const { init, type } = bodyOf(sent);
  const response = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(sent.key && { authorization: `Bearer ${sent.key}` }),
      ...type,
      ...sent.headers,
    },
    body: init ?? null,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  const parsed = isJson(mediaType) ? JSON.parse(bytes.toString()) : bytes.toString();
  return {
    method,
    path: path.split('?')[0]!,
    request: sent.body instanceof FormData ? undefined : sent.body,
    status: response.status,
    headers: response.headers,
    mediaType,
    body: isJson(mediaType) || isText(mediaType) ? parsed : undefined,
  };
}

export function createRecorder(baseUrl: string, ownKey: string): Recorder {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async send(method, path, { key = ownKey, ...sent } = {}) {
      const done = await exchange(baseUrl, method, path, { key, ...sent });
      exchanges.push(done);
      return done;
    },
    async until(path, isReady) {
      const deadline = performance.now() + TIMEOUT_MILLIS;
      for (;;) {
        const done = await exchange(baseUrl, 'GET', path, { key: ownKey });
        if (isReady(done.body)) {
          exchanges.push(done);
          return done;
        }
        if (performance.now() > deadline) throw new Error(`${path}: ${JSON.stringify(done.body)}`);
        await sleep(POLL_MILLIS);
      }
    },
  };
}
