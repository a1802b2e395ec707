import { readJson } from './answer.ts';
import { clientError, SelvageError } from './error.ts';
import type { Answered, CallOptions, ClientOptions } from './interface.ts';
import { keySource } from './key.ts';
import { problemOf, refuseRedirect } from './problem.ts';
import { type RetryPolicy, retryPolicy, timeLimit, waitToRepeat } from './retry.ts';

export interface Payload {
  content: NonNullable<RequestInit['body']>;
  bytes: number;
  /** Not of a form, which says itself where its parts end. */
  mediaType?: string;
}

export interface Sending {
  method: 'GET' | 'POST' | 'DELETE';
  /** From the service's own root on. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: Payload | undefined;
}

const USUAL = { maxBodyBytes: 20 * 2 ** 20, attemptMillis: 60_000, callMillis: 300_000 } as const;

/** Where requests go; a page that says nothing means the place it came from. */
function rootOf(baseUrl: string | undefined): string {
  const { location } = globalThis as { location?: { origin: string } };
  const root = baseUrl ?? location?.origin ?? '';
  if (URL.canParse(root) && /^https?:$/.test(new URL(root).protocol))
    return root.replace(/\/+$/, '');
  throw new TypeError('baseUrl must be an http or https address');
}

function addressOf(root: string, { path, query = {} }: Sending): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  const text = search.toString();
  return `${root}${path}${text && `?${text}`}`;
}

/** Whatever went wrong with an attempt, in one class; the caller's own abort stays as it is. */
function named(error: unknown, limit: AbortSignal, caller: AbortSignal): unknown {
  if (caller.aborted) return caller.reason;
  if (limit.aborted) return limit.reason;
  if (error instanceof SelvageError) return error;
  return clientError('connection-failed', 'The connection could not be made, or it broke', {
    cause: error,
  });
}

/** The bytes of an answer as they come. Silence that lasts too long ends them. */
async function* piecesOf(response: Response, heard: () => void) {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) return;
      heard();
      yield piece.value;
    }
  } finally {
    await reader?.cancel().catch(() => {}); // it broke off by itself
  }
}

/** How requests are sent, by the rules that hold for all of them. */
export function createTransport(options: ClientOptions) {
  const root = rootOf(options.baseUrl);
  const authorization = keySource(options);
  const policy: RetryPolicy = retryPolicy(options);
  const maxBodyBytes = options.maxBodyBytes ?? USUAL.maxBodyBytes;
  const attemptMillis = options.attemptTimeoutMillis ?? USUAL.attemptMillis;
  const usualMillis = options.timeoutMillis ?? USUAL.callMillis;
  const send = options.fetch ?? fetch;

  function refuseTooLarge({ body }: Sending): void {
    if (!body || body.bytes <= maxBodyBytes) return;
    const detail = `The body has ${body.bytes} bytes; this client sends at most ${maxBodyBytes}`;
    throw clientError('payload-too-large', detail);
  }

  async function answerTo(sending: Sending, signal: AbortSignal): Promise<Response> {
    const { method, body, headers } = sending;
    const response = await send(addressOf(root, sending), {
      method,
      headers: {
        ...(body?.mediaType && { 'content-type': body.mediaType }),
        ...headers,
        ...(await authorization()),
      },
      body: body?.content ?? null,
      redirect: 'manual',
      signal,
    });
    refuseRedirect(response);
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  /** One attempt, read to its end. */
  async function once<T>(
    sending: Sending,
    read: (response: Response) => Promise<T>,
    caller: AbortSignal,
  ): Promise<T> {
    refuseTooLarge(sending);
    const limit = timeLimit(attemptMillis);
    try {
      return await read(await answerTo(sending, AbortSignal.any([limit.signal, caller])));
    } catch (error) {
      throw named(error, limit.signal, caller);
    } finally {
      limit.end();
    }
  }

  /** Makes attempts until one succeeds or no other would help. @param attempt told its number, from 1 */
  async function repeated<T>(
    { signal, timeoutMillis = usualMillis }: CallOptions,
    attempt: (number: number, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = policy.now() + timeoutMillis;
    const limit = timeLimit(timeoutMillis);
    const whole = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      for (let number = 1; ; number++) {
        whole.throwIfAborted();
        try {
          return await attempt(number, whole);
        } catch (error) {
          await waitToRepeat(error, number, policy, whole, deadline);
        }
      }
    } finally {
      limit.end();
    }
  }

  /** A whole call: its attempts, and its answer read. */
  const call = <T>(
    sending: Sending,
    read: (response: Response) => Promise<T>,
    callOptions: CallOptions = {},
  ): Promise<T> => repeated(callOptions, (_number, signal) => once(sending, read, signal));

  return {
    policy,
    maxBodyBytes,
    usualMillis,
    once,
    repeated,
    call,
    /** A whole call that is answered in JSON. */
    ask: <T extends object>(sending: Sending, callOptions?: CallOptions): Promise<Answered<T>> =>
      call(sending, readJson<T>, callOptions),

    /** One attempt whose answer is read as it comes; the time limit is on silence. */
    async stream(sending: Sending, caller: AbortSignal) {
      refuseTooLarge(sending);
      const limit = timeLimit(attemptMillis);
      const failed = (error: unknown): never => {
        limit.end();
        throw named(error, limit.signal, caller);
      };
      const signal = AbortSignal.any([limit.signal, caller]);
      const response = await answerTo(sending, signal).catch(failed);
      async function* pieces() {
        try {
          yield* piecesOf(response, limit.restart);
        } catch (error) {
          failed(error);
        } finally {
          limit.end();
        }
      }
      return {
        response,
        pieces: pieces(),
        /** Where the pieces are not read to their end, or not at all. */
        close(): void {
          limit.end();
          void response.body?.cancel().catch(() => {}); // it is being read, and ends with that
        },
      };
    },
  };
}

export type Transport = ReturnType<typeof createTransport>;
