import { z } from 'zod';
import { formWith } from './client.ts';
import type { Stack } from './stack.ts';

const COMPAT_PATH = '/compat/removebg/v1.0';

/** A form for the remove.bg-compatible endpoint. */
export interface CompatForm {
  key?: string | undefined;
  fields?: Readonly<Record<string, string>>;
  files?: Readonly<Record<string, Uint8Array>>;
  headers?: Readonly<Record<string, string>>;
}

const keyHeader = (key: string | undefined): Record<string, string> =>
  key ? { 'x-api-key': key } : {};

/** Sends a multipart form, as most clients do. */
export function postCompatForm(stack: Pick<Stack, 'url'>, sent: CompatForm): Promise<Response> {
  const form = formWith({ ...sent.fields, ...sent.files });
  const headers = { ...keyHeader(sent.key), ...sent.headers };
  return fetch(`${stack.url}${COMPAT_PATH}/removebg`, { method: 'POST', headers, body: form });
}

/** Sends any body as it is. */
export const postCompatBody = (
  stack: Pick<Stack, 'url'>,
  key: string,
  body: string | URLSearchParams | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${stack.url}${COMPAT_PATH}/removebg`, {
    method: 'POST',
    headers: { ...keyHeader(key), ...headers },
    body,
  });

export const askAccount = (stack: Pick<Stack, 'url'>, key: string | undefined): Promise<Response> =>
  fetch(`${stack.url}${COMPAT_PATH}/account`, { headers: keyHeader(key) });

const ErrorBody = z.strictObject({
  errors: z
    .array(z.strictObject({ title: z.string(), code: z.string(), detail: z.string() }))
    .min(1),
});

/** Reads status and error codes of an error response. */
export async function readRejection(
  response: Response,
): Promise<{ status: number; codes: string[] }> {
  const { errors } = ErrorBody.parse(await response.json());
  return { status: response.status, codes: errors.map(({ code }) => code) };
}
