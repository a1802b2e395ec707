import type { Blobs } from './blobs.ts';

/** The part of object storage that deletes blobs and counts the deleted ones. */
export type BlobEraser = Pick<Blobs, 'head' | 'delete' | 'deleteAll' | 'kept'>;

/** Deletes a blob. Returns how many versions, or of a storage without versions 1 if it existed, else 0. */
export async function deleteBlob(
  blobs: Pick<Blobs, 'head' | 'delete'>,
  key: string,
): Promise<number> {
  const head = await blobs.head(key);
  return (await blobs.delete(key)) ?? (head === undefined ? 0 : 1);
}

/** Deletes every blob under a prefix, one by one. Returns how many. */
export async function deleteListed(
  blobs: Pick<Blobs, 'list' | 'delete'>,
  prefix: string,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for await (const { key } of blobs.list(prefix, signal)) {
    deleted += (await blobs.delete(key, signal)) ?? 1;
  }
  return deleted;
}

/** Deletes the blobs with a prefix that were last written at an instant or before it. Returns how many. */
export async function deleteOlder(
  blobs: Pick<Blobs, 'list' | 'delete'>,
  prefix: string,
  untilMillis: number,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for await (const { key, modifiedAt } of blobs.list(prefix, signal)) {
    if (modifiedAt.getTime() > untilMillis) continue;
    await blobs.delete(key, signal);
    deleted++;
  }
  return deleted;
}
