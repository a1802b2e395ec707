import { batchFiles, batchPrefix, deleteAll } from './batch-files.ts';
import type { Blobs } from './blobs.ts';

/** What of a store batches are kept and deleted with. */
export const batchBin = (blobs: Blobs) => ({
  head: (key: string) => blobs.head(key),
  delete: (key: string) => blobs.delete(key),
  files: (client: string, id: string) => batchFiles(blobs, client, id),
  deleteAll: (client: string, id: string) => deleteAll(blobs, batchPrefix(client, id)),
});
