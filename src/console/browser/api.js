/** The longest a call may take; the service itself gives up after 25 s unless told otherwise. */
const LONGEST_MILLIS = 90_000;
/** How long a page waits in line for a busy service before it says so. */
const PATIENCE_MILLIS = 120_000;

/** A request that did not succeed, in the words of the answer (RFC 9457). */
export class Fault extends Error {
  /** @param {{type: string, title: string, status?: number, detail?: string, errors?: {pointer: string, detail: string}[], requestId?: string}} problem
   *  @param {number} [retryAfterSeconds] */
  constructor(problem, retryAfterSeconds) {
    super(problem.detail ?? problem.title);
    this.type = problem.type.split('/').pop() ?? problem.type;
    this.title = problem.title;
    this.status = problem.status ?? 0;
    this.detail = problem.detail ?? '';
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Listens to `signed-out`: the session is over, whatever was asked. */
export const session = new EventTarget();

/** @param {Response} response */
async function faultOf(response) {
  const problem = await response.json().catch(() => ({}));
  const known = { type: 'internal-error', title: `The answer was ${response.status}`, ...problem };
  const seconds = Number(response.headers.get('retry-after'));
  known.requestId ??= response.headers.get('x-request-id') ?? undefined;
  return new Fault(known, seconds > 0 ? seconds : undefined);
}

/**
 * @typedef {Omit<RequestInit, 'headers'> & {headers?: Record<string, string>, json?: unknown, endless?: boolean}} Ask
 *   `json` is sent as such; `endless` leaves out the time limit
 */

/** @param {Ask} ask @returns {RequestInit} */
function initOf({ json, endless, headers, signal, ...init }) {
  const ends = [signal, endless ? undefined : AbortSignal.timeout(LONGEST_MILLIS)];
  return {
    ...init,
    headers: {
      // No other site can send this one; without it the session does not count.
      'x-selvage-console': '1',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    signal: AbortSignal.any(ends.filter((end) => end instanceof AbortSignal)),
  };
}

/**
 * The answer of the service.
 * @param {string} path
 * @param {Ask} [ask]
 * @throws {Fault} where it is a problem or nothing answers; the signal's reason where it is aborted
 */
export async function call(path, ask = {}) {
  const response = await fetch(path, initOf(ask)).catch((error) => {
    if (ask.signal?.aborted) throw ask.signal.reason;
    throw new Fault({ type: 'unreachable', title: 'No answer', detail: String(error.message) });
  });
  if (response.ok) return response;
  const fault = await faultOf(response);
  if (fault.type === 'unauthorized') session.dispatchEvent(new Event('signed-out'));
  throw fault;
}

/** @param {string} path @param {Ask} [ask] @returns {Promise<any>} */
export const callJson = async (path, ask) => (await call(path, ask)).json();

/** Problems that go away by waiting: not the used-up day. */
const PASSING = ['rate-limit-exceeded', 'upstream-unavailable'];

/**
 * The same, but a busy service is asked again when it says so.
 * @param {string} path
 * @param {Ask} ask
 * @param {(seconds: number) => void} onWait
 */
export async function callPatiently(path, ask, onWait) {
  const until = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    try {
      return await call(path, ask);
    } catch (error) {
      const isPassing = error instanceof Fault && PASSING.includes(error.type);
      const seconds = (isPassing && error.retryAfterSeconds) || 2;
      if (!isPassing || Date.now() + seconds * 1000 > until) throw error;
      onWait(seconds);
      await pause(seconds * 1000, ask.signal ?? undefined);
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
 * The lines of an NDJSON answer, as they come.
 * @param {Response} response
 * @returns {AsyncGenerator<any>}
 */
export async function* linesOf(response) {
  for await (const line of textLines(response)) if (line) yield JSON.parse(line);
}

/** @param {Response} response */
export async function* textLines(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (value ?? '')).split(/\r?\n/);
      rest = parts.pop() ?? '';
      yield* parts;
      if (done) break;
    }
    yield rest;
  } finally {
    reader.cancel().catch(() => {}); // who stops reading wants no more of it
  }
}
