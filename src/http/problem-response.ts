import { randomUUID } from 'node:crypto';
import { Problem, type ProblemType, unavailable } from '../platform/problem.ts';
import { isRedisError, isRedisFull } from '../platform/redis.ts';
import { codeOf } from '../platform/system-error.ts';

/** The media type of every problem response (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/**
 * Returns the body of a problem response.
 * @param base absolute URI that problem types are resolved against; without it they stay relative
 */
export function problemBody(problem: Problem, requestId: string, base?: string) {
  return {
    type: base ? new URL(problem.type, base.endsWith('/') ? base : `${base}/`).href : problem.type,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    instance: `urn:request:${requestId}`,
    requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...problem.members,
  };
}

/** Ends the work for a client that has left; nobody reads it. */
export const CLIENT_DISCONNECTED = new Problem('request-timeout', 'The client disconnected');

export const UNKNOWN_MEDIA_TYPE =
  'This Content-Type is not accepted here; see /docs for the types each endpoint accepts';

/** The problems of the HTTP framework's own error codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, [type: ProblemType, detail: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', UNKNOWN_MEDIA_TYPE],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'payload-too-large',
    'The body is larger than this endpoint accepts',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid-request',
    'The length of the body is not that of Content-Length',
  ],
  FST_ERR_BAD_URL: ['invalid-request', 'The URL cannot be decoded'],
  FST_ERR_MAX_PARAM_LENGTH: ['not-found', 'There is nothing at this address'],
  FST_REQ_FILE_TOO_LARGE: ['payload-too-large', 'The file is larger than this endpoint accepts'],
  FST_PARTS_LIMIT: ['invalid-request', 'The form has too many parts'],
  FST_FILES_LIMIT: ['invalid-request', 'The form has too many files; send one image'],
  FST_FIELDS_LIMIT: ['invalid-request', 'The form has too many fields'],
  FST_PROTO_VIOLATION: [
    'invalid-request',
    'The form has a part with the name of a built-in property, such as "__proto__"; remove it',
  ],
};

const LENGTH =
  'The length of the body is not clear: send one Content-Length, or Transfer-Encoding: chunked, not both';

/** The problems of the error codes of Node's HTTP parser. */
const PARSER_ERRORS: Readonly<Record<string, [type: ProblemType, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers-too-large',
    'The headers are larger than 16 KiB; send fewer or shorter ones',
  ],
  HPE_UNEXPECTED_CONTENT_LENGTH: ['invalid-request', LENGTH],
  HPE_INVALID_CONTENT_LENGTH: ['invalid-request', LENGTH],
  HPE_INVALID_TRANSFER_ENCODING: ['invalid-request', LENGTH],
  HPE_INVALID_HEADER_TOKEN: [
    'invalid-request',
    'A header has a character that none may have: a line break at the end of a key, perhaps',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request was not complete in time'],
};

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;

/** A full Redis does not get room in a second. */
const FULL_RETRY_SECONDS = 10;

/** Returns the problem of something that is not there now, and may be later. */
function outageOf(error: unknown): Problem | undefined {
  if (isRedisFull(error)) {
    const detail = 'The service has no memory left; the operator must make room in Redis';
    return unavailable(detail, FULL_RETRY_SECONDS, error);
  }
  if (isRedisError(error)) return unavailable('Redis does not respond; try again', 1, error);
  return statusOf(error) === 503
    ? unavailable('What this needs is not there now; try again', 1, error)
    : undefined;
}

/**
 * Returns any error as a Problem; an unexpected one is `internal-error` and reveals nothing. Here alone is decided what a
 * failure of Redis or of storage is to a client, so that handlers need not catch any.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const outage = outageOf(error);
  if (outage) return outage;
  const known = FRAMEWORK_ERRORS[codeOf(error)];
  if (known) return new Problem(...known, { cause: error });
  if (statusOf(error) < 500) {
    return new Problem('invalid-request', 'The request could not be read', { cause: error });
  }
  const detail = 'This is an error of the service; it was logged under this request id';
  return new Problem('internal-error', detail, { cause: error });
}

export function parserProblem(error: unknown): Problem {
  const [type, detail] = PARSER_ERRORS[codeOf(error)] ?? [
    'invalid-request',
    'This is not an HTTP request',
  ];
  return new Problem(type, detail, { cause: error });
}

/** Sends a problem on a bare socket, for input that never became a request. */
export function sendRawProblem(
  socket: { writable: boolean; end(text: string): void; destroy(): void },
  problem: Problem,
  base: string | undefined,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(problem, requestId, base));
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
