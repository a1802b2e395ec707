import { ZodError } from 'zod';
import {
  batchFiles,
  batchKeys,
  batchManifests,
  getJson,
} from '../../src/intake/batches/batch-files.ts';
import { BatchManifest, createBatches } from '../../src/intake/batches/batches.ts';
import { restoreBatch } from '../../src/intake/batches/restore.ts';
import { OUTBOX } from '../../src/intake/webhooks/outbox.ts';
import type { BlobEntry } from '../../src/storage/blobs.ts';
import { newTally, type Rebuilder, type RecoverDeps, type Tally } from './rebuild.ts';

/** Enters one batch again where its record is gone, and says what came of it. */
async function rebuildBatch(
  { redis, blobs }: RecoverDeps,
  intentKey: string,
  signal: AbortSignal,
): Promise<keyof Tally> {
  const intent = await getJson(blobs, intentKey, signal);
  const known = BatchManifest.safeParse(intent).data;
  if (!known) return 'unknown';
  const { client, id } = known;
  const keys = batchKeys(client, id);
  const [sealed, ended] = await Promise.all(
    [keys.sealed, keys.ended].map((key) => getJson(blobs, key, signal)),
  );
  const { rowsIfAny: rows, results } = batchFiles(blobs, client, id);
  const stored = { intent, sealed, ended, rows, results };
  const restored = await restoreBatch(redis, createBatches(redis, OUTBOX), stored, Date.now());
  return restored ? 'rebuilt' : 'known';
}

/** Batches and runs of feeds, with what of their rows was done and written. */
export const batches: Rebuilder = {
  name: 'batches',
  async rebuild(deps, eachOf, signal) {
    const tally = newTally();
    await eachOf(batchManifests(deps.blobs, signal), async ({ key }: BlobEntry) => {
      const came = await rebuildBatch(deps, key, signal).catch((error) => {
        if (error instanceof ZodError) return 'unknown' as const;
        throw error;
      });
      tally[came]++;
    });
    return tally;
  },
};
