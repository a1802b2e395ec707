import type { Redis } from 'ioredis';
import { keyCopies } from '../auth/key-copies.ts';
import { KEYS_PREFIX, keyCopyKey } from '../storage/blob-keys.ts';
import type { Blobs } from '../storage/blobs.ts';
import { putJson } from './batches/batch-files.ts';

export { restoreKey } from '../auth/key-copies.ts';

/** Copies keys that have no copy in object storage, as those of earlier releases. */
export async function copyKeys(redis: Redis, blobs: Blobs, signal: AbortSignal): Promise<void> {
  const copied = new Set<string>();
  for await (const { key } of blobs.list(KEYS_PREFIX, signal)) copied.add(key);
  for await (const copy of keyCopies(redis)) {
    const key = keyCopyKey(copy.hash);
    if (!copied.has(key)) await putJson(blobs, key, copy);
  }
}
