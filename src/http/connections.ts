import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, unavailable } from '../platform/problem.ts';
import { FairShare, type ShareRejection } from './fair-share.ts';

interface Connection {
  /** Of the requests in progress, in their order. */
  responses: Set<ServerResponse>;
  /** Whether the latest request came with an accepted key. */
  isAccepted: boolean;
  latest: { request: IncomingMessage; response: ServerResponse } | undefined;
  /** Whether it has its last response, and what its client still sends is dropped. */
  isLingering: boolean;
}

/**
 * A connection is `accepted` while a request with an accepted key is in progress, `idle` after it, and
 * else `keyless`: new, sending headers, or with a request without an accepted key.
 */
type ConnectionState = 'keyless' | 'idle' | 'accepted';

/** What a closed connection was. */
type Evicted = Exclude<ConnectionState, 'accepted'> | 'new';

interface ConnectionLimits {
  /** Open connections. */
  max: number;
  /** How long a client may go on sending after the last response on its connection. */
  lingerMillis: number;
  /** Aborts when the server starts to shut down. */
  closing: AbortSignal;
  /** Called when a connection gives way to a new one, or the new one finds no place. */
  onEvict(as: Evicted): void;
  /** Called when a client gets no further connection. */
  onReject(reason: ShareRejection): void;
}

/** What a client may go on sending after the last response: any image and its base64. */
const LINGER_BYTES = 32 * 2 ** 20;
const LINGER_CHECK_MILLIS = 50;

/** Requests in progress on one connection: clients that do not pipeline have one. */
const MAX_PIPELINED = 10;

/**
 * Closes the responses that wait for an earlier one on a closed connection: Node closes only the
 * response that is being sent.
 */
function closeQueued(responses: Iterable<ServerResponse>): void {
  for (const response of [...responses]) {
    if (response.socket) continue;
    response.destroy();
    response.emit('close');
  }
}

/** Lets a client go on sending, up to a time and a size; then destroys its connection. */
function linger(socket: Socket, lingerMillis: number): void {
  const deadlineMillis = performance.now() + lingerMillis;
  const maxBytesRead = socket.bytesRead + LINGER_BYTES;
  const timer = setInterval(() => {
    const isOver = performance.now() > deadlineMillis || socket.bytesRead > maxBytesRead;
    if (isOver) socket.destroy();
  }, LINGER_CHECK_MILLIS).unref();
  socket.once('close', () => clearInterval(timer));
}

/**
 * Tracks the connections of a server.
 *
 * At most `max` connections are open; a new one then closes another. Connections without an accepted
 * key give way as long as they are more than half, first the one whose last response, or opening, is
 * longest ago: whether it is idle, sends headers or sends a body. Otherwise the one that is idle
 * longest after a request with an accepted key gives way. Requests with an accepted key are never
 * interrupted, and no client has more of them than there are connections left for others. A connection
 * with more than ten requests in progress is closed.
 *
 * While the server shuts down, idle connections close at once, even if they never carried a request,
 * and the others at the end of their request. Node itself would wait for some of them.
 */
export function trackConnections(
  server: Server,
  { max, lingerMillis, closing, onEvict, onReject }: ConnectionLimits,
) {
  const connections = new Map<Socket, Connection>();
  const keyless = new Set<Socket>();
  const idle = new Set<Socket>();
  const share = new FairShare(max);

  function forget(socket: Socket): void {
    connections.delete(socket);
    keyless.delete(socket);
    idle.delete(socket);
  }

  function evict(socket: Socket, as: Evicted): void {
    onEvict(as);
    forget(socket);
    socket.destroy();
  }

  /** Closes the connection that must give way to a new one: the new one if no other can. */
  function evictFor(socket: Socket): void {
    const [oldestKeyless] = keyless;
    const [oldestIdle] = idle;
    if (oldestIdle && keyless.size <= max / 2) evict(oldestIdle, 'idle');
    else if (oldestKeyless) evict(oldestKeyless, 'keyless');
    else evict(socket, 'new');
  }

  function startRequest(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.responses.add(response);
    if (connection.responses.size > MAX_PIPELINED) socket.destroy();
    if (connection.responses.size > 1) return;
    connection.isAccepted = false;
    if (idle.delete(socket)) keyless.add(socket);
  }

  function endRequest(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.responses.delete(response);
    if (connection.responses.size > 0 || !connections.has(socket)) return;
    if (closing.aborted) socket.destroySoon();
    keyless.delete(socket); // added again, it is the last to give way
    (connection.isAccepted ? idle : keyless).add(socket);
  }

  server.on('connection', (socket) => {
    if (connections.size >= max) evictFor(socket);
    if (socket.destroyed) return;
    const connection: Connection = {
      responses: new Set(),
      isAccepted: false,
      latest: undefined,
      isLingering: false,
    };
    connections.set(socket, connection);
    keyless.add(socket);
    socket.once('close', () => {
      forget(socket);
      closeQueued(connection.responses);
    });
    // Node destroys the connection right after its last response: a client that is still sending
    // would be reset, and might never see the response.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const request = connection.latest?.request;
      if (!request || request.complete || closing.aborted) return destroySoon();
      socket.end();
      request.once('end', () => socket.destroy());
      linger(socket, lingerMillis);
    };
  });
  // First, so that requests after too many find their connection closed.
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.latest = { request, response };
    startRequest(socket, connection, response);
    response.once('close', () => endRequest(socket, connection, response));
  });
  closing.addEventListener('abort', () => {
    for (const [socket, { responses }] of connections) {
      if (responses.size === 0) socket.destroySoon();
    }
  });

  return {
    /**
     * Protects a connection until the response to a request with an accepted key is sent.
     * @throws Problem upstream-unavailable if the client has too many requests in progress
     */
    accept({ socket }: IncomingMessage, response: ServerResponse, client: string): void {
      const rejection = share.check(client, 1);
      if (rejection) {
        onReject(rejection);
        const { type, detail, headers } = unavailable(
          'You have as many requests in progress as this server has connections for; send fewer at once',
        );
        throw new Problem(type, detail, { headers: { ...headers, connection: 'close' } });
      }
      share.add(client, 1);
      response.once('close', () => share.add(client, -1));
      const connection = connections.get(socket);
      if (!connection) return;
      connection.isAccepted = true;
      keyless.delete(socket);
    },

    counts: (): Readonly<Record<ConnectionState, number>> => ({
      keyless: keyless.size,
      idle: idle.size,
      accepted: connections.size - keyless.size - idle.size,
    }),

    /**
     * Ends a connection whose bytes cannot be parsed. What else arrives on it is dropped: a client that is still
     * sending would be reset, and might never see the response.
     * @param respond sends the last response; not called if one is on its way
     */
    endUnparsable(socket: Socket, respond: () => void): void {
      const connection = connections.get(socket);
      if (!connection) return void socket.destroy();
      if (connection.isLingering) return;
      connection.isLingering = true;
      const { request, response } = connection.latest ?? {};
      if (request?.complete || !response?.headersSent) respond();
      linger(socket, lingerMillis);
    },
  };
}
