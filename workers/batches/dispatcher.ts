import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_RUNNING_STATUSES, type BatchRecord } from '../../src/intake/batches/batch-record.ts';
import type { Batches } from '../../src/intake/batches/batches.ts';
import type { WorkerServices } from '../worker-services.ts';
import type { Ending } from './complete.ts';
import { cancelBatch, completeBatch, requeueLostRows, writeFullChunks } from './complete.ts';
import { Window } from './window.ts';

/**
 * Rows of one client in the queue or at workers: as many as one worker fetches and lets wait at once (`FetchPool`). It
 * would send back more, which costs Redis and both processes as much as the row itself.
 */
const MIN_ROWS = 12;
const MIN_PER_SLOT = 3;
/** If rows are done as soon as they are queued, because nothing has changed: enough until the next tick. */
const MAX_ROWS = 32;
const MAX_PER_SLOT = 8;

/** Returns the smallest and the largest limit. @param slots images that all live workers process at once */
export const rowLimitBounds = (slots: number): { min: number; max: number } => ({
  min: Math.max(MIN_ROWS, MIN_PER_SLOT * slots),
  max: Math.max(MAX_ROWS, MAX_PER_SLOT * slots),
});

/** Limits how many rows of each client are queued or at workers. */
export class RowLimits {
  #limits: ReadonlyMap<string, number> = new Map();

  /** Doubles a limit that was used up since the last tick, and halves one that was not. */
  #adapt(client: string, inFlight: number): number {
    const limit = this.#limits.get(client);
    if (limit === undefined) return 0;
    if (inFlight < limit / 4) return limit * 2;
    return inFlight > limit / 2 ? limit / 2 : limit;
  }

  /** Returns the limits of this tick. Clients without rows in progress are forgotten. */
  next(inFlight: ReadonlyMap<string, number>, slots: number): ReadonlyMap<string, number> {
    const { min, max } = rowLimitBounds(slots);
    this.#limits = new Map(
      [...inFlight].map(([client, rows]) => [
        client,
        Math.min(max, Math.max(min, this.#adapt(client, rows))),
      ]),
    );
    return this.#limits;
  }
}

/** How often all batches are read: one that has not started may have been canceled. */
const FULL_READ_MILLIS = 2000;

/**
 * Reads the batches in progress, the longest sealed first: all that have started, and the next ones of each
 * client. A client may have thousands that have not, and reading all of them at every tick is too slow.
 */
export class BatchReader {
  readonly #batches;
  /** The client of each batch that had not started when it was read. */
  readonly #unstarted = new Map<string, string>();
  #fullReadAt = Number.NEGATIVE_INFINITY;

  constructor(batches: Pick<Batches, 'underWay' | 'get'>) {
    this.#batches = batches;
  }

  /** Returns the batches that may have started, and the first unstarted ones of each client. */
  #select(ids: readonly string[], nextPerClient: number): string[] {
    const counts = new Map<string, number>();
    return ids.filter((id) => {
      const client = this.#unstarted.get(id);
      if (client === undefined) return true;
      const count = (counts.get(client) ?? 0) + 1;
      counts.set(client, count);
      return count <= nextPerClient;
    });
  }

  /** @param nextPerClient unstarted batches to read of each client; not called if there are no batches */
  async read(nextPerClient: () => Promise<number>): Promise<BatchRecord[]> {
    const ids = await this.#batches.underWay();
    if (ids.length === 0) return [];
    if (performance.now() - this.#fullReadAt >= FULL_READ_MILLIS) {
      this.#unstarted.clear();
      this.#fullReadAt = performance.now();
    }
    const selected = this.#select(ids, await nextPerClient());
    const records = await Promise.all(selected.map((id) => this.#batches.get(id)));
    const existing = records.filter((record) => record !== undefined);
    for (const { id, client, status } of existing) {
      if (status === 'sealed') this.#unstarted.set(id, client);
      else this.#unstarted.delete(id);
    }
    return existing;
  }
}

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
  reader: BatchReader;
}

const inFlight = ({ issued, succeeded, failed }: BatchRecord): number =>
  issued - succeeded - failed;

/** Groups batches by client, in order. */
function byClient(batches: readonly BatchRecord[]): Map<string, BatchRecord[]> {
  const clients = new Map<string, BatchRecord[]>();
  for (const batch of batches)
    clients.set(batch.client, [...(clients.get(batch.client) ?? []), batch]);
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
  const { window, reader } = dispatching;
  let slots = 0;
  const batches = await reader.read(async () => {
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

/** Dispatches while this worker holds the lease. */
export function startDispatcher(worker: WorkerServices, feedRuns: Ending['feedRuns']) {
  const { batches, log } = worker;
  const dispatching: Dispatching = {
    ...worker,
    feedRuns,
    window: new Window(worker),
    rowLimits: new RowLimits(),
    reader: new BatchReader(batches),
    allSlots: cached(worker.allSlots, SLOTS_MILLIS),
  };
  const lease = batches.dispatchLease();
  const stopping = new AbortController();
  const holdsLease = cached(() => lease.acquire(LEASE_MILLIS), RENEW_MILLIS);

  /** Runs one tick and returns the delay before the next, ms. */
  async function tick(): Promise<number> {
    if (!(await holdsLease())) return ACQUIRE_MILLIS;
    return (await dispatch(dispatching)) > 0 ? TICK_MILLIS : IDLE_TICK_MILLIS;
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

  return {
    requeueLostRows: (batch: BatchRecord) => requeueLostRows(dispatching, batch),
    async close(): Promise<void> {
      stopping.abort();
      await running;
      await lease.release();
    },
  };
}
