import { clientError } from './error.ts';
import type { CallOptions } from './interface.ts';
import { timeLimit, waitToRepeat } from './retry.ts';
import type { Transport } from './transport.ts';

/**
 * Yields what `open` yields, and opens again where the connection breaks.
 * @param open begins where the last one ended; calls `heard` when something came, which makes the
 *   next failure the first one again
 */
export async function* resumed<T>(
  { policy }: Transport,
  { signal, timeoutMillis }: CallOptions,
  open: (signal: AbortSignal, heard: () => void) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const limit = timeoutMillis === undefined ? undefined : timeLimit(timeoutMillis);
  const signals = [signal, limit?.signal].filter((each) => each !== undefined);
  const caller = AbortSignal.any(signals);
  try {
    for (let attempt = 1; ; attempt++) {
      caller.throwIfAborted();
      const heard = () => {
        attempt = 1;
      };
      try {
        return yield* open(caller, heard);
      } catch (error) {
        await waitToRepeat(error, attempt, policy, caller);
      }
    }
  } finally {
    limit?.end();
  }
}

/** Pieces of text, characters whole. @throws SelvageError `damaged-answer` where it is not UTF-8 */
export async function* textOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (cause) {
      throw clientError('damaged-answer', 'The answer is not UTF-8', { cause });
    }
  };
  for await (const piece of pieces) yield decode(piece);
  yield decode();
}

function parseLine<T>(line: string): T {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw clientError('damaged-answer', 'A line of the answer is not JSON', { cause });
  }
}

/** The values of NDJSON as they come. @throws SelvageError `damaged-answer` */
export async function* jsonLines<T>(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  let held = '';
  for await (const text of textOf(pieces)) {
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) if (line) yield parseLine(line);
  }
  if (held) throw clientError('damaged-answer', 'The answer ends within a line');
}
