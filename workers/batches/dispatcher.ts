import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_RUNNING_STATUSES, type BatchRecord } from '../../src/intake/batches/batches.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { BatchReader } from './batch-reader.ts';
import { type BatchEndDeps, cancel, complete, writeFullChunks } from './complete.ts';
import type { Window } from './window.ts';

const LEASE_MILLIS = 2000;
/** How often rows are handed out, and how often a worker asks whether it may. */
const BEAT_MILLIS = 50;
const ASK_MILLIS = 500;
/** Rows of one client at the workers: enough that none of them ever waits for the next. */
const LEAST_WINDOW = 32;
const WINDOW_PER_SLOT = 8;
/** Rows of one client at a time, before it is another client's turn. */
const SHARE = 8;

export interface DispatcherDeps extends BatchEndDeps {
  window: Window;
  look: BatchReader;
  /** Images that all live workers work on at once. */
  slots(): Promise<number>;
  log: Logger;
}

const inFlight = ({ issued, succeeded, failed }: BatchRecord): number =>
  issued - succeeded - failed;

/** The batches of each client, the longest sealed first. */
function byClient(batches: readonly BatchRecord[]): BatchRecord[][] {
  const clients = new Map<string, BatchRecord[]>();
  for (const batch of batches) {
    clients.set(batch.client, [...(clients.get(batch.client) ?? []), batch]);
  }
  return [...clients.values()];
}

/**
 * Hands out rows, to each client in turn, until each has as many at the workers as it may: who has
 * few rows never waits for all of those who have many.
 */
export async function handOutFairly(
  window: Pick<Window, 'handOut'>,
  batches: readonly BatchRecord[],
  most: number,
): Promise<void> {
  let line = byClient(batches).map((queue) => ({
    queue: [...queue],
    room: most - queue.map(inFlight).reduce((a, b) => a + b, 0),
  }));
  while (line.length > 0) {
    for (const client of line) {
      const [batch] = client.queue;
      if (!batch) continue;
      const share = Math.min(SHARE, client.room);
      const { issued, cursor } = await window.handOut(batch, share);
      const isAtEnd = issued === 0 && cursor.chunk === batch.cursor.chunk;
      if (isAtEnd) client.queue.shift();
      else client.queue[0] = { ...batch, cursor };
      client.room -= issued;
    }
    line = line.filter(({ queue, room }) => queue.length > 0 && room > 0);
  }
}

/** One beat: what is full is written, what is done ends, and there is always work at hand. */
export async function dispatch(deps: DispatcherDeps): Promise<void> {
  const { window, look } = deps;
  let most = LEAST_WINDOW;
  const all = await look(async () => {
    most = Math.max(LEAST_WINDOW, WINDOW_PER_SLOT * (await deps.slots()));
    return most;
  });
  window.keepOnly(new Set(all.map(({ id }) => id)));
  for (const batch of all) {
    if (batch.status === 'finalizing') await complete(deps, batch);
    else if (batch.status === 'canceling') await cancel(deps, batch);
    else if (batch.status === 'running') await writeFullChunks(deps, batch);
  }
  const working = all.filter(({ status }) => BATCH_RUNNING_STATUSES.includes(status));
  await handOutFairly(window, working, most);
}

/** Pumps while this worker has the lease. Answers how to stop. */
export function startDispatcher(deps: DispatcherDeps): () => Promise<void> {
  const { batches, log } = deps;
  const holder = randomUUID();
  const stopping = new AbortController();

  /** One beat; how long to wait before the next, ms. */
  async function beat(): Promise<number> {
    if (!(await batches.holdPump(holder, LEASE_MILLIS))) return ASK_MILLIS;
    await dispatch(deps);
    return BEAT_MILLIS;
  }
  async function beatOn(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMillis = await beat().catch((error) => {
        log.warn({ reason: error.message }, 'batches not moved');
        return ASK_MILLIS;
      });
      await sleep(waitMillis, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const beating = beatOn();

  return async () => {
    stopping.abort();
    await beating;
    await batches.dropPump(holder).catch(() => {}); // it runs out by itself
  };
}
