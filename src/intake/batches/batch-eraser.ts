import type { Blobs } from '../../storage/blobs.ts';
import { batchFiles, batchPrefix } from './batch-files.ts';
import type { BatchFiles } from './row-reader.ts';

/** The part of object storage that the retention of batches uses. */
export interface BatchEraser extends Pick<Blobs, 'head' | 'delete' | 'kept'> {
  files(client: string, id: string): BatchFiles;
  /** Deletes rows, results, inputs and manifest of a batch; returns how many blobs. */
  deleteAll(client: string, id: string): Promise<number>;
}

export const batchEraser = (blobs: Blobs): BatchEraser => ({
  head: (key, signal) => blobs.head(key, signal),
  delete: (key, signal) => blobs.delete(key, signal),
  kept: () => blobs.kept(),
  files: (client, id) => batchFiles(blobs, client, id),
  deleteAll: (client, id) => blobs.deleteAll(batchPrefix(client, id)),
});
