import { type BatchManifest, createBatches } from '../../src/intake/batches/batches.ts';
import { batchKey } from '../../src/intake/batches/redis-keys.ts';
import { restoreStoredBatch } from '../../src/intake/batches/restore-stored.ts';
import { createFeeds } from '../../src/intake/feeds/feeds.ts';
import { restoreReview } from '../../src/intake/review/audit.ts';
import { createReviewDecisions } from '../../src/intake/review/decisions.ts';
import { BATCHES_PREFIX, blobOwner, manifestKeyOf } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverDeps } from './rebuild.ts';

/** Restores batches and feed runs, with the stored results of their rows and the decisions about them. */
export const batches = ({
  redis,
  blobs,
  now,
}: Pick<RecoverDeps, 'redis' | 'blobs' | 'now'>): Rebuilder => {
  const records = createBatches(redis, now);
  const feeds = createFeeds(redis);

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
      await restoreReview(createReviewDecisions(redis), blobs, stored.manifest, now());
      return stored.isRestored ? 'rebuilt' : 'known';
    },
  };
};
