import type { Blobs } from '../../storage/blobs.ts';
import { batchFiles, batchPrefix, deleteAll } from './batch-files.ts';

/** What of a store batches are kept and deleted with. */
export const batchEraser = (blobs: Blobs) => ({
  head: (key: string) => blobs.head(key),
  delete: (key: string) => blobs.delete(key),
  files: (client: string, id: string) => batchFiles(blobs, client, id),
  deleteAll: (client: string, id: string) => deleteAll(blobs, batchPrefix(client, id)),
});
