import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DEFAULT_LIMITS } from '../../src/auth/key-record.ts';
import type { Limits } from '../../src/http/limits.ts';
import type { Caller, Route } from '../../src/http/route.ts';
import { HttpServer, type ServerOptions } from '../../src/http/server.ts';
import { createLog } from '../../src/platform/log.ts';

/** What every route has, whatever a test is about. */
export const TEST_ROUTE = {
  method: 'GET',
  scope: 'any',
  operationId: 'test',
  responses: {},
} as const;

/** One row of a table of endpoints. */
export const row = (route: Route): Route => route;

const RATE_LIMIT = {
  rate: { limit: 1, remaining: 1, resetSeconds: 1, windowSeconds: 1 },
  quota: { limit: 1, remaining: 1, resetSeconds: 1 },
};

/** Every key of the form `key-<client>` is accepted. */
async function lookUp(key: string): Promise<Caller | undefined> {
  const client = /^key-(\w+)$/.exec(key)?.[1];
  if (!client) return undefined;
  const rate = { count: 1, periodSeconds: 1 };
  const identity = { client, keyId: key, meter: client, quotaPerDay: 1, rate };
  return { ...identity, rights: [], scopes: ['any'], allowBase64: true, ...DEFAULT_LIMITS };
}

/** Requests admitted and refunds made, by client. */
export interface Admitted {
  requests: Record<string, number>;
  refunds: Record<string, number>;
}

const countOne = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** Serves routes on a free port, without rate limits. */
export async function serve(
  routes: readonly Route[],
  deps: Partial<ServerOptions> = {},
): Promise<HttpServer & { url: string; admitted: Admitted }> {
  const admitted: Admitted = { requests: {}, refunds: {} };
  const limits: Pick<Limits, 'admit'> = {
    async admit({ meter }) {
      countOne(admitted.requests, meter);
      const refund = async () => countOne(admitted.refunds, meter);
      const resize = async () => {};
      return { rateLimit: RATE_LIMIT, units: 0, reserved: undefined, refund, resize };
    },
  };
  const server = new HttpServer({
    routes,
    lookUp,
    limits,
    log: createLog('test', 'silent'),
    maxImageBytes: 2 ** 20,
    problemBase: undefined,
    observe: () => {},
    ...deps,
  });
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
  return Object.assign(server, { url, admitted });
}

/** A raw connection. */
export interface Raw {
  socket: Socket;
  /** What has arrived so far. */
  text(): string;
  /** Resolves with everything when the connection is closed. */
  closed: Promise<string>;
}

/**
 * Opens a connection and writes to it.
 * @param allowHalfOpen whether to go on sending when the server has sent everything
 */
export async function open(url: string, bytes = '', allowHalfOpen = false): Promise<Raw> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen });
  let text = '';
  socket.setEncoding('latin1').on('data', (more) => {
    text += more;
  });
  socket.on('error', () => {}); // closed while writing
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, text: () => text, closed };
}

/** Returns a request as text. */
export const requestText = (line: string, headers: readonly string[] = [], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', body].join('\r\n');

export const keyOf = (client: string): string => `Authorization: Bearer key-${client}`;
