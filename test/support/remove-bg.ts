import { z } from 'zod';
import type { Stack } from './stack.ts';

const DOOR = '/compat/removebg/v1.0';

/** What a test sends to the door of remove.bg. */
export interface SentToDoor {
  key?: string | undefined;
  fields?: Readonly<Record<string, string>>;
  files?: Readonly<Record<string, Uint8Array>>;
  headers?: Readonly<Record<string, string>>;
}

const keyHeader = (key: string | undefined): Record<string, string> =>
  key ? { 'x-api-key': key } : {};

/** Sends a multipart form, as most clients do. */
export function postToDoor(stack: Pick<Stack, 'url'>, sent: SentToDoor): Promise<Response> {
  const form = new FormData();
  for (const [name, text] of Object.entries(sent.fields ?? {})) form.append(name, text);
  for (const [name, bytes] of Object.entries(sent.files ?? {})) {
    form.append(name, new Blob([Uint8Array.from(bytes)]), 'photo.jpg');
  }
  const headers = { ...keyHeader(sent.key), ...sent.headers };
  return fetch(`${stack.url}${DOOR}/removebg`, { method: 'POST', headers, body: form });
}

/** Sends any body as it is. */
export const postBodyToDoor = (
  stack: Pick<Stack, 'url'>,
  key: string,
  body: string | URLSearchParams | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${stack.url}${DOOR}/removebg`, {
    method: 'POST',
    headers: { ...keyHeader(key), ...headers },
    body,
  });

export const askAccount = (stack: Pick<Stack, 'url'>, key: string | undefined): Promise<Response> =>
  fetch(`${stack.url}${DOOR}/account`, { headers: keyHeader(key) });

const Refused = z.strictObject({
  errors: z
    .array(z.strictObject({ title: z.string(), code: z.string(), detail: z.string() }))
    .min(1),
});

/** Status and codes of a refusal. */
export async function refusalOf(response: Response): Promise<{ status: number; codes: string[] }> {
  const { errors } = Refused.parse(await response.json());
  return { status: response.status, codes: errors.map(({ code }) => code) };
}
