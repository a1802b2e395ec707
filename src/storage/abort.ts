import { addAbortSignal, type Readable } from 'node:stream';

/**
 * Runs the work unless the signal is aborted. Once it is aborted, rejects with its reason instead of the
 * error that the abort caused.
 */
export async function withAbort<T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Destroys a stream when a signal is aborted. Adds an `error` listener: an error before the first read would
 * otherwise end the process. The reader of the stream still gets it.
 */
export function abortable(stream: Readable, signal: AbortSignal | undefined): Readable {
  stream.on('error', () => {});
  return signal ? addAbortSignal(signal, stream) : stream;
}
