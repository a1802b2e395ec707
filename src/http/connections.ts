import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets connections go while a server shuts down: those without a request at once, even where there
 * never was one, the others with the end of theirs. Node itself would wait for some of them.
 */
export function letGoOnClose(server: Server, closing: AbortSignal): void {
  const requests = new Map<Socket, number>();
  const change = (socket: Socket, step: number): void => {
    const now = (requests.get(socket) ?? 0) + step;
    requests.set(socket, now);
    if (closing.aborted && now <= 0) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    change(socket, 1);
    response.once('close', () => requests.has(socket) && change(socket, -1));
  });
  closing.addEventListener('abort', () => {
    for (const [socket, count] of requests) if (count === 0) socket.destroySoon();
  });
}
