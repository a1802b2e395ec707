import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

interface Holding {
  count: number;
  /** Sent at once on each connection; the request must not be complete. */
  bytes: string | Buffer;
  /** Whether a connection that the server closes is replaced. */
  reopen: boolean;
  signal: AbortSignal;
}

const TOP_UP_MILLIS = 50;
/** Connections opened at once: more would overflow the listener's backlog. */
const AT_ONCE = 50;

/** Opens connections with incomplete requests and holds them. Resolves when all were opened. */
export async function holdOpen(url: string, { count, bytes, reopen, signal }: Holding) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();

  function open(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(bytes);
        resolve();
      });
      sockets.add(socket);
      socket.resume().on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        resolve();
      });
    });
  }

  async function fill(): Promise<void> {
    for (let left = count - sockets.size; left > 0 && !signal.aborted; left -= AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, open));
  }

  let isOver = false;
  async function topUp(): Promise<void> {
    while (!isOver && !signal.aborted) {
      await fill();
      await pause(TOP_UP_MILLIS);
    }
  }

  await fill();
  if (reopen) void topUp();
  return {
    close(): void {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
