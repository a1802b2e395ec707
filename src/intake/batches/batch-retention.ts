import { LOOK_AFTER_MILLIS } from '../job-records.ts';
import { type BlobEraser, type Erasure, tombstoneMillis } from '../job-retention.ts';
import {
  BATCH_STATUSES,
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from './batches.ts';
import type { BatchFiles } from './row-reader.ts';
import { ResultLine } from './rows.ts';

/** What of a store is needed to keep batches no longer than they may be kept. */
export interface BatchEraser extends BlobEraser {
  files(client: string, id: string): BatchFiles;
  /** Rows, results, inputs and intent of a batch; answers how many blobs. */
  deleteAll(client: string, id: string): Promise<number>;
}

/** A batch that was never sealed ends by being too old. */
const EXPIRING = ['open', ...BATCH_TERMINAL_STATUSES] as const;

/**
 * Keeps what a batch left as long as it may be kept, and no longer. Every deed may be cut off and done
 * again: a tombstone comes first, cut-outs go while the results still name them, and the rest last.
 */
export function createBatchRetention(batches: Batches, bin: BatchEraser) {
  async function discard(key: string): Promise<number> {
    const isThere = (await bin.head(key)) !== undefined;
    await bin.delete(key);
    return isThere ? 1 : 0;
  }

  /** Deletes the cut-outs that the results of one chunk name; those of a feed stay with the feed. */
  async function clearChunk({ id, client, kind }: BatchRecord, chunk: number): Promise<number> {
    if (kind === 'feed-run') return 0;
    const written = await bin.files(client, id).results(chunk);
    const open = await batches.results(id, chunk);
    let deleted = 0;
    for (const line of [...written, ...open]) {
      const result = ResultLine.parse(line);
      const key = result.status === 'succeeded' ? result.results.cutout?.key : undefined;
      if (key) deleted += await discard(key);
    }
    return deleted;
  }

  /** Deletes all that there is of a batch in the store, and its results in Redis. */
  async function clear(batch: BatchRecord): Promise<number> {
    const { id, client, chunks } = batch;
    let deleted = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      deleted += await clearChunk(batch, chunk);
      await batches.dropResults(id, chunk);
    }
    return deleted + (await bin.deleteAll(client, id));
  }

  return {
    /** Expires a batch that has ended or was never sealed, and forgets it a day later. */
    async expire(batch: BatchRecord, nowMillis: number): Promise<void> {
      const { id } = batch;
      const buriedAt = batch.buriedAt ?? new Date(nowMillis).toISOString();
      const fields = { buriedAt };
      await batches.move(id, { from: EXPIRING, to: 'expired', fields, dueAtMillis: nowMillis });
      const now = await batches.get(id);
      if (now?.status !== 'expired') return; // sealed meanwhile
      await clear(now);
      const removeAtMillis = Date.parse(buriedAt) + tombstoneMillis(batch);
      if (removeAtMillis <= nowMillis) await batches.remove(id);
      else await batches.postpone(id, removeAtMillis);
    },

    /** Erases a batch in whatever state it is. Doing it again answers the same. */
    async erase(batch: BatchRecord, nowMillis: number): Promise<Erasure> {
      if (batch.erasure) return batch.erasure;
      const { id } = batch;
      const erasedAt = new Date(nowMillis).toISOString();
      await batches.move(id, {
        ...{ from: BATCH_STATUSES, to: 'expired' },
        fields: { buriedAt: erasedAt, expiresAt: erasedAt },
        // Later than now: a sweep at this moment would delete the blobs before they are counted here.
        dueAtMillis: nowMillis + LOOK_AFTER_MILLIS,
      });
      const blobs = await clear((await batches.get(id)) ?? batch);
      const erasure = { erasedAt, blobs };
      await batches.inscribe(id, { erasure });
      await batches.postpone(id, nowMillis + tombstoneMillis(batch));
      return erasure;
    },
  };
}

export type BatchRetention = ReturnType<typeof createBatchRetention>;
