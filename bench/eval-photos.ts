import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import type { Reference } from './matte-scores.ts';

/** The default folder of photos with references. */
export const EVAL_FOLDER = process.env.SELVAGE_EVAL || join('..', 'shared', 'eval');

/** Photos with reference mattes, by kind; paths are relative to the manifest. */
const Manifest = z.object({
  items: z.array(
    z.object({
      kind: z.string(),
      image: z.string(),
      mask: z.string().optional(),
      /** White where the mask is not to be trusted. */
      ignore: z.string().optional(),
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
  ignore: string | undefined;
  cutout: string | undefined;
}

/** Returns the manifests of a folder and of the folders in it: all files whose names end in `manifest.json`. */
function manifestsIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const folders = ['.', ...entries.filter((entry) => !entry.isFile()).map(({ name }) => name)];
  return folders
    .flatMap((name) => filesIn(join(folder, name)))
    .filter((file) => file.endsWith('manifest.json'))
    .sort();
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return []; // a link to something else
  }
}

/** Returns whether a folder has photos to measure. */
export const hasPhotos = (folder: string): boolean =>
  filesIn(folder).length > 0 && manifestsIn(folder).length > 0;

/** Reads the photos that have a reference, at most `limit` per kind. */
export async function readPhotos(
  folder: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Photo[]> {
  const counts = new Map<string, number>();
  const photos: Photo[] = [];
  for (const manifest of manifestsIn(folder)) {
    const { items } = Manifest.parse(JSON.parse(await readFile(manifest, 'utf8')));
    const path = (file: string) => join(dirname(manifest), file);
    const optional = (file: string | undefined) => (file === undefined ? undefined : path(file));
    for (const { kind, image, mask, ignore, cutout } of items) {
      const count = counts.get(kind) ?? 0;
      if (!mask || count >= limit) continue;
      counts.set(kind, count + 1);
      const reference = { mask: path(mask), ignore: optional(ignore), cutout: optional(cutout) };
      photos.push({ kind, image: path(image), ...reference });
    }
  }
  return photos;
}

async function readPlane(file: string) {
  const { data, info } = await sharp(file)
    .toColourspace('b-w')
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Reads the reference of a photo. */
export async function readReference({ mask, ignore }: Photo): Promise<Reference> {
  return {
    ...(await readPlane(mask)),
    ignore: ignore === undefined ? undefined : (await readPlane(ignore)).data,
  };
}
