import { createBatches } from '../../src/intake/batches/batches.ts';
import { batchKey } from '../../src/intake/batches/redis-keys.ts';
import { restoreStoredBatch } from '../../src/intake/batches/restore-stored.ts';
import { restoreReview } from '../../src/intake/review/audit.ts';
import { createReviewDecisions } from '../../src/intake/review/decisions.ts';
import { BATCHES_PREFIX, blobOwner, manifestKeyOf } from '../../src/storage/blob-keys.ts';
import type { Outcome, Rebuilder, RecoverDeps } from './rebuild.ts';

/** Restores batches and feed runs, with the stored results of their rows and the decisions about them. */
export const batches = ({
  redis,
  blobs,
  now,
}: Pick<RecoverDeps, 'redis' | 'blobs' | 'now'>): Rebuilder => ({
  name: 'batches',
  prefix: BATCHES_PREFIX,
  manifestOf: manifestKeyOf,
  recordOf(key) {
    const owner = blobOwner(key);
    return owner && batchKey(owner.id);
  },
  async restore(manifestKey, signal): Promise<Outcome> {
    const records = createBatches(redis, now);
    const stored = await restoreStoredBatch(records, blobs, manifestKey, now(), signal);
    if (!stored) return 'absent';
    await restoreReview(createReviewDecisions(redis), blobs, stored.manifest, now());
    return stored.isRestored ? 'rebuilt' : 'known';
  },
});
