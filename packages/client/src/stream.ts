import { clientError } from './error.ts';
import type { CallOptions, FileDownload } from './interface.ts';
import { mediaTypeOf, requestIdOf } from './problem.ts';
import { parseJson } from './response.ts';
import { startTimeLimit, waitToRetry } from './retry.ts';
import type { HttpRequest, Transport } from './transport.ts';

/**
 * Yields what `open` yields, and opens again if the connection breaks.
 * @param open continues after the last value; calls `onProgress` when something arrives, which
 *   resets the count of attempts
 */
export async function* resumable<T>(
  { policy }: Transport,
  { signal, timeoutMillis }: CallOptions,
  open: (signal: AbortSignal, onProgress: () => void) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const limit = timeoutMillis === undefined ? undefined : startTimeLimit(timeoutMillis);
  const signals = [signal, limit?.signal].filter((each) => each !== undefined);
  const stop = AbortSignal.any(signals);
  try {
    for (let attempt = 1; ; attempt++) {
      stop.throwIfAborted();
      const onProgress = () => {
        attempt = 1;
      };
      try {
        return yield* open(stop, onProgress);
      } catch (error) {
        await waitToRetry(error, attempt, policy, stop);
      }
    }
  } finally {
    limit?.clear();
  }
}

/** Decodes UTF-8 without splitting characters. @throws SelvageError `damaged-answer` */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw clientError('damaged-answer', 'The response is not UTF-8', { cause });
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** Yields the values of NDJSON as they arrive. @throws SelvageError `damaged-answer` */
export async function* parseJsonLines<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  let rest = '';
  for await (const text of decodeText(chunks)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) yield parseJson(line, 'A line of the response is not JSON');
  }
  if (rest) throw clientError('damaged-answer', 'The response ends within a line');
}

/** Opens a download, with retries. A download that breaks off later must be started again. */
export function download(
  { withRetries, stream }: Transport,
  request: HttpRequest,
  options: CallOptions = {},
) {
  const never = new AbortController().signal;
  return withRetries(options, () => stream(request, options.signal ?? never));
}

const FILE_NAME = /filename="([^"]*)"/;

/** Opens the download of a file. */
export async function openFile(
  transport: Transport,
  path: string,
  query: HttpRequest['query'],
  options?: CallOptions,
): Promise<FileDownload> {
  const { response, chunks } = await download(transport, { method: 'GET', path, query }, options);
  return {
    mediaType: mediaTypeOf(response),
    fileName: FILE_NAME.exec(response.headers.get('content-disposition') ?? '')?.[1],
    body: chunks,
    requestId: requestIdOf(response),
  };
}
