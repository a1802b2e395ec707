import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Reply } from '../../../http/route.ts';
import { BATCH_TERMINAL_STATUSES, type BatchRecord } from '../../../intake/batches/batches.ts';
import { Problem } from '../../../platform/problem.ts';
import { batchCounts } from './response.ts';

const POLL_MILLIS = 500;
const HEARTBEAT_MILLIS = 15_000;
const RECONNECT_MILLIS = 2000;
const MAX_STREAMS_PER_CLIENT = 20;

/** Returns the id of the last event: a client that has it needs no other. */
const finalEventId = ({ revision }: BatchRecord): string => `${revision}-end`;

function formatEvent(name: string, eventId: string, batch: BatchRecord): string {
  const { id, status } = batch;
  const data = JSON.stringify({ id, status, counts: batchCounts(batch) });
  return `event: ${name}\nid: ${eventId}\ndata: ${data}\n\n`;
}

/** The part of a batch that events report; a change in it is worth an event. */
const snapshotOf = (batch: BatchRecord): string =>
  JSON.stringify([batch.status, batchCounts(batch)]);

/**
 * Reports progress of a batch until it ends, the key is revoked, the client disconnects or the server
 * shuts down.
 * @param read returns the current batch, or undefined if it no longer exists
 * @param isAllowed returns whether the caller may still read it
 * @param lastEventId the id of the last event that the client received
 */
async function* streamEvents(
  read: () => Promise<BatchRecord | undefined>,
  isAllowed: () => Promise<boolean>,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MILLIS}\n\n`;
  let snapshot: string | undefined;
  let lastSentAt = performance.now();
  for (let batch = await read(); batch && !signal.aborted; batch = await read()) {
    if (!(await isAllowed())) return;
    const hasChanged =
      snapshot === undefined
        ? String(batch.revision) !== lastEventId
        : snapshotOf(batch) !== snapshot;
    snapshot = snapshotOf(batch);
    if (hasChanged) {
      yield formatEvent('progress', String(batch.revision), batch);
      lastSentAt = performance.now();
    }
    if (BATCH_TERMINAL_STATUSES.includes(batch.status)) {
      yield formatEvent('completed', finalEventId(batch), batch);
      return;
    }
    if (performance.now() - lastSentAt >= HEARTBEAT_MILLIS) {
      yield ': still here\n\n';
      lastSentAt = performance.now();
    }
    await sleep(POLL_MILLIS, undefined, { signal }).catch(() => {}); // aborted: the loop ends
  }
}

/** Creates server-sent event streams, with a limit per client and process. */
export function createBatchEvents() {
  const open = new Map<string, number>();
  const count = (client: string, step: 1 | -1): void => {
    const streams = (open.get(client) ?? 0) + step;
    if (streams > 0) open.set(client, streams);
    else open.delete(client);
  };

  return {
    /**
     * Responds with the events of a batch.
     * @throws Problem rate-limit-exceeded
     */
    listen(
      batch: BatchRecord,
      call: Pick<Call, 'headers' | 'checkAccess' | 'signal' | 'closing'>,
      read: () => Promise<BatchRecord | undefined>,
    ): Reply {
      const { client } = batch;
      const sent = call.headers['last-event-id'];
      const lastEventId = typeof sent === 'string' ? sent : undefined;
      const hasEnded = BATCH_TERMINAL_STATUSES.includes(batch.status);
      // 204 is the only response after which a browser does not reconnect.
      if (hasEnded && lastEventId === finalEventId(batch)) return { status: 204 };
      if ((open.get(client) ?? 0) >= MAX_STREAMS_PER_CLIENT) {
        const detail = `A client may listen to ${MAX_STREAMS_PER_CLIENT} batches at a time`;
        throw new Problem('rate-limit-exceeded', detail, { headers: { 'retry-after': '2' } });
      }
      const signal = AbortSignal.any([call.signal, call.closing]);
      const isAllowed = () =>
        call.checkAccess().then(
          () => true,
          () => false,
        );
      const events = streamEvents(read, isAllowed, lastEventId, signal);
      const body = Readable.from(events, { objectMode: false });
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
