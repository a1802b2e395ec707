import type { Problem } from '../platform/problem.ts';
import { PROBLEM_MEDIA_TYPE, problemBody } from './problem-response.ts';
import { requestIdOf } from './request-id.ts';

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
  const requestId = requestIdOf({ headers: {} });
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
