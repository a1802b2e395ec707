import type { Blobs } from '../../storage/blobs.ts';
import { batchFiles, batchKeys, getJson } from './batch-files.ts';
import { BatchManifest, type BatchRecord } from './batch-record.ts';
import type { Batches } from './batches.ts';
import { restoreBatch } from './restore.ts';

/**
 * Restores the record of a batch from its files, if it is missing or knows less.
 * @returns undefined if there is no manifest; whether the record was restored
 * @throws ZodError or SyntaxError if the files are damaged
 */
export async function restoreStoredBatch(
  batches: Batches,
  blobs: Blobs,
  manifestKey: string,
  nowMillis: number,
  signal?: AbortSignal,
): Promise<{ manifest: BatchManifest; isRestored: boolean } | undefined> {
  const stored = await getJson(blobs, manifestKey, signal);
  if (stored === undefined) return undefined;
  const manifest = BatchManifest.parse(stored);
  const { client, id } = manifest;
  const keys = batchKeys(client, id);
  const [sealed, ended] = await Promise.all(
    [keys.sealed, keys.ended].map((key) => getJson(blobs, key, signal)),
  );
  const { rowsIfPresent: rows, results, upload } = batchFiles(blobs, client, id);
  const files = { manifest, sealed, ended, rows, results, upload };
  return { manifest, isRestored: await restoreBatch(batches, files, nowMillis) };
}

/** Restores the rows that storage has and the record of an open batch has not: Redis may have lost its last second. */
export async function restoreLostRows(
  batches: Batches,
  blobs: Blobs,
  { client, id, chunks }: Pick<BatchRecord, 'client' | 'id' | 'chunks'>,
  nowMillis: number,
): Promise<void> {
  const keys = batchKeys(client, id);
  if (!(await blobs.head(keys.rows(chunks)))) return;
  await restoreStoredBatch(batches, blobs, keys.manifest, nowMillis);
}
