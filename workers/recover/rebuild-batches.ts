import { ZodError } from 'zod';
import {
  batchFiles,
  batchKeys,
  batchManifests,
  getJson,
} from '../../src/intake/batches/batch-files.ts';
import { BatchManifest, createBatches } from '../../src/intake/batches/batches.ts';
import { restoreBatch } from '../../src/intake/batches/restore.ts';
import { restoreReview } from '../../src/intake/review/audit.ts';
import { createReviewDecisions } from '../../src/intake/review/decisions.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newCounts, type Outcome, type Rebuilder, type RecoverDeps } from './rebuild.ts';

/** Restores one batch if its record is missing. */
async function rebuildBatch(
  { redis, blobs, now }: RecoverDeps,
  manifestKey: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const manifest = await getJson(blobs, manifestKey, signal);
  const parsed = BatchManifest.safeParse(manifest).data;
  if (!parsed) return 'unknown';
  const { client, id } = parsed;
  const keys = batchKeys(client, id);
  const [sealed, ended] = await Promise.all(
    [keys.sealed, keys.ended].map((key) => getJson(blobs, key, signal)),
  );
  const { rowsIfPresent: rows, results } = batchFiles(blobs, client, id);
  const stored = { manifest, sealed, ended, rows, results };
  const restored = await restoreBatch(redis, createBatches(redis, now), stored, now());
  if (!restored) return 'known';
  await restoreReview(createReviewDecisions(redis), blobs, parsed, now());
  return 'rebuilt';
}

/** Restores batches and feed runs, with the stored results of their rows. */
export const batches: Rebuilder = {
  name: 'batches',
  async rebuild(deps, forEach, signal) {
    const counts = newCounts();
    await forEach(batchManifests(deps.blobs, signal), async ({ key }: BlobEntry) => {
      const outcome = await rebuildBatch(deps, key, signal).catch((error): Outcome => {
        if (error instanceof ZodError) return 'unknown';
        throw error;
      });
      counts[outcome]++;
    });
    return counts;
  },
};
