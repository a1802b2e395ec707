import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';

/** How often all batches are read: one that has not begun may be called off. */
const ALL_MILLIS = 2000;

/**
 * Reads the batches that are under way, the longest sealed first: all that have begun, and of each client the
 * next ones that have not. A client may have thousands of those, and every beat would read them all.
 */
export function createBatchReader(batches: Pick<Batches, 'underWay' | 'get'>) {
  /** Whose the batches are that had not begun when they were read. */
  const clientOf = new Map<string, string>();
  let allReadAt = Number.NEGATIVE_INFINITY;

  /** Lets one pass that may have begun, and those of its client that come first. */
  function isNear(nextOfEach: number): (id: string) => boolean {
    const counts = new Map<string, number>();
    return (id) => {
      const client = clientOf.get(id);
      if (client === undefined) return true;
      const count = (counts.get(client) ?? 0) + 1;
      counts.set(client, count);
      return count <= nextOfEach;
    };
  }

  /** @param nextOfEach how many of each client; not asked where there are none at all */
  return async (nextOfEach: () => Promise<number>): Promise<BatchRecord[]> => {
    const ids = await batches.underWay();
    if (ids.length === 0) return [];
    if (performance.now() - allReadAt >= ALL_MILLIS) {
      clientOf.clear();
      allReadAt = performance.now();
    }
    const near = ids.filter(isNear(await nextOfEach()));
    const read = (await Promise.all(near.map((id) => batches.get(id)))).filter((one) => !!one);
    for (const { id, client, status } of read) {
      if (status === 'sealed') clientOf.set(id, client);
      else clientOf.delete(id);
    }
    return read;
  };
}

export type BatchReader = ReturnType<typeof createBatchReader>;
