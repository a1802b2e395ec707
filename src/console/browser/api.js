import { language, textOf } from './texts.js';

/** The time limit of a request; the service's own deadline is 25 s unless configured otherwise. */
const TIMEOUT_MILLIS = 90_000;
/** How long requests to a busy service are retried before the error is shown. */
const RETRY_MILLIS = 120_000;
/** Before the next attempt if the response has no Retry-After, s. */
const DEFAULT_RETRY_SECONDS = 2;

/** A request that failed: the problem details of the response (RFC 9457). */
export class ApiError extends Error {
  /** @param {{type: string, title?: string, status?: number, detail?: string, errors?: {pointer: string, detail: string}[], present?: any, requestId?: string | undefined}} problem
   *  @param {number} [retryAfterSeconds] */
  constructor(problem, retryAfterSeconds) {
    const type = problem.type.split('/').pop() ?? problem.type;
    const title = textOf(`title.${type}`) ?? problem.title ?? type;
    super(problem.detail ?? title);
    this.type = type;
    this.title = title;
    this.status = problem.status ?? 0;
    this.detail = problem.detail ?? '';
    this.errors = problem.errors ?? [];
    /** What somebody else has decided in the meantime. */
    this.present = problem.present;
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Dispatches `signed-out` when a request finds that the session has ended. */
export const session = new EventTarget();

/** @param {Response} response */
async function readError(response) {
  const body = await response.json().catch(() => ({}));
  const problem = {
    type: 'internal-error',
    detail: `HTTP ${response.status}`,
    ...body,
  };
  const seconds = Number(response.headers.get('retry-after'));
  problem.requestId ??= response.headers.get('x-request-id') ?? undefined;
  return new ApiError(problem, seconds > 0 ? seconds : undefined);
}

/**
 * @typedef {Omit<RequestInit, 'headers'> & {headers?: Record<string, string>, json?: unknown, noTimeout?: boolean}} RequestOptions
 *   `json` is sent as a JSON body; `noTimeout` removes the time limit
 */

/** @param {RequestOptions} options @returns {RequestInit} */
function toRequestInit({ json, noTimeout, headers, signal, ...init }) {
  const signals = [signal, noTimeout ? undefined : AbortSignal.timeout(TIMEOUT_MILLIS)];
  return {
    ...init,
    headers: {
      // No other site can send this header; without it the session is not accepted.
      'x-selvage-console': '1',
      'accept-language': language,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    signal: AbortSignal.any(signals.filter((one) => one instanceof AbortSignal)),
  };
}

/**
 * Returns the successful response of the service.
 * @param {string} path
 * @param {RequestOptions} [options]
 * @throws {ApiError} if the response is a problem or there is none; the signal's reason if it is aborted
 */
export async function call(path, options = {}) {
  const response = await fetch(path, toRequestInit(options)).catch((error) => {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new ApiError({ type: 'unreachable', detail: String(error.message) });
  });
  if (response.ok) return response;
  const error = await readError(response);
  if (error.type === 'unauthorized') session.dispatchEvent(new Event('signed-out'));
  throw error;
}

/** A form of fields and files; those that are undefined are left out. @param {Record<string, unknown>} fields */
export function formOf(fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
  return form;
}

/** @param {string} path @param {RequestOptions} [options] @returns {Promise<any>} */
export const callJson = async (path, options) => (await call(path, options)).json();

/**
 * Returns the path of a link: links have the host that marketplaces reach, which need not be the page's.
 * @param {string} link
 */
export const pathOf = (link) => {
  const { pathname, search } = new URL(link, location.href);
  return pathname + search;
};

/** Problems that waiting solves; an exhausted quota is not one of them. */
const RETRYABLE = ['rate-limit-exceeded', 'upstream-unavailable'];

/**
 * Like `call`, but retries while the service is busy, as often as `Retry-After` says.
 * @param {string} path
 * @param {RequestOptions} options
 * @param {(seconds: number) => void} onWait
 */
export async function callWithRetry(path, options, onWait) {
  const until = performance.now() + RETRY_MILLIS;
  for (;;) {
    try {
      return await call(path, options);
    } catch (error) {
      const isRetryable = error instanceof ApiError && RETRYABLE.includes(error.type);
      const seconds = (isRetryable && error.retryAfterSeconds) || DEFAULT_RETRY_SECONDS;
      if (!isRetryable || performance.now() + seconds * 1000 > until) throw error;
      onWait(seconds);
      await pause(seconds * 1000, options.signal ?? undefined);
    }
  }
}

/** @param {number} millis @param {AbortSignal} [signal] @returns {Promise<void>} */
export const pause = (millis, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, millis);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/**
 * Yields the values of an NDJSON response as they arrive.
 * @param {Response} response
 * @returns {AsyncGenerator<any>}
 */
export async function* readNdjson(response) {
  for await (const line of readLines(response)) if (line) yield JSON.parse(line);
}

/**
 * Yields the lines of a text response as they arrive.
 * @param {Response} response
 */
export async function* readLines(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + (value ?? '')).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield* lines;
      if (done) break;
    }
    yield rest;
  } finally {
    reader.cancel().catch(() => {}); // the consumer has stopped reading
  }
}
