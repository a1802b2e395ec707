import { Problem, type ProblemType } from '../platform/problem.ts';

/** The media type of every error answer (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/**
 * The body of an error answer.
 * @param base absolute URI that problem types are put under; without it a type is a relative reference
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

/** What the HTTP framework's own refusals mean in this service's words. */
const FRAMEWORK: Readonly<Record<string, [type: ProblemType, detail: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported-media-type',
    'This Content-Type is not taken here; see /docs for the types each endpoint takes',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload-too-large', 'The body is larger than this endpoint takes'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid-request', 'The body is empty; send a JSON object'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid-request', 'The body is not JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid-request',
    'The body is not as long as Content-Length says',
  ],
  FST_ERR_BAD_URL: ['invalid-request', 'The URL cannot be decoded'],
  FST_ERR_MAX_PARAM_LENGTH: ['not-found', 'There is nothing at this address'],
  FST_REQ_FILE_TOO_LARGE: ['payload-too-large', 'The file is larger than this endpoint takes'],
  FST_PARTS_LIMIT: ['invalid-request', 'The form has too many parts'],
  FST_FILES_LIMIT: ['invalid-request', 'The form has too many files; send one image'],
  FST_FIELDS_LIMIT: ['invalid-request', 'The form has too many fields'],
};

/** What Node's HTTP parser says of a request it could not read. */
const PARSER: Readonly<Record<string, [type: ProblemType, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'The headers are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request was not complete in time'],
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;

/** Any thrown thing as a Problem; what nobody expected is `internal-error` and tells nothing. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const known = FRAMEWORK[codeOf(error)];
  if (known) return new Problem(...known, { cause: error });
  if (statusOf(error) < 500) {
    return new Problem('invalid-request', 'The request could not be read', { cause: error });
  }
  return new Problem('internal-error', 'The fault is ours and was logged under this request id', {
    cause: error,
  });
}

/** A request that never became one (parser errors), as a Problem. */
export function parserProblem(error: unknown): Problem {
  const [type, detail] = PARSER[codeOf(error)] ?? [
    'invalid-request',
    'This is not an HTTP request',
  ];
  return new Problem(type, detail, { cause: error });
}
