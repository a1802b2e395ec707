import { connect } from 'node:net';
import { expect } from 'vitest';
import { z } from 'zod';
import { PROBLEMS, type ProblemType } from '../../src/platform/problem.ts';
import type { Stack } from './stack.ts';

/** Options of a request; without a key there is no Authorization header. */
export interface Sent {
  key?: string | undefined;
  headers?: Record<string, string>;
  query?: string;
  signal?: AbortSignal;
}

const REMOVALS = '/bg/v1/background-removals';

const headersOf = ({ key, headers }: Sent): Record<string, string> => ({
  ...(key && { authorization: `Bearer ${key}` }),
  ...headers,
});

const filePart = (bytes: Uint8Array): Blob => new Blob([Uint8Array.from(bytes)]);

/** Sends requests to any path with one key. */
export function keyClient(stack: Pick<Stack, 'url'>, key: string) {
  const ask = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(stack.url + path, {
      ...init,
      method,
      headers: { ...headersOf({ key }), ...init.headers },
    });
  /** Sends JSON, or no body if there is none. */
  const sendJson = (method: string, path: string, body?: unknown, headers = {}) =>
    body === undefined
      ? ask(method, path, { headers })
      : ask(method, path, {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...headers },
        });
  const postJson = (path: string, body: unknown, headers = {}) =>
    sendJson('POST', path, body, headers);
  return { ask, sendJson, postJson };
}

/** A form of file parts, each `[field, bytes, file name]`. */
export function formOf(...files: [field: string, bytes: Uint8Array, name: string][]): FormData {
  const form = new FormData();
  for (const [field, bytes, name] of files) form.append(field, filePart(bytes), name);
  return form;
}

/** A form of texts and of files, all of one name; what is undefined is left out. */
export function formWith(
  parts: Readonly<Record<string, string | Uint8Array | undefined>>,
): FormData {
  const form = new FormData();
  for (const [field, part] of Object.entries(parts)) {
    if (typeof part === 'string') form.append(field, part);
    else if (part) form.append(field, filePart(part), 'photo.jpg');
  }
  return form;
}

export const postForm = (
  stack: Pick<Stack, 'url'>,
  form: FormData,
  sent: Sent,
): Promise<Response> =>
  fetch(`${stack.url}${REMOVALS}${sent.query ?? ''}`, {
    method: 'POST',
    headers: headersOf(sent),
    body: form,
    ...(sent.signal && { signal: sent.signal }),
  });

/** Sends one image in multipart. */
export const postImage = (
  stack: Pick<Stack, 'url'>,
  image: Uint8Array,
  sent: Sent,
): Promise<Response> => postForm(stack, formWith({ image }), sent);

/** Sends any body as it is. */
export const postBody = (
  stack: Pick<Stack, 'url'>,
  body: string,
  { query = '?return_base64=true', ...sent }: Sent,
): Promise<Response> =>
  fetch(`${stack.url}${REMOVALS}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(sent) },
    body,
  });

export const postBase64 = (
  stack: Pick<Stack, 'url'>,
  image_base64: string,
  sent: Sent,
): Promise<Response> => postBody(stack, JSON.stringify({ image_base64 }), sent);

/**
 * Writes bytes on a bare connection and reads until the server closes it.
 * @param end whether to close our side after writing, as a client that hangs up does
 */
export function rawExchange(url: string, bytes: string | Buffer, end = false): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (end) socket.end();
    });
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

/** The status of a response and the JSON of its body, if it has one. */
export async function answerOf(sent: Response | Promise<Response>) {
  const response = await sent;
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

const Errors = z.looseObject({ errors: z.array(z.looseObject({ pointer: z.string() })) });

/** Reads what the errors of a problem point at. */
export const pointersOf = async (response: Response): Promise<string[]> =>
  Errors.parse(await response.json()).errors.map(({ pointer }) => pointer);

/** Units of the day's quota that a key has left, by the header of a response. */
export const reportedQuota = ({ headers }: Response): number =>
  Number(/"day";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** Expects a problem of this type, with its status; returns it. */
export async function expectProblem(
  response: Response,
  type: ProblemType,
): Promise<Record<string, unknown> & { detail: string }> {
  const body = (await response.json()) as Record<string, unknown> & { detail: string };
  const { status, title } = PROBLEMS[type];
  expect(body).toMatchObject({ type, status, title, detail: expect.any(String) });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(body.requestId).toBe(response.headers.get('x-request-id'));
  return body;
}
