import { garmentKeys, garmentsPrefix } from '../../storage/blob-keys.ts';
import { type Blobs, deleteBlob } from '../../storage/blobs.ts';
import { RECHECK_MILLIS } from '../job-records.ts';
import { tombstoneMillis } from '../job-retention.ts';
import { type Erasure, erasureOf } from '../retention.ts';
import { batchFiles, batchPrefix } from './batch-files.ts';
import { BATCH_STATUSES, BATCH_TERMINAL_STATUSES, type BatchRecord } from './batch-record.ts';
import type { Batches } from './batches.ts';

/** A batch that is never sealed expires from `open` or `held`. */
const EXPIRABLE_STATUSES = ['open', 'held', ...BATCH_TERMINAL_STATUSES] as const;

/**
 * Owns the deletion of batches, on expiry or on request, and of the rows and results of feed runs on expiry. A feed's
 * images, surplus runs and erasure belong to `feeds/feed-retention.ts`. Every action may be interrupted and repeated:
 * the tombstone is written first, cut-outs are deleted while the results still name them, and the rest last.
 */
export class BatchRetention {
  readonly #batches;
  readonly #blobs;

  constructor(batches: Batches, blobs: Blobs) {
    this.#batches = batches;
    this.#blobs = blobs;
  }

  /** Deletes the cut-outs that the results of one chunk name, except those of a feed. */
  async #deleteCutOuts(batch: BatchRecord, chunk: number): Promise<number> {
    const { id, client, kind } = batch;
    if (kind === 'feed-run') return 0;
    const written = await batchFiles(this.#blobs, batch).results(chunk);
    const unwritten = await this.#batches.results(id, chunk);
    let deleted = 0;
    for (const result of [...written, ...unwritten]) {
      if (result.status !== 'succeeded') continue;
      const { results, input } = result;
      const prefix = garmentsPrefix(client, input.sha256, id);
      const keys = [results.cutout?.key, ...garmentKeys(prefix, results.outfit)];
      for (const key of keys) if (key !== undefined) deleted += await deleteBlob(this.#blobs, key);
    }
    return deleted;
  }

  /** Deletes all blobs of a batch, and its results and decisions in Redis; returns how many blobs. */
  async #deleteAll(batch: BatchRecord): Promise<number> {
    const { id, chunks } = batch;
    let deleted = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      deleted += await this.#deleteCutOuts(batch, chunk);
      await this.#batches.dropResults(id, chunk);
    }
    await this.#batches.dropReview(id);
    return deleted + (await this.#blobs.deleteAll(batchPrefix(batch)));
  }

  /** Expires a batch that has ended or was never sealed; removes it when its tombstone's time is over. */
  async expire(batch: BatchRecord, nowMillis: number): Promise<void> {
    const { id } = batch;
    const buriedAt = batch.buriedAt ?? new Date(nowMillis).toISOString();
    await this.#batches.move(id, {
      from: EXPIRABLE_STATUSES,
      to: 'expired',
      fields: { buriedAt },
      dueAtMillis: nowMillis,
    });
    const expired = await this.#batches.get(id);
    if (expired?.status !== 'expired') return; // sealed meanwhile
    await this.#deleteAll(expired);
    const removeAtMillis = Date.parse(buriedAt) + tombstoneMillis(batch);
    if (removeAtMillis <= nowMillis) await this.#batches.remove(id);
    else await this.#batches.postpone(id, removeAtMillis);
  }

  /** Erases a batch in any state. Repeated, it returns the same receipt. */
  async erase(batch: BatchRecord, nowMillis: number): Promise<Erasure> {
    if (batch.erasure) return batch.erasure;
    const { id } = batch;
    const erasedAt = new Date(nowMillis).toISOString();
    await this.#batches.move(id, {
      from: BATCH_STATUSES,
      to: 'expired',
      fields: { buriedAt: erasedAt, expiresAt: erasedAt },
      // Later than now: a sweep at this moment would delete the blobs before they are counted here.
      dueAtMillis: nowMillis + RECHECK_MILLIS,
    });
    const deleted = await this.#deleteAll((await this.#batches.get(id)) ?? batch);
    const erasure = erasureOf(this.#blobs, erasedAt, deleted);
    await this.#batches.updateTombstone(id, { erasure });
    await this.#batches.postpone(id, nowMillis + tombstoneMillis(batch));
    return erasure;
  }
}
