import type { Blobs } from '../../storage/blobs.ts';
import { type BlobEraser, deleteBlobsUnder } from '../../storage/delete-blobs.ts';
import { batchFiles, batchPrefix } from './batch-files.ts';
import type { BatchFiles } from './row-reader.ts';

/** The part of object storage that the retention of batches uses. */
export interface BatchEraser extends Omit<BlobEraser, 'list'> {
  files(client: string, id: string): BatchFiles;
  /** Deletes rows, results, inputs and manifest of a batch; returns how many blobs. */
  deleteAll(client: string, id: string): Promise<number>;
}

export const batchEraser = (blobs: Blobs): BatchEraser => ({
  head: (key, signal) => blobs.head(key, signal),
  delete: (key, signal) => blobs.delete(key, signal),
  files: (client, id) => batchFiles(blobs, client, id),
  deleteAll: (client, id) => deleteBlobsUnder(blobs, batchPrefix(client, id)),
});
