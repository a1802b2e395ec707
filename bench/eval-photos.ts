import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The default folder of photos with references. */
export const EVAL_FOLDER = process.env.SELVAGE_EVAL || join('..', 'shared', 'eval');

/** Photos with reference mattes, by kind; paths are relative to the manifest. */
const Manifest = z.object({
  items: z.array(
    z.object({
      kind: z.string(),
      image: z.string(),
      mask: z.string().optional(),
      /** The subject alone in its own colours, if they are known. */
      cutout: z.string().optional(),
    }),
  ),
});

/** A photo and its reference. */
export interface Photo {
  kind: string;
  image: string;
  mask: string;
  cutout: string | undefined;
}

/** Reads the photos that have a reference, at most `limit` per kind. */
export async function readPhotos(
  folder: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Photo[]> {
  const { items } = Manifest.parse(
    JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')),
  );
  const counts = new Map<string, number>();
  return items.flatMap(({ kind, image, mask, cutout }) => {
    const count = counts.get(kind) ?? 0;
    if (!mask || count >= limit) return [];
    counts.set(kind, count + 1);
    const path = (file: string) => join(folder, file);
    return [{ kind, image: path(image), mask: path(mask), cutout: cutout && path(cutout) }];
  });
}
