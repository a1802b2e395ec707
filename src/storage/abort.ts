import { addAbortSignal, type Readable } from 'node:stream';

/**
 * Does the work unless the signal has fired; when it fires on the way, rejects with its reason,
 * whatever error the abort itself made.
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
 * Ties a stream to a signal. An error that comes before anyone reads must not end the process, as an
 * `error` event nobody listens to would; whoever reads the stream finds it.
 */
export function abortable(stream: Readable, signal: AbortSignal | undefined): Readable {
  stream.on('error', () => {});
  return signal ? addAbortSignal(signal, stream) : stream;
}
