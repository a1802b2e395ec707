import type { BatchManifest } from '../../src/intake/batches/batch-record.ts';
import { batchKey } from '../../src/intake/batches/redis-keys.ts';
import { restoreStoredBatch } from '../../src/intake/batches/restore-stored.ts';
import { restoreReview } from '../../src/intake/review/audit.ts';
import { BATCHES_PREFIX, blobOwner, manifestKeyOf } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverServices } from './rebuild.ts';

/** Restores batches and feed runs, with the stored results of their rows and the decisions about them. */
export const batches = ({
  blobs,
  batches: records,
  feeds,
  reviews,
  now,
}: Pick<RecoverServices, 'blobs' | 'batches' | 'feeds' | 'reviews' | 'now'>): Rebuilder => {
  /** Makes a run the latest of its feed, if Redis has lost that it is. */
  async function listRun({ id, feedId, createdAt }: BatchManifest): Promise<void> {
    const feed = feedId === undefined ? undefined : await feeds.get(feedId);
    if (!feed || feed.runs.includes(id)) return;
    const latest = feed.lastRunId === undefined ? undefined : await records.get(feed.lastRunId);
    if (!latest || latest.createdAt < createdAt) await feeds.claimRun(feed, id);
  }

  return {
    name: 'batches',
    prefix: BATCHES_PREFIX,
    manifestOf: manifestKeyOf,
    recordOf(key) {
      const owner = blobOwner(key);
      return owner && batchKey(owner.id);
    },
    async restore(manifestKey, signal): Promise<Outcome> {
      const stored = await restoreStoredBatch(records, blobs, manifestKey, now(), signal);
      if (!stored) return 'absent';
      await listRun(stored.manifest);
      await restoreReview(reviews, blobs, stored.manifest, now());
      return stored.isRestored ? 'rebuilt' : 'known';
    },
  };
};
