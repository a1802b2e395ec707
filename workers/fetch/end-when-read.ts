import { AssertionError } from 'node:assert';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How soon it is noticed that a reader went on. */
const RETRY_MILLIS = 20;

type Emit = (event: string, ...args: unknown[]) => boolean;

/** Undici takes this code for the end of a response without a length, of which the rest is lost. */
const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

/**
 * Ends a connection of undici only when its response was read, and fails a response whose connection is reset. If a
 * server closes the connection while a response waits for its reader, undici's listener throws an `AssertionError`,
 * which nothing could catch: the process would end (docs/adr/0073-connections-end-when-read.md).
 * @param socket with `allowHalfOpen`, else it closes by itself after its end
 */
export function endWhenRead(socket: Socket): void {
  const emit: Emit = socket.emit.bind(socket);

  async function endLater(): Promise<void> {
    await sleep(RETRY_MILLIS);
    if (!socket.destroyed) end();
  }

  function end(): boolean {
    try {
      return emit('end');
    } catch (error) {
      if (!(error instanceof AssertionError)) throw error;
      void endLater();
      return true;
    }
  }

  const emitInstead: Emit = (event, ...args) => {
    if (event === 'end') return end();
    const [error] = args;
    if (event !== 'error' || !isReset(error)) return emit(event, ...args);
    return emit('error', new Error('The server reset the connection', { cause: error }));
  };
  socket.emit = emitInstead;
}
