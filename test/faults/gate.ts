import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../support/free-port.ts';

/** The direction of bytes: towards the server, or back. */
export type Direction = 'request' | 'answer';

/** A TCP proxy in front of a server that injects faults of the network. */
export interface Gate {
  port: number;
  /** Ends every connection, as a broken switch does; new ones are accepted. */
  cut(): void;
  /** Drops all bytes silently until `open`. */
  hold(): void;
  /** Delays all bytes in both directions until `open`. */
  slow(millis: number): void;
  /** Refuses new connections and ends existing ones until `open`. */
  shut(): void;
  /** Ends all faults. */
  open(): void;
  /** Leads new connections to another port; existing ones stay where they are. */
  lead(port: number): void;
  /** Calls `meet` once when `pattern` is first seen; its chunk is dropped, and its connection ends. */
  meet(direction: Direction, pattern: RegExp, meet: () => void): () => void;
  close(): Promise<void>;
}

interface Watch {
  direction: Direction;
  pattern: RegExp;
  meet: () => void;
}

/** Runs actions in order, each delayed by `lag` at the time it is added; at once if that is 0. */
function createLine(lag: () => number): (action: () => void) => void {
  let last = Promise.resolve();
  let waiting = 0;
  return (action) => {
    const dueAt = performance.now() + lag();
    if (waiting === 0 && lag() === 0) return action();
    waiting++;
    last = last.then(async () => {
      const left = dueAt - performance.now();
      if (left > 0) await pause(left);
      waiting--;
      action();
    });
  };
}

/** Starts a gate in front of a server on this machine. */
export async function startGate(firstPort: number): Promise<Gate> {
  let targetPort = firstPort;
  const sockets = new Set<Socket>();
  const watches = new Set<Watch>();
  let isHeld = false;
  let isShut = false;
  let lagMillis = 0;

  function watchFor(direction: Direction, bytes: Buffer): Watch | undefined {
    const text = bytes.toString('latin1');
    return [...watches].find((watch) => watch.direction === direction && watch.pattern.test(text));
  }

  function pass(from: Socket, to: Socket, direction: Direction): void {
    const inTime = createLine(() => lagMillis);
    const write = (bytes: Buffer) => {
      if (!to.destroyed && !to.write(bytes)) from.pause();
    };
    from.on('data', (bytes) => {
      const watch = watches.size > 0 ? watchFor(direction, bytes) : undefined;
      if (watch) {
        watches.delete(watch);
        watch.meet();
        from.destroy();
      } else inTime(() => write(bytes));
    });
    to.on('drain', () => {
      if (!isHeld) from.resume();
    });
    from.on('end', () => inTime(() => to.end()));
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.on('error', () => to.destroy());
    sockets.add(from);
    if (isHeld) from.pause();
  }

  const server = createServer((client) => {
    client.setNoDelay(true);
    if (isShut) return void client.destroy();
    const upstream = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    pass(client, upstream, 'request');
    pass(upstream, client, 'answer');
  });
  const port = await listen(server);

  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    cut,
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    slow(millis) {
      lagMillis = millis;
    },
    shut() {
      isShut = true;
      cut();
    },
    open() {
      isShut = false;
      isHeld = false;
      lagMillis = 0;
      for (const socket of sockets) socket.resume();
    },
    lead(port) {
      targetPort = port;
    },
    meet(direction, pattern, meet) {
      const watch = { direction, pattern, meet };
      watches.add(watch);
      return () => void watches.delete(watch);
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
