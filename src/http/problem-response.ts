import { randomUUID } from 'node:crypto';
import { Problem, type ProblemType, unavailable } from '../platform/problem.ts';
import { isRedisError, isRedisFull } from '../platform/redis.ts';
import { codeOf } from '../platform/system-error.ts';
import errors from './library-errors.json' with { type: 'json' };

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

/** The problems of the codes of one library's errors. */
type LibraryErrors = Readonly<Record<string, { type: ProblemType; detail: string }>>;

const FRAMEWORK_ERRORS = errors.framework as LibraryErrors;
const PARSER_ERRORS = errors.parser as LibraryErrors;

export const UNKNOWN_MEDIA_TYPE = errors.framework.FST_ERR_CTP_INVALID_MEDIA_TYPE.detail;

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
  if (known) return new Problem(known.type, known.detail, { cause: error });
  if (statusOf(error) < 500) {
    return new Problem('invalid-request', 'The request could not be read', { cause: error });
  }
  const detail = 'This is an error of the service; it was logged under this request id';
  return new Problem('internal-error', detail, { cause: error });
}

export function parserProblem(error: unknown): Problem {
  const { type = 'invalid-request', detail = 'This is not an HTTP request' } =
    PARSER_ERRORS[codeOf(error)] ?? {};
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
