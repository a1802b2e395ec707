import { BlobMissing, type Blobs } from '../src/storage/blobs.ts';

/** Copies a blob; returns false if it does not exist any more. */
export async function copyIfPresent(
  blobs: Blobs,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await blobs.copy(from, to, signal);
    return true;
  } catch (error) {
    if (error instanceof BlobMissing) return false;
    throw error;
  }
}
