import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { checkMediaType } from './answer.ts';
import type { BatchCounts, Progress } from './contract.ts';
import { clientError } from './error.ts';
import type { CallOptions } from './interface.ts';
import { resumed, textOf } from './stream.ts';
import type { Transport } from './transport.ts';

/** What a stream has told besides its events, kept when it is opened again. */
interface Place {
  lastEventId?: string;
  /** How long the service wants a client to wait before it comes back, milliseconds. */
  reconnectMillis?: number;
}

/** Server-sent events of one connection. */
async function* messagesOf(
  pieces: AsyncIterable<Uint8Array>,
  place: Place,
  heard: () => void,
): AsyncGenerator<EventSourceMessage> {
  const come: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => void come.push(message),
    onComment: heard,
    onRetry(millis) {
      place.reconnectMillis = millis;
    },
  });
  for await (const text of textOf(pieces)) {
    parser.feed(text);
    for (const message of come.splice(0)) {
      heard();
      if (message.id !== undefined) place.lastEventId = message.id;
      yield message;
    }
  }
}

function readProgress({ event, data }: EventSourceMessage): Progress | undefined {
  if (event !== 'progress' && event !== 'completed') return undefined;
  try {
    const told: { id: string; status: Progress['status']; counts: BatchCounts } = JSON.parse(data);
    return { event, ...told };
  } catch (cause) {
    throw clientError('damaged-answer', 'An event is not JSON', { cause });
  }
}

/** Progress to the end. A stream that ends before is opened again after the event that came last. */
export function progressOf(
  transport: Transport,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<Progress> {
  const place: Place = {};

  async function* open(caller: AbortSignal, heard: () => void): AsyncGenerator<Progress> {
    const headers = {
      accept: 'text/event-stream',
      ...(place.lastEventId !== undefined && { 'last-event-id': place.lastEventId }),
    };
    const { response, pieces, close } = await transport.stream(
      { method: 'GET', path, headers },
      caller,
    );
    try {
      if (response.status === 204) return;
      checkMediaType(response, ['text/event-stream']);
      for await (const message of messagesOf(pieces, place, heard)) {
        const progress = readProgress(message);
        if (progress) yield progress;
        if (progress?.event === 'completed') return;
      }
    } finally {
      close();
    }
    const retryAfterSeconds = (place.reconnectMillis ?? 0) / 1000;
    throw clientError('connection-failed', 'The events broke off', { retryAfterSeconds });
  }

  return resumed(transport, options, open);
}
