import { type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  /** 0 if the connection failed before a response. */
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Question {
  method?: string;
  key?: string | undefined;
  headers?: Record<string, string | number>;
  body?: Buffer | string;
  /** The local address to connect from, such as 127.0.0.2. */
  from?: string;
  signal?: AbortSignal | undefined;
}

const NO_ANSWER: Answer = { status: 0, headers: {}, body: Buffer.alloc(0) };

/** Sends one request on a new connection, as a client that has never been here. */
export function ask(url: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', key, headers, body, from, signal } = question;
  return new Promise((resolve) => {
    const options = {
      method,
      agent: false as const,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
      ...(from !== undefined && { localAddress: from }),
      ...(signal && { signal }),
    };
    const sent = request(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      response.toArray().then(
        (chunks) => resolve({ status, headers, body: Buffer.concat(chunks) }),
        () => resolve({ status, headers, body: NO_ANSWER.body }),
      );
    });
    // Later errors, such as EPIPE after an early response, change nothing.
    sent.on('error', () => resolve(NO_ANSWER));
    sent.end(body);
  });
}

export const json = (value: unknown): Question => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** A form of files, as a request. */
export async function filesForm(
  files: readonly [field: string, bytes: Buffer][],
): Promise<Question> {
  const form = new FormData();
  for (const [i, [field, bytes]] of files.entries())
    form.append(field, new Blob([Uint8Array.from(bytes)]), `photo-${i}.jpg`);
  const response = new Response(form);
  return {
    method: 'POST',
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** Reads a JSON object; empty if the body is something else. */
export function jsonOf({ body }: Answer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}
