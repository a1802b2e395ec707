import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of a connection. */
interface Held {
  /** Requests under way. */
  requests: number;
  latest: { request: IncomingMessage; response: ServerResponse } | undefined;
}

/**
 * Keeps count of the connections of a server.
 *
 * While it shuts down they are let go: those without a request at once, even where there never was
 * one, the others with the end of theirs. Node itself would wait for some of them.
 *
 * There are never more than `most`: where there are, the one that has been without a request for
 * longest makes room, and where all are busy the new one is closed.
 */
export function keepConnections(server: Server, closing: AbortSignal, most: number) {
  const all = new Map<Socket, Held>();

  function change(socket: Socket, held: Held, step: number): void {
    held.requests += step;
    if (held.requests > 0) return;
    // To the end of the line: the first in it is the one that has been idle for longest.
    all.delete(socket);
    if (closing.aborted) socket.destroySoon();
    else all.set(socket, held);
  }

  /** The one that has been without a request for longest, where not all are busy. */
  function idlest(): Socket | undefined {
    for (const [socket, { requests }] of all) if (requests === 0) return socket;
    return undefined;
  }

  server.on('connection', (socket) => {
    if (all.size >= most) {
      const victim = idlest() ?? socket;
      all.delete(victim);
      victim.destroy();
    }
    if (socket.destroyed) return;
    all.set(socket, { requests: 0, latest: undefined });
    socket.once('close', () => all.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const held = all.get(socket);
    if (!held) return;
    held.latest = { request, response };
    change(socket, held, 1);
    response.once('close', () => all.has(socket) && change(socket, held, -1));
  });
  closing.addEventListener('abort', () => {
    for (const [socket, { requests }] of all) if (requests === 0) socket.destroySoon();
  });

  return {
    /** Whether the request that is coming in on a connection was answered before all of it was there. */
    isAnswered(socket: Socket): boolean {
      const latest = all.get(socket)?.latest;
      return latest !== undefined && !latest.request.complete && latest.response.headersSent;
    },
  };
}
