import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ProgressUpdate } from './contract.ts';
import { clientError } from './error.ts';
import type { CallOptions } from './interface.ts';
import { checkMediaType, parseJson } from './response.ts';
import { decodeText, resumable } from './stream.ts';
import type { Transport } from './transport.ts';

/** What a stream says besides its events; needed to reconnect. */
interface StreamState {
  lastEventId?: string;
  /** How long the service wants a client to wait before it reconnects, milliseconds. */
  reconnectMillis?: number;
}

/** Yields the server-sent events of one connection. */
async function* parseMessages(
  chunks: AsyncIterable<Uint8Array>,
  state: StreamState,
  onProgress: () => void,
): AsyncGenerator<EventSourceMessage> {
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => void parsed.push(message),
    onComment: onProgress,
    onRetry(millis) {
      state.reconnectMillis = millis;
    },
  });
  for await (const text of decodeText(chunks)) {
    parser.feed(text);
    for (const message of parsed.splice(0)) {
      onProgress();
      if (message.id !== undefined) state.lastEventId = message.id;
      yield message;
    }
  }
}

function parseProgress<Update extends ProgressUpdate>({
  event,
  data,
}: EventSourceMessage): Update | undefined {
  if (event !== 'progress' && event !== 'completed') return undefined;
  return { ...parseJson<Update>(data, 'An event is not JSON'), event };
}

/** Yields progress until the end. Reopens a stream that ends early, after the last event received. */
export function followProgress<Update extends ProgressUpdate>(
  transport: Transport,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<Update> {
  const state: StreamState = {};

  async function* open(signal: AbortSignal, onProgress: () => void): AsyncGenerator<Update> {
    const headers = {
      accept: 'text/event-stream',
      ...(state.lastEventId !== undefined && { 'last-event-id': state.lastEventId }),
    };
    const { response, chunks, close } = await transport.stream(
      { method: 'GET', path, headers },
      signal,
    );
    try {
      if (response.status === 204) return;
      checkMediaType(response, ['text/event-stream']);
      for await (const message of parseMessages(chunks, state, onProgress)) {
        const progress = parseProgress<Update>(message);
        if (progress) yield progress;
        if (progress?.event === 'completed') return;
      }
    } finally {
      close();
    }
    const retryAfterSeconds = (state.reconnectMillis ?? 0) / 1000;
    throw clientError('connection-failed', 'The event stream broke off', { retryAfterSeconds });
  }

  return resumable(transport, options, open);
}
