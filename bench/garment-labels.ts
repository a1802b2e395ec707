import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import type { Size } from '../src/imaging/picture.ts';
import { GROUPS } from '../workers/inference/garments/groups.ts';

/** A street photo whose pixels are labelled with the 59 classes of their source. */
export interface LabelledPhoto {
  id: string;
  image: string;
  labels: string;
}

/** For each pixel the index of its group in `GROUPS`. */
interface GroupLabels extends Size {
  data: Uint8Array;
}

const LABELS = 'ccp-59';
const PHOTOS = 'ccp';

const Folds = z.array(z.looseObject({ id: z.string(), labels: z.array(z.string()) }));

/** Returns the labelled photos of an evaluation folder. */
export function readLabelledPhotos(folder: string, limit?: number): LabelledPhoto[] {
  if (!existsSync(join(folder, LABELS))) return [];
  return readdirSync(join(folder, LABELS))
    .filter((file) => file.endsWith('.png'))
    .sort()
    .slice(0, limit)
    .map((file) => file.replace('.png', ''))
    .map((id) => ({
      id,
      image: join(folder, PHOTOS, `${id}.jpg`),
      labels: join(folder, LABELS, `${id}.png`),
    }));
}

/** Returns the group of each class of the source, by the class's number. */
function foldClasses(folder: string): number[] {
  const folds = Folds.parse(
    JSON.parse(
      readFileSync(join(import.meta.dirname, '..', 'models', 'training', 'groups.json'), 'utf8'),
    ),
  );
  const classes = z
    .record(z.string(), z.string())
    .parse(JSON.parse(readFileSync(join(folder, LABELS, 'classes.json'), 'utf8')));
  const groups: number[] = [];
  for (const [number, name] of Object.entries(classes)) {
    const id = folds.find(({ labels }) => labels.includes(name))?.id;
    groups[Number(number)] = GROUPS.findIndex((group) => group.id === id);
  }
  return groups;
}

/** Returns the colours of a PNG's palette, each as one number. */
function paletteOf(png: Buffer): number[] {
  const at = png.indexOf('PLTE');
  const bytes = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  return Array.from({ length: bytes.length / 3 }, (_, i) => bytes.readUIntBE(3 * i, 3));
}

/** Returns a reader of label pictures: palette PNGs, in which a pixel's value is its class. */
export function createLabelReader(folder: string) {
  const groupOfClass = foldClasses(folder);
  return async ({ labels }: LabelledPhoto): Promise<GroupLabels> => {
    const png = await readFile(labels);
    const groupOfColour = new Map(
      paletteOf(png)
        .slice(0, groupOfClass.length)
        .map((colour, number) => [colour, groupOfClass[number] ?? 0]),
    );
    const { data, info } = await sharp(png)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const groups = Uint8Array.from(
      { length: width * height },
      (_, i) => groupOfColour.get(data.readUIntBE(3 * i, 3)) ?? 0,
    );
    return { data: groups, width, height };
  };
}
