import { batchFiles, batchKeys, getJson } from '../../src/intake/batches/batch-files.ts';
import { BatchManifest, createBatches } from '../../src/intake/batches/batches.ts';
import { batchKey } from '../../src/intake/batches/redis-keys.ts';
import { restoreBatch } from '../../src/intake/batches/restore.ts';
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
    const manifest = await getJson(blobs, manifestKey, signal);
    if (manifest === undefined) return 'absent';
    const parsed = BatchManifest.parse(manifest);
    const { client, id } = parsed;
    const keys = batchKeys(client, id);
    const [sealed, ended] = await Promise.all(
      [keys.sealed, keys.ended].map((key) => getJson(blobs, key, signal)),
    );
    const { rowsIfPresent: rows, results, upload } = batchFiles(blobs, client, id);
    const stored = { manifest, sealed, ended, rows, results, upload };
    const isRestored = await restoreBatch(createBatches(redis, now), stored, now());
    await restoreReview(createReviewDecisions(redis), blobs, parsed, now());
    return isRestored ? 'rebuilt' : 'known';
  },
});
