import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_RUNNING_STATUSES, type BatchRecord } from '../../src/intake/batches/batch-record.ts';
import type { WorkerServices } from '../worker-services.ts';
import type { BatchReader } from './batch-reader.ts';
import { cancelBatch, completeBatch, type Ending, writeFullChunks } from './complete.ts';
import { type RowLimits, rowLimitBounds } from './row-limits.ts';
import type { Window } from './window.ts';

const LEASE_MILLIS = 2000;
/** How often the holder of the lease dispatches, and how often the others try to acquire it. */
const TICK_MILLIS = 50;
/** Without a batch: seldom, since waking up costs an idle host CPU time. */
const IDLE_TICK_MILLIS = 250;
const ACQUIRE_MILLIS = 500;
/** How long a dispatcher counts on a lease that it has acquired, and on the number of slots. */
const RENEW_MILLIS = 400;
const SLOTS_MILLIS = 1000;
/** Rows of one client queued in a row, before the next client's. */
const ROUND_ROBIN_ROWS = 8;

export interface Dispatching extends Ending, Pick<WorkerServices, 'allSlots' | 'log'> {
  window: Window;
  rowLimits: RowLimits;
  readBatches: BatchReader;
}

const inFlight = ({ issued, succeeded, failed }: BatchRecord): number =>
  issued - succeeded - failed;

/** Groups batches by client, in order. */
function byClient(batches: readonly BatchRecord[]): Map<string, BatchRecord[]> {
  const clients = new Map<string, BatchRecord[]>();
  for (const batch of batches) {
    clients.set(batch.client, [...(clients.get(batch.client) ?? []), batch]);
  }
  return clients;
}

/**
 * Queues rows round-robin by client, until each client has as many in flight as it may. A client with few rows does
 * not wait for all rows of a client with many.
 */
async function enqueueFairly(
  { window, rowLimits }: Pick<Dispatching, 'window' | 'rowLimits'>,
  batches: readonly BatchRecord[],
  slots: number,
): Promise<void> {
  const queues = byClient(batches);
  const rows = new Map(
    [...queues].map(([client, queue]) => [client, queue.map(inFlight).reduce((a, b) => a + b, 0)]),
  );
  const limits = rowLimits.next(rows, slots);
  let clients = [...queues].map(([client, queue]) => ({
    queue: [...queue],
    capacity: (limits.get(client) ?? 0) - (rows.get(client) ?? 0),
  }));
  while (clients.length > 0) {
    for (const client of clients) {
      const [batch] = client.queue;
      if (!batch) continue;
      const count = Math.min(ROUND_ROBIN_ROWS, client.capacity);
      const { issued, cursor } = await window.enqueueRows(batch, count);
      const isAtEnd = issued === 0 && cursor.chunk === batch.cursor.chunk;
      if (isAtEnd) client.queue.shift();
      else client.queue[0] = { ...batch, cursor };
      client.capacity -= issued;
    }
    clients = clients.filter(({ queue, capacity }) => queue.length > 0 && capacity > 0);
  }
}

/**
 * One tick: writes full chunks, ends batches that are done or canceled, and queues further rows.
 * @returns how many batches are not ended
 */
export async function dispatch(dispatching: Dispatching): Promise<number> {
  const { window, readBatches } = dispatching;
  let slots = 0;
  const batches = await readBatches(async () => {
    slots = await dispatching.allSlots();
    return rowLimitBounds(slots).max;
  });
  window.retainOnly(new Set(batches.map(({ id }) => id)));
  for (const batch of batches) {
    if (batch.status === 'finalizing') await completeBatch(dispatching, batch);
    else if (batch.status === 'canceling') await cancelBatch(dispatching, batch);
    else if (batch.status === 'running') await writeFullChunks(dispatching, batch);
  }
  const running = batches.filter(({ status }) => BATCH_RUNNING_STATUSES.includes(status));
  await enqueueFairly(dispatching, running, slots);
  return batches.length;
}

/** Returns a function that reads a value, and returns the same one for some time. */
function cached<T>(read: () => Promise<T>, millis: number): () => Promise<T> {
  let value: Promise<T> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (value && performance.now() - readAt < millis) return value;
    readAt = performance.now();
    const reading = read();
    // An error is not cached.
    reading.catch(() => {
      if (value === reading) value = undefined;
    });
    value = reading;
    return reading;
  };
}

/** Dispatches while this worker holds the lease. Returns a function that stops it. */
export function startDispatcher(dispatching: Dispatching): () => Promise<void> {
  const { batches, log } = dispatching;
  const holder = randomUUID();
  const stopping = new AbortController();
  const cachedSlots = { ...dispatching, allSlots: cached(dispatching.allSlots, SLOTS_MILLIS) };
  const holdsLease = cached(() => batches.acquireDispatchLease(holder, LEASE_MILLIS), RENEW_MILLIS);

  /** Runs one tick and returns the delay before the next, ms. */
  async function tick(): Promise<number> {
    if (!(await holdsLease())) return ACQUIRE_MILLIS;
    return (await dispatch(cachedSlots)) > 0 ? TICK_MILLIS : IDLE_TICK_MILLIS;
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const delayMillis = await tick().catch((error) => {
        log.warn({ reason: error.message }, 'batches not dispatched');
        return ACQUIRE_MILLIS;
      });
      await sleep(delayMillis, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();

  return async () => {
    stopping.abort();
    await running;
    await batches.releaseDispatchLease(holder).catch(() => {}); // it expires by itself
  };
}
