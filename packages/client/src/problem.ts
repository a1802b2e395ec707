import { clientError, type Fault, SelvageError } from './error.ts';

/** Of every answer that the service itself gave. */
export const requestIdOf = ({ headers }: Response): string => headers.get('x-request-id') ?? '';

export const mediaTypeOf = ({ headers }: Response): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** @throws SelvageError `redirected`: the key must not go to where an answer points */
export function refuseRedirect(response: Response): void {
  const { type, status } = response;
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return;
  void response.body?.cancel().catch(() => {}); // nothing in it is read
  const detail = 'Give the address that the service really has as baseUrl';
  throw clientError('redirected', detail, { status, requestId: requestIdOf(response) });
}

/** Seconds from now, of a number of seconds or of a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a problem; none where the body is something else, such as a proxy's page. */
function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isFault = (value: unknown): value is Fault =>
  isRecord(value) && typeof value.pointer === 'string' && typeof value.detail === 'string';

const textOr = (value: unknown, instead: string): string =>
  typeof value === 'string' && value !== '' ? value : instead;

/** What an answer that is no success says (RFC 9457), as an error. */
export async function problemOf(response: Response): Promise<SelvageError> {
  const { status, statusText, headers } = response;
  // A status counts, even where what should explain it did not come whole.
  const body = membersOf(await response.text().catch(() => ''));
  const { type, title, detail, errors, requestId, status: _, instance: _i, ...members } = body;
  const plain = `The service answered ${status} ${statusText}`.trim();
  return new SelvageError({
    status,
    type: textOr(type, 'about:blank').split('/').at(-1) ?? '',
    title: textOr(title, plain),
    detail: textOr(detail, plain),
    errors: Array.isArray(errors) ? errors.filter(isFault) : [],
    requestId: textOr(headers.get('x-request-id'), textOr(requestId, '')) || undefined,
    retryAfterSeconds: readRetryAfter(headers.get('retry-after')),
    members,
  });
}
