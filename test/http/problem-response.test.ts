import { expect, test } from 'vitest';
import errors from '../../src/http/library-errors.json' with { type: 'json' };
import { asProblem, parserProblem, problemBody } from '../../src/http/problem-response.ts';
import { PROBLEMS, Problem } from '../../src/platform/problem.ts';
import { BlobMissing } from '../../src/storage/blobs.ts';

test('the errors of libraries become problems that there are', () => {
  const known = [errors.framework, errors.parser].flatMap((each) => Object.values(each));
  for (const { type } of known) expect(Object.keys(PROBLEMS)).toContain(type);
});

test('the body of a problem has its type, what to do and the request id', () => {
  const problem = new Problem('payload-too-large', 'Send a smaller one', {
    errors: [{ pointer: '/a', detail: 'b' }],
  });
  expect(problemBody(problem, 'id-1')).toEqual({
    type: 'payload-too-large',
    title: 'The payload is too large',
    status: 413,
    detail: 'Send a smaller one',
    instance: 'urn:request:id-1',
    requestId: 'id-1',
    errors: [{ pointer: '/a', detail: 'b' }],
  });
});

const BASES = ['https://api.example/problems', 'https://api.example/problems/'];
test.each(BASES)('with the base %s a type is an absolute URI', (base) => {
  const body = problemBody(new Problem('not-found', 'x'), 'id', base);
  expect(body.type).toBe('https://api.example/problems/not-found');
});

const coded = (code: string, statusCode: number) =>
  Object.assign(new Error('secret inside'), { code, statusCode });

test.each([
  [coded('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 'unsupported-media-type'],
  [coded('FST_ERR_CTP_BODY_TOO_LARGE', 413), 'payload-too-large'],
  [coded('FST_SOMETHING_NEW', 400), 'invalid-request'],
  [new TypeError('secret inside'), 'internal-error'],
  ['thrown text', 'internal-error'],
  [new Error('Command timed out'), 'upstream-unavailable'],
])('%s becomes %s and reveals nothing of its message', (error, type) => {
  const problem = asProblem(error);
  expect(problem.type).toBe(type);
  expect(JSON.stringify(problemBody(problem, 'id'))).not.toContain('secret');
});

test.each([
  ['HPE_HEADER_OVERFLOW', 'headers-too-large', 'headers are larger'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout', 'in time'],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', 'invalid-request', 'one Content-Length'],
  ['HPE_INVALID_TRANSFER_ENCODING', 'invalid-request', 'one Content-Length'],
  ['HPE_INVALID_HEADER_TOKEN', 'invalid-request', 'A header has a character'],
  ['HPE_INVALID_METHOD', 'invalid-request', 'not an HTTP request'],
])('the parser error %s becomes %s', (code, type, says) => {
  const problem = parserProblem(coded(code, 0));
  expect(problem.type).toBe(type);
  expect(problem.detail).toContain(says);
});

test.each([
  [new Error('Connection is closed.'), '1'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), '10'],
  [new BlobMissing('out/a'), '1'],
])('%s may be retried', (error, seconds) => {
  const { type, headers, cause } = asProblem(error);
  expect(type).toBe('upstream-unavailable');
  expect(headers).toEqual({ 'retry-after': seconds });
  expect(cause).toBe(error);
});
