import { createCredentials } from './credentials.ts';
import { clientError, SelvageError } from './error.ts';
import { idempotencyKey, randomKey } from './idempotency-key.ts';
import type { CallOptions, ClientOptions, WithRequestId } from './interface.ts';
import { readProblem, rejectRedirect } from './problem.ts';
import { readJson } from './response.ts';
import { createRetryPolicy, type RetryPolicy, startTimeLimit, waitToRetry } from './retry.ts';

export interface Payload {
  content: NonNullable<RequestInit['body']>;
  bytes: number;
  /** Left out for forms: the platform adds it with the boundary. */
  mediaType?: string;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, with a leading slash. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: Payload | undefined;
}

/** By which the service and its operator know a request: theirs, if no response comes. */
const REQUEST_ID = 'x-request-id';

const DEFAULTS = {
  maxBodyBytes: 20 * 2 ** 20,
  attemptMillis: 60_000,
  callMillis: 300_000,
} as const;

/** Returns the base URL without a trailing slash; by default the origin of the page. */
function parseBaseUrl(baseUrl: string | undefined): string {
  const { location } = globalThis as { location?: { origin: string } };
  const root = baseUrl ?? location?.origin ?? '';
  if (URL.canParse(root) && /^https?:$/.test(new URL(root).protocol))
    return root.replace(/\/+$/, '');
  throw new TypeError('baseUrl must be an http or https URL');
}

function buildUrl(root: string, { path, query = {} }: HttpRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  const text = search.toString();
  return `${root}${path}${text && `?${text}`}`;
}

/** Converts the failure of an attempt to a SelvageError; the reason of the caller's abort is kept. */
function toError(
  error: unknown,
  limit: AbortSignal,
  stop: AbortSignal,
  requestId: string | undefined,
): unknown {
  if (stop.aborted) return stop.reason;
  if (limit.aborted) return limit.reason;
  if (error instanceof SelvageError) return error;
  return clientError('connection-failed', 'The connection failed or broke off', {
    cause: error,
    requestId,
  });
}

/** What this process was warned of. */
const warned = new Set<string>();

/** Says once that what was called will end. */
function warnOfEnd(headers: Headers): void {
  const end = headers.get('sunset');
  const link = headers.get('link') ?? '';
  if (!end || !headers.has('deprecation') || warned.has(link)) return;
  warned.add(link);
  console.warn(`A Selvage endpoint that this program calls ends on ${end}. ${link}`);
}

/** Yields the bytes of a response as they arrive. */
async function* readChunks(response: Response, onChunk: () => void) {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return;
      onChunk();
      yield chunk.value;
    }
  } finally {
    await reader?.cancel().catch(() => {}); // it has failed already
  }
}

/** Sends requests, by the rules that all of them share. */
export function createTransport(options: ClientOptions) {
  const root = parseBaseUrl(options.baseUrl);
  const credentials = createCredentials(options);
  const policy: RetryPolicy = createRetryPolicy(options);
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULTS.maxBodyBytes;
  const attemptMillis = options.attemptTimeoutMillis ?? DEFAULTS.attemptMillis;
  const defaultTimeoutMillis = options.timeoutMillis ?? DEFAULTS.callMillis;
  const send = options.fetch ?? fetch;

  function checkSize({ body }: HttpRequest): void {
    if (!body || body.bytes <= maxBodyBytes) return;
    const detail = `The body has ${body.bytes} bytes; this client sends at most ${maxBodyBytes}`;
    throw clientError('payload-too-large', detail);
  }

  async function sendRequest(httpRequest: HttpRequest, signal: AbortSignal): Promise<Response> {
    const { method, body, headers } = httpRequest;
    const response = await send(buildUrl(root, httpRequest), {
      method,
      headers: {
        ...(body?.mediaType && { 'content-type': body.mediaType }),
        ...headers,
        ...(await credentials()),
      },
      body: body?.content ?? null,
      redirect: 'manual',
      signal,
    });
    rejectRedirect(response);
    warnOfEnd(response.headers);
    if (!response.ok) throw await readProblem(response);
    return response;
  }

  /** Makes one attempt and reads the whole response. */
  async function attemptOnce<T>(
    httpRequest: HttpRequest,
    read: (response: Response) => Promise<T>,
    stop: AbortSignal,
  ): Promise<T> {
    checkSize(httpRequest);
    const headers = { [REQUEST_ID]: randomKey(), ...httpRequest.headers };
    const limit = startTimeLimit(attemptMillis, headers[REQUEST_ID]);
    const signal = AbortSignal.any([limit.signal, stop]);
    try {
      return await read(await sendRequest({ ...httpRequest, headers }, signal));
    } catch (error) {
      throw toError(error, limit.signal, stop, headers[REQUEST_ID]);
    } finally {
      limit.clear();
    }
  }

  /** Makes attempts until one succeeds or no other would help. @param attempt gets its number, from 1 */
  async function withRetries<T>(
    { signal, timeoutMillis = defaultTimeoutMillis }: CallOptions,
    attempt: (number: number, signal: AbortSignal) => Promise<T>,
    requestId?: string,
  ): Promise<T> {
    const deadline = policy.now() + timeoutMillis;
    const limit = startTimeLimit(timeoutMillis, requestId);
    const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      for (let number = 1; ; number++) {
        stop.throwIfAborted();
        try {
          return await attempt(number, stop);
        } catch (error) {
          await waitToRetry(error, number, policy, stop, deadline);
        }
      }
    } finally {
      limit.clear();
    }
  }

  /** Makes a call with all its attempts and reads the response. */
  const request = <T>(
    httpRequest: HttpRequest,
    read: (response: Response) => Promise<T>,
    callOptions: CallOptions = {},
  ): Promise<T> => {
    // All attempts share a key: a call whose response is lost has its effect, and its charge, once.
    const key = httpRequest.method === 'POST' ? idempotencyKey() : {};
    const id = randomKey();
    const once = { ...httpRequest, headers: { [REQUEST_ID]: id, ...key, ...httpRequest.headers } };
    return withRetries(callOptions, (_number, signal) => attemptOnce(once, read, signal), id);
  };

  return {
    policy,
    maxBodyBytes,
    defaultTimeoutMillis,
    attemptOnce,
    withRetries,
    request,
    /** Makes a call with all its attempts and reads the JSON response. */
    requestJson: <T extends object>(
      httpRequest: HttpRequest,
      callOptions?: CallOptions,
    ): Promise<WithRequestId<T>> => request(httpRequest, readJson<T>, callOptions),

    /** Makes one attempt whose response is read as it arrives; the time limit applies to silence. */
    async stream(httpRequest: HttpRequest, stop: AbortSignal) {
      checkSize(httpRequest);
      const limit = startTimeLimit(attemptMillis);
      const fail = (error: unknown): never => {
        limit.clear();
        throw toError(error, limit.signal, stop, undefined);
      };
      const signal = AbortSignal.any([limit.signal, stop]);
      const response = await sendRequest(httpRequest, signal).catch(fail);
      async function* chunks() {
        try {
          yield* readChunks(response, limit.restart);
        } catch (error) {
          fail(error);
        } finally {
          limit.clear();
        }
      }
      return {
        response,
        chunks: chunks(),
        /** Must be called if the chunks are not read to their end. */
        close(): void {
          limit.clear();
          void response.body?.cancel().catch(() => {}); // a reader holds it, and cancels it itself
        },
      };
    },
  };
}

export type Transport = ReturnType<typeof createTransport>;
