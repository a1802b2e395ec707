import { clientError, SelvageError, type ValidationIssue } from './error.ts';

/** Returns the id of the request, which every response of the service itself has; else ''. */
export const requestIdOf = ({ headers }: Response): string => headers.get('x-request-id') ?? '';

export const mediaTypeOf = ({ headers }: Response): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** @throws SelvageError `redirected`: the key must not be sent to another host */
export function rejectRedirect(response: Response): void {
  const { type, status } = response;
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return;
  void response.body?.cancel().catch(() => {}); // the body is not read
  const detail = 'Set baseUrl to the final URL of the service';
  throw clientError('redirected', detail, { status, requestId: requestIdOf(response) });
}

/** Parses `Retry-After`, a number of seconds or a date, as seconds from now. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members of a problem; none if the body is something else, such as a proxy's page. */
function parseMembers(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isValidationIssue = (value: unknown): value is ValidationIssue =>
  isRecord(value) && typeof value.pointer === 'string' && typeof value.detail === 'string';

const textOr = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback;

/** Reads an error response (RFC 9457). */
export async function readProblem(response: Response): Promise<SelvageError> {
  const { status, statusText, headers } = response;
  // The status counts even if the body breaks off.
  const body = parseMembers(await response.text().catch(() => ''));
  const { type, title, detail, errors, requestId, status: _, instance: _i, ...members } = body;
  const fallback = `The service responded with ${status} ${statusText}`.trim();
  return new SelvageError({
    status,
    type: textOr(type, 'about:blank').split('/').at(-1) ?? '',
    title: textOr(title, fallback),
    detail: textOr(detail, fallback),
    errors: Array.isArray(errors) ? errors.filter(isValidationIssue) : [],
    requestId: textOr(headers.get('x-request-id'), textOr(requestId, '')) || undefined,
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
    members,
  });
}
