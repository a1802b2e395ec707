import { garmentKeys } from '../../src/intake/garment-files.ts';
import type { PreviousImage } from '../../src/queue/job-data.ts';
import type { Blobs } from '../../src/storage/blobs.ts';

/** The bytes of a row's image, and the validators of its HTTP response. */
export interface RowImage {
  bytes: Uint8Array;
  etag?: string | undefined;
  lastModified?: string | undefined;
}

/** Returns an earlier result if all its files still exist. */
export async function ifComplete<T extends PreviousImage>(
  blobs: Blobs,
  photo: T,
  garmentsPrefix: (sha256: string) => string,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const heads = await Promise.all(
    fileKeys(photo, garmentsPrefix).map((key) => blobs.head(key, signal)),
  );
  return heads.every((head) => head !== undefined) ? photo : undefined;
}

/** Returns the keys of all files of a result. */
export const fileKeys = (
  { results, picture, input }: PreviousImage,
  garmentsPrefix: (sha256: string) => string,
): string[] =>
  [
    results.cutout?.key,
    picture?.key,
    ...garmentKeys(garmentsPrefix(input.sha256), results.outfit),
  ].filter((key) => key !== undefined);
