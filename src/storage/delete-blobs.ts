import type { Blobs } from './blobs.ts';

/** The part of object storage that deletes blobs and counts the deleted ones. */
export type BlobEraser = Pick<Blobs, 'head' | 'delete' | 'list'>;

/** Deletes a blob. Returns 1 if it existed, else 0. */
export async function deleteBlob(
  blobs: Pick<Blobs, 'head' | 'delete'>,
  key: string,
): Promise<0 | 1> {
  const head = await blobs.head(key);
  await blobs.delete(key);
  return head === undefined ? 0 : 1;
}

/** Deletes every blob under a prefix. Returns how many. */
export async function deleteBlobsUnder(
  blobs: Pick<Blobs, 'list' | 'delete'>,
  prefix: string,
): Promise<number> {
  let deleted = 0;
  for await (const { key } of blobs.list(prefix)) {
    await blobs.delete(key);
    deleted++;
  }
  return deleted;
}
