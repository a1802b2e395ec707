import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Reply } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import { BATCH_TERMINAL_STATUSES, batchCounts } from '../../../intake/batches/batch-record.ts';
import { ClientLimit } from '../client-limit.ts';

const POLL_MILLIS = 500;
const HEARTBEAT_MILLIS = 15_000;
const RECONNECT_MILLIS = 2000;
const MAX_STREAMS_PER_CLIENT = 20;

/** Returns the id of the last event: a client that has it needs no other. */
const finalEventId = ({ revision }: BatchRecord): string => `${revision}-end`;

/** Returns the counts that events report; a change in them is worth an event. */
type CountEvents = (batch: BatchRecord) => Readonly<Record<string, number>>;

function formatEvent(name: string, eventId: string, batch: BatchRecord, counts: object): string {
  const { id, status } = batch;
  const data = JSON.stringify({ id, status, counts });
  return `event: ${name}\nid: ${eventId}\ndata: ${data}\n\n`;
}

/**
 * Reports progress of a batch until it ends, the key is revoked, the client disconnects or the server shuts down.
 * @param read returns the current batch, or undefined if it no longer exists
 * @param countsOf returns the counts to report
 * @param isAllowed returns whether the caller may still read it
 * @param lastEventId the id of the last event that the client received
 */
async function* streamEvents(
  read: () => Promise<BatchRecord | undefined>,
  countsOf: CountEvents,
  isAllowed: () => Promise<boolean>,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: ${RECONNECT_MILLIS}\n\n`;
  let snapshot: string | undefined;
  let lastSentAt = performance.now();
  for (let batch = await read(); batch && !signal.aborted; batch = await read()) {
    if (!(await isAllowed())) return;
    const counts = countsOf(batch);
    const current = JSON.stringify([batch.status, counts]);
    const hasChanged =
      snapshot === undefined ? String(batch.revision) !== lastEventId : current !== snapshot;
    snapshot = current;
    if (hasChanged) {
      yield formatEvent('progress', String(batch.revision), batch, counts);
      lastSentAt = performance.now();
    }
    if (BATCH_TERMINAL_STATUSES.includes(batch.status)) {
      yield formatEvent('completed', finalEventId(batch), batch, counts);
      return;
    }
    if (performance.now() - lastSentAt >= HEARTBEAT_MILLIS) {
      yield ': still here\n\n';
      lastSentAt = performance.now();
    }
    await sleep(POLL_MILLIS, undefined, { signal }).catch(() => {}); // aborted: the loop ends
  }
}

/** The streams of events of this process. */
export class BatchEvents {
  readonly #limit = new ClientLimit(
    MAX_STREAMS_PER_CLIENT,
    `A client may listen to ${MAX_STREAMS_PER_CLIENT} batches and runs at a time`,
  );

  /**
   * Responds with the events of a batch.
   * @param countsOf returns the counts to report, by default those of its rows
   * @throws Problem rate-limit-exceeded
   */
  async listen(
    batch: BatchRecord,
    call: Pick<Call, 'headers' | 'checkAccess' | 'signal' | 'closing'>,
    read: () => Promise<BatchRecord | undefined>,
    countsOf: CountEvents = batchCounts,
  ): Promise<Reply> {
    const sent = call.headers['last-event-id'];
    const lastEventId = typeof sent === 'string' ? sent : undefined;
    const hasEnded = BATCH_TERMINAL_STATUSES.includes(batch.status);
    // 204 is the only response after which a browser does not reconnect.
    if (hasEnded && lastEventId === finalEventId(batch)) return { status: 204 };
    const signal = AbortSignal.any([call.signal, call.closing]);
    const isAllowed = () =>
      call.checkAccess().then(
        () => true,
        () => false,
      );
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
    };
    return this.#limit.stream(batch.client, () => {
      const events = streamEvents(read, countsOf, isAllowed, lastEventId, signal);
      return { headers, body: Readable.from(events, { objectMode: false }) };
    });
  }
}
