import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import type { Batches } from '../../src/intake/batches/batches.ts';

/** How often all batches are read: one that has not started may have been canceled. */
const FULL_READ_MILLIS = 2000;

/**
 * Reads the batches in progress, the longest sealed first: all that have started, and the next ones of each
 * client. A client may have thousands that have not, and reading all of them at every tick is too slow.
 */
export function createBatchReader(batches: Pick<Batches, 'underWay' | 'get'>) {
  /** The client of each batch that had not started when it was read. */
  const unstarted = new Map<string, string>();
  let fullReadAt = Number.NEGATIVE_INFINITY;

  /** Selects batches that may have started, and the first unstarted ones of each client. */
  function createSelector(nextPerClient: number): (id: string) => boolean {
    const counts = new Map<string, number>();
    return (id) => {
      const client = unstarted.get(id);
      if (client === undefined) return true;
      const count = (counts.get(client) ?? 0) + 1;
      counts.set(client, count);
      return count <= nextPerClient;
    };
  }

  /** @param nextPerClient unstarted batches to read of each client; not called if there are no batches */
  return async (nextPerClient: () => Promise<number>): Promise<BatchRecord[]> => {
    const ids = await batches.underWay();
    if (ids.length === 0) return [];
    if (performance.now() - fullReadAt >= FULL_READ_MILLIS) {
      unstarted.clear();
      fullReadAt = performance.now();
    }
    const selected = ids.filter(createSelector(await nextPerClient()));
    const records = await Promise.all(selected.map((id) => batches.get(id)));
    const existing = records.filter((record) => record !== undefined);
    for (const { id, client, status } of existing) {
      if (status === 'sealed') unstarted.set(id, client);
      else unstarted.delete(id);
    }
    return existing;
  };
}

export type BatchReader = ReturnType<typeof createBatchReader>;
