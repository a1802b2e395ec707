import { ZodError } from 'zod';
import { BatchIntent, createBatches } from '../../src/jobs/batches/batches.ts';
import { restoreBatch } from '../../src/jobs/batches/restore.ts';
import { OUTBOX } from '../../src/jobs/webhooks/webhooks.ts';
import { batchFiles, batchIntents, batchKeys, getFacts } from '../../src/store/batch-files.ts';
import type { BlobEntry } from '../../src/store/blobs.ts';
import { newTally, type Rebuilder, type RecoverParts, type Tally } from './rebuild.ts';

/** Enters one batch again where its record is gone, and says what came of it. */
async function rebuildBatch(
  { redis, blobs }: RecoverParts,
  intentKey: string,
  signal: AbortSignal,
): Promise<keyof Tally> {
  const intent = await getFacts(blobs, intentKey, signal);
  const known = BatchIntent.safeParse(intent).data;
  if (!known) return 'unknown';
  const { client, id } = known;
  const keys = batchKeys(client, id);
  const [sealed, ended] = await Promise.all(
    [keys.sealed, keys.ended].map((key) => getFacts(blobs, key, signal)),
  );
  const { rowsIfAny: rows, results } = batchFiles(blobs, client, id);
  const stored = { intent, sealed, ended, rows, results };
  const restored = await restoreBatch(redis, createBatches(redis, OUTBOX), stored, Date.now());
  return restored ? 'rebuilt' : 'known';
}

/** Batches and runs of feeds, with what of their rows was done and written. */
export const batches: Rebuilder = {
  name: 'batches',
  async rebuild(parts, eachOf, signal) {
    const tally = newTally();
    await eachOf(batchIntents(parts.blobs, signal), async ({ key }: BlobEntry) => {
      const came = await rebuildBatch(parts, key, signal).catch((error) => {
        if (error instanceof ZodError) return 'unknown' as const;
        throw error;
      });
      tally[came]++;
    });
    return tally;
  },
};
