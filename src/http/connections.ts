import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Requests in progress. */
  requests: number;
  latest: { request: IncomingMessage; response: ServerResponse } | undefined;
}

/**
 * Tracks the connections of a server.
 *
 * While the server shuts down, idle connections close at once, even if they never carried a request,
 * and the others at the end of their request. Node itself would wait for some of them.
 *
 * At most `max` connections are open: beyond that the one idle for longest is closed, or the new one
 * if all are busy.
 */
export function trackConnections(server: Server, closing: AbortSignal, max: number) {
  const connections = new Map<Socket, Connection>();

  function countRequest(socket: Socket, connection: Connection, step: 1 | -1): void {
    connection.requests += step;
    if (connection.requests > 0) return;
    // Moves it to the end of the map: the first idle entry is the one idle for longest.
    connections.delete(socket);
    if (closing.aborted) socket.destroySoon();
    else connections.set(socket, connection);
  }

  /** Returns the connection idle for longest, undefined if all are busy. */
  function longestIdle(): Socket | undefined {
    for (const [socket, { requests }] of connections) if (requests === 0) return socket;
    return undefined;
  }

  server.on('connection', (socket) => {
    if (connections.size >= max) {
      const victim = longestIdle() ?? socket;
      connections.delete(victim);
      victim.destroy();
    }
    if (socket.destroyed) return;
    connections.set(socket, { requests: 0, latest: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.latest = { request, response };
    countRequest(socket, connection, 1);
    response.once('close', () => connections.has(socket) && countRequest(socket, connection, -1));
  });
  closing.addEventListener('abort', () => {
    for (const [socket, { requests }] of connections) if (requests === 0) socket.destroySoon();
  });

  return {
    /** Returns whether the latest request on a connection was answered before it was complete. */
    isAnswered(socket: Socket): boolean {
      const latest = connections.get(socket)?.latest;
      return latest !== undefined && !latest.request.complete && latest.response.headersSent;
    },
  };
}
