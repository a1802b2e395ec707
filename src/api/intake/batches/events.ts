import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Reply } from '../../../http/route.ts';
import { BATCH_TERMINAL_STATUSES, type BatchRecord } from '../../../intake/batches/batches.ts';
import { Problem } from '../../../platform/problem.ts';
import { batchCounts } from './response.ts';

const LOOK_MILLIS = 500;
const HEARTBEAT_MILLIS = 15_000;
const RECONNECT_MILLIS = 2000;
const MOST_STREAMS = 20;

/** Of the last event: who knows it needs no other. */
const endIdOf = ({ revision }: BatchRecord): string => `${revision}-end`;

function eventText(name: string, eventId: string, batch: BatchRecord): string {
  const { id, status } = batch;
  const data = JSON.stringify({ id, status, counts: batchCounts(batch) });
  return `event: ${name}\nid: ${eventId}\ndata: ${data}\n\n`;
}

/** What is seen of a change. */
const sightOf = (batch: BatchRecord): string => JSON.stringify([batch.status, batchCounts(batch)]);

/**
 * Tells of a batch until it ends, its client goes or the server shuts down.
 * @param read the batch as it is now; nothing where it is gone
 * @param lastSeen the id of the event that the client had last
 */
async function* eventsOf(
  read: () => Promise<BatchRecord | undefined>,
  lastSeen: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MILLIS}\n\n`;
  let sight: string | undefined;
  let quietSince = Date.now();
  for (let batch = await read(); batch && !signal.aborted; batch = await read()) {
    const isNew =
      sight === undefined ? String(batch.revision) !== lastSeen : sightOf(batch) !== sight;
    sight = sightOf(batch);
    if (isNew) {
      yield eventText('progress', String(batch.revision), batch);
      quietSince = Date.now();
    }
    if (BATCH_TERMINAL_STATUSES.includes(batch.status)) {
      yield eventText('completed', endIdOf(batch), batch);
      return;
    }
    if (Date.now() - quietSince >= HEARTBEAT_MILLIS) {
      yield ': still here\n\n';
      quietSince = Date.now();
    }
    await sleep(LOOK_MILLIS, undefined, { signal }).catch(() => {}); // aborted: seen at once
  }
}

/** Streams of events, so many of a client at a time in this process. */
export function createBatchEvents() {
  const open = new Map<string, number>();
  const count = (client: string, step: 1 | -1): void => {
    const now = (open.get(client) ?? 0) + step;
    if (now > 0) open.set(client, now);
    else open.delete(client);
  };

  return {
    /**
     * The answer to who wants to hear of a batch.
     * @throws Problem rate-limit-exceeded
     */
    listen(
      batch: BatchRecord,
      call: Pick<Call, 'headers' | 'signal' | 'closing'>,
      read: () => Promise<BatchRecord | undefined>,
    ): Reply {
      const { client } = batch;
      const lastSeen = call.headers['last-event-id'];
      const hasEnded = BATCH_TERMINAL_STATUSES.includes(batch.status);
      // The one answer after which a browser does not connect again.
      if (hasEnded && lastSeen === endIdOf(batch)) return { status: 204 };
      if ((open.get(client) ?? 0) >= MOST_STREAMS) {
        const detail = `A client may listen to ${MOST_STREAMS} batches at a time`;
        throw new Problem('rate-limit-exceeded', detail, { headers: { 'retry-after': '2' } });
      }
      const signal = AbortSignal.any([call.signal, call.closing]);
      const seen = typeof lastSeen === 'string' ? lastSeen : undefined;
      const body = Readable.from(eventsOf(read, seen, signal), { objectMode: false });
      count(client, 1);
      body.once('close', () => count(client, -1));
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'private, no-store',
        'x-accel-buffering': 'no',
      };
      return { headers, body };
    },
  };
}
