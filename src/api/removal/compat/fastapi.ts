import { z } from 'zod';
import type { Reply } from '../../../http/route.ts';
import { PROBLEMS, type Problem, type ValidationIssue } from '../../../platform/problem.ts';
import type { JobResult } from '../../../queue/catalog.ts';
import { checkedFile, qualityHeaders } from '../cut-out-response.ts';

/** How FastAPI, which rembg and withoutBG are written with, reads fields and reports errors. */

const FLAGS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['true', '1', 'on', 'yes', 't', 'y'].map((text) => [text, true])),
  ...Object.fromEntries(['false', '0', 'off', 'no', 'f', 'n', ''].map((text) => [text, false])),
};

/** A boolean in a form or a query. Empty text counts as not sent. */
export const flag = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => Object.hasOwn(FLAGS, text), 'must be true or false')
  .transform((text) => FLAGS[text])
  .optional();

/** An integer in a form or a query. Empty text counts as not sent. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{0,9}$/, 'must be an integer')
    .refine((text) => text === '' || (Number(text) >= min && Number(text) <= max), {
      error: `must be from ${min} to ${max}`,
    })
    .optional();

export const DetailResponse = z
  .object({
    detail: z.union([
      z.string(),
      z.array(z.object({ type: z.string(), loc: z.array(z.string()), msg: z.string() })),
    ]),
  })
  .meta({ id: 'DetailResponse' });

/** Where a client finds the field of an error: `?name` is a query parameter, `/name` a form field. */
const locationOf = (pointer: string): string[] => [
  pointer.startsWith('?') ? 'query' : 'body',
  pointer.slice(1),
];

const toDetail = ({ pointer, detail }: ValidationIssue, urlPointer: string) => ({
  type: 'value_error',
  loc: locationOf(pointer === '/imageUrl' ? urlPointer : pointer),
  msg: detail,
});

/**
 * Returns FastAPI's response for a problem. A malformed request is 422 there.
 * @param urlPointer the field with the image's URL, which workers do not know by its name
 */
export const toDetailReply =
  (urlPointer: string) =>
  ({ type, detail, errors, headers }: Problem): Reply => ({
    status: type === 'invalid-request' ? 422 : PROBLEMS[type].status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: { detail: errors ? errors.map((issue) => toDetail(issue, urlPointer)) : detail },
  });

/** @throws Problem upstream-failed */
export function fileReply(
  { file, result }: { file: Uint8Array; result: JobResult<'remove-background'> },
  extraHeaders: Readonly<Record<string, string>> = {},
): Reply {
  const body = checkedFile({ file, ...result });
  const headers = { ...qualityHeaders(result), 'cache-control': 'no-store', ...extraHeaders };
  return { headers: { ...headers, 'content-type': result.mediaType }, body };
}
