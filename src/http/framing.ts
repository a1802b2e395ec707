import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemType } from '../platform/problem.ts';

/** More than any client of ours sends; far less than Node takes before it drops headers silently. */
export const MAX_HEADERS = 200;

/** Said twice, these mean two things, and whoever stands before us may have read the other. */
const ONCE = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-encoding',
  'expect',
]);

/** RFC 3986: the letters of a host and its port. An empty one is allowed by RFC 9112. */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

type Refusal = [type: ProblemType, detail: string, headers?: Readonly<Record<string, string>>];

function saidTwice({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (ONCE.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

const hasHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host !== undefined || httpVersion === '1.0';

/** Each rule says what is wrong with a request, or nothing. The first that speaks is answered. */
const RULES: readonly ((request: IncomingMessage) => Refusal | false | undefined)[] = [
  ({ httpVersionMajor }) => httpVersionMajor !== 1 && ['invalid-request', 'Speak HTTP/1.1'],
  ({ rawHeaders }) =>
    rawHeaders.length > 2 * MAX_HEADERS && [
      'headers-too-large',
      `There are more than ${MAX_HEADERS} headers`,
    ],
  (request) => {
    const twice = saidTwice(request);
    return twice !== undefined && ['invalid-request', `The header ${twice} comes more than once`];
  },
  (request) => !hasHost(request) && ['invalid-request', 'The header Host is missing'],
  ({ headers }) => !HOST.test(headers.host ?? '') && ['invalid-request', 'Host is not a host'],
  ({ headers }) =>
    (headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked' && [
      'invalid-request',
      'Transfer-Encoding can only be chunked',
    ],
  ({ headers }) =>
    (headers.expect ?? '100-continue').toLowerCase() !== '100-continue' && [
      'invalid-request',
      'Expect can only be 100-continue',
    ],
  ({ headers }) =>
    (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity' && [
      'unsupported-media-type',
      'Send the body as it is, without Content-Encoding',
      { 'accept-encoding': 'identity' },
    ],
];

/**
 * Refuses a request that another program on its way may have read differently: where it ends, whom it
 * is for, who sends it. Its connection is closed with the answer, and nothing that has already come
 * after it is served: that may be the rest of this request.
 * @returns a check that throws Problem invalid-request, headers-too-large, unsupported-media-type
 */
export function framingCheck() {
  const condemned = new WeakSet<Socket>();

  function refuse(socket: Socket, [type, detail, headers = {}]: Refusal): never {
    condemned.add(socket);
    throw new Problem(type, detail, { headers: { ...headers, connection: 'close' } });
  }

  return (request: IncomingMessage): void => {
    const { socket } = request;
    if (condemned.has(socket))
      refuse(socket, ['invalid-request', 'The request before was refused']);
    for (const rule of RULES) {
      const refusal = rule(request);
      if (refusal) refuse(socket, refusal);
    }
  };
}
