import type { FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';

/** Returns the media type in a `Content-Type`, lower-case and without parameters; empty without one. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();

const AS_A_PART =
  'send the image as the file part `image` of a form, as `curl -F image=@photo.jpg`';

const AS_LINES = 'objects of JSON, one a line, are application/x-ndjson';

/** Returns what to do with a body of another type, if that is likely what is meant. */
function adviceFor(sent: string, accepted: readonly string[]): string {
  const isFile = /^image\/|^application\/(octet-stream|x-www-form-urlencoded)$/.test(sent);
  if (isFile && accepted.includes('multipart/form-data')) return `; ${AS_A_PART}`;
  if (sent === 'application/json' && accepted.includes('application/x-ndjson'))
    return `; ${AS_LINES}`;
  return '';
}

const isMediaTypeError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';

/** Returns the problem of a body of a type that the endpoint does not read; undefined for other errors. */
export function mediaTypeProblem(
  error: unknown,
  { headers, routeOptions }: FastifyRequest,
): Problem | undefined {
  if (!isMediaTypeError(error)) return undefined;
  const accepted = routeOptions.config.accepts ?? [];
  if (accepted.length === 0) return undefined;
  const sent = mediaTypeOf(headers['content-type'])
    .slice(0, 100)
    .replaceAll(/[^\w/.+-]/g, '?');
  const detail = `Send ${accepted.join(' or ')} here, not ${sent || 'a body without a type'}${adviceFor(sent, accepted)}`;
  return new Problem('unsupported-media-type', detail, { cause: error });
}
