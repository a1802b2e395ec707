import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_RUNNING_STATUSES, type BatchRecord } from '../../src/intake/batches/batches.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { BatchReader } from './batch-reader.ts';
import { type BatchEndDeps, cancelBatch, completeBatch, writeFullChunks } from './complete.ts';
import type { Window } from './window.ts';

const LEASE_MILLIS = 2000;
/** How often the holder of the lease dispatches, and how often the others try to acquire it. */
const TICK_MILLIS = 50;
const ACQUIRE_MILLIS = 500;
/** Rows of one client in the queue at a time: enough that no worker waits for the next tick. */
const MIN_WINDOW = 32;
const WINDOW_PER_SLOT = 8;
/** Rows of one client queued in a row, before the next client's. */
const ROUND_ROBIN_ROWS = 8;

export interface DispatcherDeps extends BatchEndDeps {
  window: Window;
  readBatches: BatchReader;
  /** Images that all live workers process at once. */
  slots(): Promise<number>;
  log: Logger;
}

const inFlight = ({ issued, succeeded, failed }: BatchRecord): number =>
  issued - succeeded - failed;

/** Groups batches by client, in order. */
function byClient(batches: readonly BatchRecord[]): BatchRecord[][] {
  const clients = new Map<string, BatchRecord[]>();
  for (const batch of batches) {
    clients.set(batch.client, [...(clients.get(batch.client) ?? []), batch]);
  }
  return [...clients.values()];
}

/**
 * Queues rows round-robin by client, until each client has `maxRows` in flight. A client with few rows does
 * not wait for all rows of a client with many.
 */
async function enqueueFairly(
  window: Pick<Window, 'enqueueRows'>,
  batches: readonly BatchRecord[],
  maxRows: number,
): Promise<void> {
  let clients = byClient(batches).map((queue) => ({
    queue: [...queue],
    capacity: maxRows - queue.map(inFlight).reduce((a, b) => a + b, 0),
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

/** One tick: writes full chunks, ends batches that are done or canceled, and queues further rows. */
export async function dispatch(deps: DispatcherDeps): Promise<void> {
  const { window, readBatches } = deps;
  let maxRows = MIN_WINDOW;
  const batches = await readBatches(async () => {
    maxRows = Math.max(MIN_WINDOW, WINDOW_PER_SLOT * (await deps.slots()));
    return maxRows;
  });
  window.retainOnly(new Set(batches.map(({ id }) => id)));
  for (const batch of batches) {
    if (batch.status === 'finalizing') await completeBatch(deps, batch);
    else if (batch.status === 'canceling') await cancelBatch(deps, batch);
    else if (batch.status === 'running') await writeFullChunks(deps, batch);
  }
  const running = batches.filter(({ status }) => BATCH_RUNNING_STATUSES.includes(status));
  await enqueueFairly(window, running, maxRows);
}

/** Dispatches while this worker holds the lease. Returns a function that stops it. */
export function startDispatcher(deps: DispatcherDeps): () => Promise<void> {
  const { batches, log } = deps;
  const holder = randomUUID();
  const stopping = new AbortController();

  /** Runs one tick and returns the delay before the next, ms. */
  async function tick(): Promise<number> {
    if (!(await batches.acquireDispatchLease(holder, LEASE_MILLIS))) return ACQUIRE_MILLIS;
    await dispatch(deps);
    return TICK_MILLIS;
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
